// What others wrote, for a terminal: a log, a host's answer or a policy's output must not move the cursor or change the title.

const CONTROLS = /[^\P{Cc}\t\n]/gu;
/** Colours and weights, as `style.ts` sets them, or any other control character. */
const COLORS_AND_CONTROLS = new RegExp(`(\\u001B\\[\\d{1,2}m)|${CONTROLS.source}`, 'gu');
const SHOWN = '\u{fffd}';

/** Line ends and tabs stay; every other control character is shown as one. */
export const printable = (text: string): string => text.replace(CONTROLS, SHOWN);

/** The same of text that carries colours of ours. */
export const printableColored = (text: string): string =>
  text.replace(COLORS_AND_CONTROLS, (_, color: string | undefined) => color ?? SHOWN);

/** Prints a line, or several, for a person. */
export const say = (text: string): void => console.log(printableColored(text));

/** The same on stderr. */
export const complain = (text: string): void => console.error(printableColored(text));
