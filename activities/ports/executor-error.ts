export type ExecutorErrorKind =
  /** What runs the jobs does not answer, so the state of its jobs is unknown. Passes by itself. */
  | 'unreachable'
  /** It answered, and could not do what it was asked. */
  | 'failed'
  /** The program that asks it cannot be started on this machine. */
  | 'not-installed'
  /** It can never give what the job asks for. */
  | 'refused';

/** What is wrong with the host, scheduler or program that runs jobs: which one, the problem and the cure. */
export class ExecutorError extends Error {
  override readonly name = 'ExecutorError';
  readonly kind: ExecutorErrorKind;

  constructor(kind: ExecutorErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}
