// What others wrote, for a terminal: a log or a host's answer must not move the cursor or change the title.

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Line ends and tabs stay; every other control character is shown as one. */
export const printable = (text: string): string => text.replace(CONTROLS, '\u{fffd}');
