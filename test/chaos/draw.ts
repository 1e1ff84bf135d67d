// Random numbers from a text, so that a seed fixes every draw whatever was drawn elsewhere.
import { createHash } from 'node:crypto';

export class Draw {
  readonly #name: string;
  #count = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** At least 0, below 1. */
  unit(): number {
    const digest = createHash('sha256')
      .update(`${this.#name}#${this.#count++}`)
      .digest();
    return digest.readUInt32BE(0) / 2 ** 32;
  }

  between(least: number, most: number): number {
    return least + this.unit() * (most - least);
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[Math.floor(this.unit() * items.length)] ?? items[0];
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }
}
