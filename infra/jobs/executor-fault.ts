/** A reason why a scheduler cannot run the jobs of a campaign, found before one of them waits in vain. */
export interface ExecutorFault {
  /** True if a human has to change the request, false for a state that passes. */
  readonly isPermanent: boolean;
  readonly problem: string;
  readonly cure: string;
}

export const permanentFault = (problem: string, cure: string): ExecutorFault => ({
  isPermanent: true,
  problem,
  cure,
});

export const passingFault = (problem: string, cure: string): ExecutorFault => ({
  isPermanent: false,
  problem,
  cure,
});
