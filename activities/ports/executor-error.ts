export type ExecutorFailure =
  /** The place that runs jobs does not answer, and nobody knows what goes on there. Passes by itself. */
  | 'unreachable'
  /** It answered, and could not start the job. */
  | 'failed'
  /** It can never give what the job asks for. */
  | 'refused';

/** What an executor says of the place where it runs jobs: which one, what is wrong, and the cure. */
export class ExecutorError extends Error {
  override readonly name = 'ExecutorError';
  readonly kind: ExecutorFailure;

  constructor(kind: ExecutorFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}
