// Lines that stay and, below them, lines redrawn in place. One write per frame, so that nothing flickers.
import { printableColored } from './printable.ts';
import { wrapWords } from './wrap-words.ts';

interface Output {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

const BEGIN = '\u001B[?2026h';
const END = '\u001B[?2026l';
const ERASE_LINE = '\u001B[K';
const ERASE_BELOW = '\u001B[J';
const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';

export class Screen {
  readonly #output: Output;
  #drawn = 0;

  constructor(output: Output) {
    this.#output = output;
    output.write(HIDE_CURSOR);
  }

  /** Adds `kept` above and redraws the region below. */
  update(kept: readonly string[], drawn: readonly string[]): void {
    const width = this.#output.columns ?? 80;
    // A region taller than the terminal could not be redrawn.
    const visible = drawn
      .flatMap((line) => line.split('\n'))
      .flatMap((line) => wrapWords(line, width, { split: true }))
      .slice(0, Math.max(1, (this.#output.rows ?? 24) - 1));
    const lines = [...kept.flatMap((line) => wrapWords(line, width)), ...visible];
    const up = this.#drawn > 0 ? `\u001B[${this.#drawn}F` : '';
    const text = lines.map((line) => `${printableColored(line)}${ERASE_LINE}\n`).join('');
    this.#output.write(BEGIN + up + text + ERASE_BELOW + END);
    this.#drawn = visible.length;
  }

  /** Leaves the last frame on the screen. */
  close(): void {
    this.#output.write(SHOW_CURSOR);
    this.#drawn = 0;
  }
}
