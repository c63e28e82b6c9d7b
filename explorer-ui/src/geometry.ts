// Tests whether straight lines of a line diagram cross or run through an element. Columns x and layers y are whole numbers.
// cpp/diagram/geometry.hpp has the same functions.

type Numbers = Int32Array;

/** The least number of columns between neighbours on a layer. */
export const APART = 2;
export const CROSSING = 100;
/** The cost of a line that comes nearer than one column to an element that is not one of its ends. */
export const STRUCK = 500;
/** The thresholds of the rounds of a search: a step that costs more is undone. */
export const THRESHOLDS = [300, 220, 160, 120, 90, 70, 50, 40, 30, 20, 10, 5, 0, 0];

/** The random numbers of a generator that the core implements too. */
export class Chance {
  private state = 12345;

  below(most: number): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return (this.state >>> 8) % most;
  }
}

/** Whether the line from a down to b comes nearer than a column to w, on a layer between. */
export function struck(x: Numbers, y: Numbers, w: number, a: number, b: number): boolean {
  const high = y[b] - y[a];
  return Math.abs((x[w] - x[a]) * high - (x[b] - x[a]) * (y[w] - y[a])) < high;
}

/** Whether the lines from a down to b and from c down to d share layers and no end, so that in some columns they cross. */
export function canCross(y: Numbers, a: number, b: number, c: number, d: number): boolean {
  return y[b] > y[c] && y[d] > y[a] && a !== c && b !== d;
}

/** Whether the lines from a down to b and from c down to d cross. */
export function cross(x: Numbers, y: Numbers, a: number, b: number, c: number, d: number): boolean {
  if (!canCross(y, a, b, c, d)) return false;
  const dx = x[b] - x[a];
  const dy = y[b] - y[a];
  const first = dx * (y[c] - y[a]) - dy * (x[c] - x[a]);
  const second = dx * (y[d] - y[a]) - dy * (x[d] - x[a]);
  if (first === 0 || second === 0 || first > 0 === second > 0) return false;
  const ex = x[d] - x[c];
  const ey = y[d] - y[c];
  const third = ex * (y[a] - y[c]) - ey * (x[a] - x[c]);
  const fourth = ex * (y[b] - y[c]) - ey * (x[b] - x[c]);
  return third !== 0 && fourth !== 0 && third > 0 !== fourth > 0;
}

/** The number of pairs of lines that cross. */
export function crossings(x: Numbers, y: Numbers, upper: Numbers, lower: Numbers): number {
  let found = 0;
  for (let e = 0; e < upper.length; e++) {
    for (let f = 0; f < e; f++) if (cross(x, y, upper[e], lower[e], upper[f], lower[f])) found += 1;
  }
  return found;
}

/** Move elements to the right until neighbours on a layer are far enough apart. */
export function spread(x: Numbers, y: Numbers): void {
  const order = Array.from(x, (_, v) => v).sort((v, w) => y[v] - y[w] || x[v] - x[w] || v - w);
  for (let i = 1; i < order.length; i++) {
    const [v, w] = [order[i - 1], order[i]];
    if (y[v] === y[w]) x[w] = Math.max(x[w], x[v] + APART);
  }
}
