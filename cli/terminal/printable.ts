// What others wrote, for a terminal: a log or a host's answer must not move the cursor or change the title.

const CONTROLS = /[^\P{Cc}\t\n]/gu;

/** Line ends and tabs stay; every other control character is shown as one. */
export const printable = (text: string): string => text.replace(CONTROLS, '\u{fffd}');
