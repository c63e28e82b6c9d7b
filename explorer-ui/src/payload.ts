// Unpacks the data of a page. payload.py describes the format.

import { Words, add, count, counted, wordsFor } from "./bits";
import { lowerBound } from "./scale";
import type { Measure, Meta, RuleList, Summary } from "./types";

export interface Scores {
  /** The different scores, ascending; NaN comes last. */
  values: Float64Array;
  /** For each concept the index of its score in `values`. */
  codes: Uint32Array;
  /** For each code the number of concepts with it. */
  counts: Uint32Array;
  /** The number of values that are not NaN. */
  numbers: number;
  /** One bit per concept, set if its score is an estimate; null if all are exact. */
  inexact: Uint8Array | null;
}

export interface Data {
  meta: Meta;
  summary: Summary;
  rules: RuleList[];
  objectName(g: number): string;
  /** The number of words of an object's attributes and of a concept's intent. */
  width: number;
  /** The number of words of an attribute's objects. */
  height: number;
  rows: Words;
  /** The attributes of all objects in one list, and the position where each object begins. */
  items: Uint32Array;
  begins: Uint32Array;
  columns: Words;
  intents: Words;
  scores: Scores[];
}

/** A measure as it is stored: without what its scores say; `bytes` is the size of a code. */
type Stored = Omit<Measure, "low" | "high" | "quantiles"> & { bytes: number };

interface Header extends Pick<Meta, "title" | "attributes" | "concepts" | "minSupport" | "complete" | "note" | "more" | "then"> {
  version: number;
  objects: { count: number; first: number; names: string[] | null; known: boolean };
  /** The number of elements of all sets together if they are stored as lists; null if they are stored as bits. */
  listed: { rows: number | null; intents: number | null };
  measures: Stored[];
  summary: Summary;
  rules: RuleList[];
}

export async function unpack(packed: Uint8Array): Promise<Data> {
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return decode(new Uint8Array(await new Response(stream).arrayBuffer()));
}

function decode(bytes: Uint8Array): Data {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as Header;
  if (header.version !== 1) throw new Error(`data of version ${header.version}: this page reads 1`);
  const { attributes, objects, concepts } = header;
  let at = 4 + length;
  const take = (size: number): Uint8Array => bytes.subarray(at, (at += size));
  const width = wordsFor(attributes.length);
  const planes = Math.ceil(attributes.length / 8);
  const sets = (n: number, listed: number | null): Words =>
    listed === null ? fromPlanes(take(n * planes), n, planes, width) : fromLists(take(4 * (n + listed)), n, width);
  const rows = sets(objects.count, header.listed.rows);
  const intents = sets(concepts, header.listed.intents);
  const scores = header.measures.map(({ distinct, bytes: size, inexact }): Scores => {
    const values = new Float64Array(take(distinct * 8).slice().buffer);
    const codes = size > 0 ? new Uint32Array(concepts) : sizesAmong(values, intents, concepts, width);
    for (let p = 0; p < size; p++) {
      const plane = take(concepts);
      for (let i = 0; i < concepts; i++) codes[i] |= plane[i] << (8 * p);
    }
    const counts = new Uint32Array(distinct);
    for (let i = 0; i < concepts; i++) counts[codes[i]] += 1;
    const numbers = distinct > 0 && Number.isNaN(values[distinct - 1]) ? distinct - 1 : distinct;
    return { values, codes, counts, numbers, inexact: inexact ? take(Math.ceil(concepts / 8)) : null };
  });
  const { summary, rules, title, minSupport, complete, note, more, then } = header;
  const measures = header.measures.map((measure, m) => summed(measure, scores[m]));
  const meta: Meta = {
    title, objects: objects.count, objectNames: objects.known, attributes, concepts, minSupport, complete, note, more, measures, then,
  };
  for (const { rules: some } of rules) {
    for (const rule of some) [rule.lift, rule.leverage] = [rule.lift, rule.leverage].map((score) => (score === null ? null : Number(score)));
  }
  for (const pattern of summary.patterns) [pattern.gain, pattern.expected] = [Number(pattern.gain), Number(pattern.expected)];
  return {
    meta,
    summary,
    rules,
    objectName: (g) => (objects.names ? objects.names[g] : String(g + objects.first)),
    width,
    height: wordsFor(objects.count),
    rows,
    ...turned(rows, objects.count, attributes.length, width),
    intents,
    scores,
  };
}

/** The codes of the sizes of the intents: their indices among the different sizes. */
function sizesAmong(values: Float64Array, intents: Words, concepts: number, width: number): Uint32Array<ArrayBuffer> {
  const places = new Map(Array.from(values, (value, place) => [value, place]));
  const codes = new Uint32Array(concepts);
  for (let i = 0; i < concepts; i++) codes[i] = places.get(counted(intents, i * width, width))!;
  return codes;
}

/** Sets from planes: byte p of all sets is stored before byte p + 1 of any. */
function fromPlanes(bytes: Uint8Array, n: number, planes: number, width: number): Words {
  const words = new Uint32Array(n * width);
  for (let p = 0; p < planes; p++) {
    const [word, shift, from] = [p >>> 2, 8 * (p & 3), p * n];
    for (let i = 0; i < n; i++) {
      const byte = bytes[from + i];
      // Most bytes of a sparse table are 0.
      if (byte !== 0) words[i * width + word] |= byte << shift;
    }
  }
  return words;
}

/** Sets from lists: the sizes of all sets are stored first. */
function fromLists(bytes: Uint8Array, n: number, width: number): Words {
  const words = new Uint32Array(n * width);
  const numbers = new Uint32Array(bytes.slice().buffer);
  let at = n;
  for (let i = 0; i < n; i++) for (const end = at + numbers[i]; at < end; at++) add(words, i * width, numbers[at]);
  return words;
}

function turned(rows: Words, n: number, m: number, width: number): Pick<Data, "columns" | "items" | "begins"> {
  const height = wordsFor(n);
  const columns = new Uint32Array(m * height);
  const items = new Uint32Array(count(rows));
  const begins = new Uint32Array(n + 1);
  let total = 0;
  for (let g = 0; g < n; g++) {
    begins[g] = total;
    for (let w = 0; w < width; w++) {
      let word = rows[g * width + w];
      while (word !== 0) {
        const low = word & -word;
        const item = (w << 5) + 31 - Math.clz32(low);
        items[total++] = item;
        add(columns, item * height, g);
        word ^= low;
      }
    }
  }
  begins[n] = total;
  return { columns, items, begins };
}

function summed(measure: Stored, scores: Scores): Measure {
  const { values, counts, numbers } = scores;
  const first = lowerBound(values.subarray(0, numbers), -Number.MAX_VALUE);
  let last = numbers;
  while (last > first && values[last - 1] === Infinity) last -= 1;
  const quantiles: number[] = [];
  let total = 0;
  for (let code = first; code < last; code++) total += counts[code];
  let code = first;
  let before = 0;
  for (let q = 0; q <= 200 && total > 0; q++) {
    const place = Math.round((q / 200) * (total - 1));
    while (before + counts[code] <= place) before += counts[code++];
    quantiles.push(values[code]);
  }
  if (total === 0) quantiles.push(0, 0);
  const [low, high] = total > 0 ? [values[first], values[last - 1]] : [0, 0];
  return { ...measure, low, high, quantiles };
}
