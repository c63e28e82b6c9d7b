// Sets of small numbers as 32-bit words.

export type Words = Uint32Array;

export function wordsFor(size: number): number {
  return Math.max(1, (size + 31) >>> 5);
}

export function has(words: Words, at: number, bit: number): boolean {
  return ((words[at + (bit >>> 5)] >>> (bit & 31)) & 1) === 1;
}

export function add(words: Words, at: number, bit: number): void {
  words[at + (bit >>> 5)] |= 1 << (bit & 31);
}

export function count(words: Words): number {
  return counted(words, 0, words.length);
}

/** The number of members of the set that starts at a position. */
export function counted(words: Words, at: number, width: number): number {
  let total = 0;
  for (let i = at; i < at + width; i++) total += ones(words[i]);
  return total;
}

function ones(word: number): number {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The members, ascending. */
export function members(words: Words, at: number, width: number): number[] {
  const found: number[] = [];
  for (let i = 0; i < width; i++) {
    let word = words[at + i];
    while (word !== 0) {
      const low = word & -word;
      found.push((i << 5) + 31 - Math.clz32(low));
      word ^= low;
    }
  }
  return found;
}

/** Whether the set that starts at `a` is a subset of the one that starts at `b`. */
export function within(x: Words, a: number, y: Words, b: number, width: number): boolean {
  for (let i = 0; i < width; i++) if ((x[a + i] & ~y[b + i]) !== 0) return false;
  return true;
}

export function same(x: Words, y: Words): boolean {
  for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) return false;
  return true;
}
