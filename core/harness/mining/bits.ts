// Sets of trajectories as bits, 32 per word, so that combining predicates takes a few operations.
export type Bits = Uint32Array;

/** From one character per trajectory; '1' is in the set. */
export function bitsOf(marks: string): Bits {
  const bits = new Uint32Array(Math.ceil(marks.length / 32));
  for (let index = 0; index < marks.length; index += 1) {
    if (marks[index] === '1') bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31));
  }
  return bits;
}

export type Connective = 'and' | 'or';

export function combine(left: Bits, right: Bits, join: Connective): Bits {
  const made = new Uint32Array(left.length);
  for (let index = 0; index < left.length; index += 1) {
    made[index] = joined(left[index] ?? 0, right[index] ?? 0, join);
  }
  return made;
}

export const both = (left: Bits, right: Bits): Bits => combine(left, right, 'and');
export const either = (left: Bits, right: Bits): Bits => combine(left, right, 'or');
export const without = (left: Bits, right: Bits): Bits =>
  left.map((word, index) => word & ~(right[index] ?? 0));

/** The number of elements of `left` that are in `right`. */
export function overlap(left: Bits, right: Bits): number {
  let count = 0;
  for (let index = 0; index < left.length; index += 1) {
    count += onesOf((left[index] ?? 0) & (right[index] ?? 0));
  }
  return count;
}

/** The number of elements of the union of two sets that are in `within`, without building the union. */
export function joinedOverlap(left: Bits, right: Bits, join: Connective, within: Bits): number {
  let count = 0;
  for (let index = 0; index < left.length; index += 1) {
    count += onesOf(joined(left[index] ?? 0, right[index] ?? 0, join) & (within[index] ?? 0));
  }
  return count;
}

const joined = (left: number, right: number, join: Connective): number =>
  join === 'and' ? left & right : left | right;

function onesOf(bits: number): number {
  let word = bits - ((bits >>> 1) & 0x55555555);
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Equal for equal sets; two different sets collide with a probability below 10^-15. */
export function fingerprint(bits: Bits): number {
  let [high, low] = [0x811c9dc5, 0x1b873593];
  for (const word of bits) {
    high = Math.imul(high ^ word, 0x01000193) ^ (high >>> 15);
    low = Math.imul(low ^ word, 0x85ebca6b) ^ (low >>> 13);
  }
  return (high >>> 0) * 2 ** 21 + ((low >>> 0) & 0x1fffff);
}

export const sizeOf = (bits: Bits): number => overlap(bits, bits);
