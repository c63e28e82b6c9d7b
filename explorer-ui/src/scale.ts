// Positions of scores on axes, and search in sorted lists.

import type { Measure } from "./types";

/** The position of a score on an axis from 0 to 1. */
export function position({ low, high }: Measure, score: number): number {
  return high > low ? (score - low) / (high - low) : 0.5;
}

/** The score at a position on an axis from 0 to 1. */
export function scoreAt({ low, high }: Measure, at: number): number {
  return low + Math.min(1, Math.max(0, at)) * (high - low);
}

/** The position of a score among those of all concepts, in words. */
export function standing({ high, quantiles }: Measure, score: number): string {
  if (score === high) return "the highest";
  // Several quantiles may equal the score: it is placed in their middle.
  const place = (lowerBound(quantiles, score) + upperBound(quantiles, score) - 1) / 2;
  return `above ${Math.min(99, Math.floor((100 * Math.max(0, place)) / (quantiles.length - 1)))}% of the concepts`;
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
