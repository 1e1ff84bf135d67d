/** The machine's servers cannot be brought up; the message holds place and cure. */
export class NotUpError extends Error {}
