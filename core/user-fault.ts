/** A fault in what a user gave: a file, an option or an address. The message has its place and the cure. */
export class UserFault extends Error {}
