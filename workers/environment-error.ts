/** A variable with an invalid value; the message has the variable and the cure. */
export class EnvironmentError extends Error {}
