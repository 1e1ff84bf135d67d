/** The machine's servers cannot be brought up; the message has the reason and the cure. */
export class NotUpError extends Error {}
