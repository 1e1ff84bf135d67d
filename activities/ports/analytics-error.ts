/**
 * Why a query has no answer: the query itself, a damaged file, a limit, a table the caller may not read, or that its
 * process was ended by somebody else, which says nothing about the query.
 */
export type AnalyticsErrorKind = 'query' | 'damaged' | 'limit' | 'denied' | 'lost';

/** A query that has no answer. The message names the place in brackets and, where there is one, the cure. */
export class AnalyticsError extends Error {
  readonly kind: AnalyticsErrorKind;

  constructor(failure: AnalyticsErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AnalyticsError';
    this.kind = failure;
  }
}
