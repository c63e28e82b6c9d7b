// Attribute-additive places: each attribute has a vector, and an element is at the sum of the vectors of its attributes. So an
// attribute is the same step everywhere, and distributive parts become parallelograms.
//
// cpp/diagram/additive.cpp takes the same steps for the figures, in whole numbers.
//
//  1 sets     from the top down, an element has the vectors of the elements above it. If another element has the same set, it
//             gets a new vector. In a lattice these are the irreducible attributes. The layer is the number of vectors.
//  2 bottom   an element below all others goes to the next layer, even if its sum of vectors is farther down.
//  3 search   threshold accepting for the columns of the vectors. Cost: elements and lines that are too close to an element,
//             crossings, lengths.

import { APART, CROSSING, Chance, STRUCK, THRESHOLDS, canCross, cross, spread, struck } from "./geometry";

/** The cost of two elements of a layer that are too close. */
const OVERLAP = 2000;
/** The steps of a round per vector. */
const STEPS = 30;
/** The number of pairs (two lines, or a line and an element) that a round may check. */
const MOST_TESTS = 1_500_000;

export interface Additive {
  x: Int32Array;
  y: Int32Array;
  /** Whether no elements coincide and no line runs through an element. */
  sound: boolean;
}

/**
 * Places by vectors of attributes; `layers` and `columns` are those of the layered diagram. No columns are searched for if
 * there are more layers than `mostLayers`.
 */
export function additive(
  n: number, upper: Int32Array, lower: Int32Array, layers: Int32Array, columns: Int32Array, mostLayers: number,
): Additive {
  const [x, y] = [columns.slice(), layers.slice()];
  const above: number[][] = Array.from({ length: n }, () => []);
  const joined = new Uint8Array(n);
  upper.forEach((u, e) => {
    above[lower[e]].push(u);
    joined[u] = joined[lower[e]] = 1;
  });
  for (const each of above) each.sort((a, b) => a - b);
  // Layers are numbered from the top, so everything above an element comes before it.
  const order = Array.from({ length: n }, (_, v) => v).filter((v) => joined[v]).sort((v, w) => layers[v] - layers[w] || v - w);
  if (order.length === 0) return { x, y, sound: false };
  const sets: number[][] = Array.from({ length: n }, () => []);
  const taken = new Set<string>();
  const step: number[] = [];
  for (const v of order) {
    const own = [...new Set(above[v].flatMap((u) => sets[u]))].sort((a, b) => a - b);
    if (taken.has(own.join(" "))) {
      own.push(step.length);
      step.push(above[v].length > 0 ? columns[v] - columns[above[v][0]] : 0);
    }
    taken.add(own.join(" "));
    sets[v] = own;
    y[v] = own.length;
  }
  const isUpper = new Uint8Array(n);
  for (const u of upper) isUpper[u] = 1;
  const least = order.filter((v) => !isUpper[v]);
  const [bottom] = least;
  const deepest = order.reduce((most, v) => (v === bottom ? most : Math.max(most, y[v])), 0);
  if (least.length === 1 && y[bottom] > deepest + 1) {
    y[bottom] = deepest + 1;
    sets[bottom] = [step.length];
    step.push(columns[bottom] - columns[order[0]]);
  }
  const depth = order.reduce((most, v) => Math.max(most, y[v]), 0);
  if (depth > mostLayers) return { x, y, sound: false };
  const k = step.length;
  const reach = 2 * k + 2;
  for (let j = 0; j < k; j++) step[j] = Math.min(reach, Math.max(-reach, step[j]));
  const place = (): void => {
    for (const v of order) {
      let sum = 0;
      for (const j of sets[v]) sum += step[j];
      x[v] = sum;
    }
  };
  const rows: number[][] = Array.from({ length: depth + 1 }, () => []);
  for (const v of order) rows[y[v]].push(v);
  // Layers stay as they are, so the pairs that can be at fault or cross are known before the search.
  const near = rows.flatMap((row) => row.flatMap((v, i) => row.slice(0, i).map((w): [number, number] => [v, w])));
  const through: [number, number, number][] = [];
  const meeting: [number, number][] = [];
  for (let e = 0; e < upper.length; e++) {
    const [a, b] = [upper[e], lower[e]];
    for (let level = y[a] + 1; level < y[b]; level++) for (const w of rows[level]) through.push([w, a, b]);
    for (let f = 0; f < e; f++) if (canCross(y, a, b, upper[f], lower[f])) meeting.push([e, f]);
  }
  const [pairs, triples, lines] = [Int32Array.from(near.flat()), Int32Array.from(through.flat()), Int32Array.from(meeting.flat())];
  /** All costs and those of faults, or any larger costs than `most` if they are larger. */
  const costs = (most: number): [number, number] => {
    let faults = 0;
    for (let i = 0; i < pairs.length; i += 2) if (Math.abs(x[pairs[i]] - x[pairs[i + 1]]) < APART) faults += OVERLAP;
    for (let i = 0; i < triples.length; i += 3) if (struck(x, y, triples[i], triples[i + 1], triples[i + 2])) faults += STRUCK;
    let cost = faults;
    for (let e = 0; e < upper.length; e++) cost += Math.abs(x[upper[e]] - x[lower[e]]);
    for (let i = 0; i < lines.length && cost <= most; i += 2) {
      const e = lines[i];
      const f = lines[i + 1];
      if (cross(x, y, upper[e], lower[e], upper[f], lower[f])) cost += CROSSING;
    }
    return [cost, faults];
  };
  place();
  let [cost, faults] = costs(Infinity);
  let [best, bestFaults, kept] = [cost, faults, step.slice()];
  const m = upper.length;
  const work = Math.floor((m * (m + order.length)) / 2) + 1;
  const steps = k === 0 ? 0 : Math.max(k, Math.min(STEPS * k, Math.floor(MOST_TESTS / work)));
  const chance = new Chance();
  for (const threshold of THRESHOLDS) {
    // A round starts from the best places so far.
    if (cost > best) {
      kept.forEach((each, j) => (step[j] = each));
      cost = best;
    }
    for (let i = 0; i < steps; i++) {
      const j = chance.below(k);
      const kind = chance.below(4);
      const other = kind === 3 ? chance.below(k) : j;
      const [own, foreign] = [step[j], step[other]];
      if (kind < 2) step[j] = Math.min(reach, Math.max(-reach, own + chance.below(5) - 2));
      else if (kind === 2) step[j] = chance.below(2 * reach + 1) - reach;
      else [step[j], step[other]] = [foreign, own];
      place();
      const [next, nextFaults] = costs(cost + threshold);
      if (next - cost > threshold) {
        step[j] = own;
        step[other] = foreign;
        continue;
      }
      cost = next;
      if (cost < best) [best, bestFaults, kept] = [cost, nextFaults, step.slice()];
    }
  }
  kept.forEach((each, j) => (step[j] = each));
  place();
  // Elements without covers are placed on the right, on the layer of an element of similar depth.
  const right = order.reduce((most, v) => Math.max(most, x[v]), x[order[0]]);
  for (let v = 0; v < n; v++) if (!joined[v]) [x[v], y[v]] = [right + APART, Math.min(depth, layers[v])];
  spread(x, y);
  return { x, y, sound: bestFaults === 0 };
}
