// Positions of scores on axes, and search in sorted lists.

import type { Measure, Scale } from "./types";

/** The position of a score on an axis from 0 to 1. */
export function position(measure: Measure, score: number, scale: Scale): number {
  const { low, high, quantiles } = measure;
  if (scale === "values") return high > low ? (score - low) / (high - low) : 0.5;
  const last = quantiles.length - 1;
  const first = lowerBound(quantiles, score);
  const after = upperBound(quantiles, score);
  // Several quantiles may equal the score: it is placed in their middle.
  if (after > first) return (first + after - 1) / 2 / last;
  if (first === 0) return 0;
  if (first > last) return 1;
  const before = quantiles[first - 1];
  return (first - 1 + (score - before) / (quantiles[first] - before)) / last;
}

/** The position of a score among those of all concepts, in words. */
export function standing(measure: Measure, score: number): string {
  if (score === measure.high) return "the highest";
  return `above ${Math.min(99, Math.floor(100 * position(measure, score, "ranks")))}% of the concepts`;
}

/** The score at a position on an axis from 0 to 1. */
export function scoreAt(measure: Measure, at: number, scale: Scale): number {
  const { low, high, quantiles } = measure;
  const share = Math.min(1, Math.max(0, at));
  if (scale === "values") return low + share * (high - low);
  const place = share * (quantiles.length - 1);
  const a = Math.floor(place);
  const b = Math.min(quantiles.length - 1, a + 1);
  return quantiles[a] + (place - a) * (quantiles[b] - quantiles[a]);
}

/** The number of values below `wanted`. */
export function lowerBound(values: ArrayLike<number>, wanted: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of values that are at most `wanted`. */
export function upperBound(values: ArrayLike<number>, wanted: number): number {
  const first = lowerBound(values, wanted);
  let last = first;
  while (last < values.length && values[last] === wanted) last += 1;
  return last;
}
