// What the page asks for, whoever answers: the data in the page itself, or a server.

export interface Measure {
  key: string;
  summary: string;
  direction: "higher" | "lower";
  range: string;
  /** The publication that it comes from; empty if there is none. */
  reference: string;
  /** What it computes, in a line. */
  formula: string;
  /** The side of a concept that it depends on. */
  side: "intent" | "extent" | "both";
  /** The smallest and the largest finite score. */
  low: number;
  high: number;
  /** Finite scores at 201 equally spaced shares of the concepts, ascending. */
  quantiles: number[];
  /** How many different scores there are. */
  distinct: number;
  /** How many scores are not exact. */
  inexact: number;
}

export interface Meta {
  title: string;
  objects: number;
  /** Whether their names are known; where concepts come from a folder they are not. */
  objectNames: boolean;
  attributes: string[];
  concepts: number;
  minSupport: number;
  complete: boolean;
  /** What to say about concepts that are not here; empty if nothing. */
  note: string;
  /** Whether the server can find more. */
  more: boolean;
  measures: Measure[];
  /** The measures that break ties at first. */
  then: string[];
}

/** An entry of the short list. */
export interface Pattern {
  /** -1 if the concept is not listed. */
  id: number;
  intent: number[];
  support: number;
  /** The names of the first objects. */
  extent: string[];
  expected: number;
  gain: number;
  /** The share of the crosses that this pattern and those before it cover. */
  explained: number;
  /** A smallest set of attributes that has the same objects. */
  generator: number[];
  why: string;
}

export interface Summary {
  title: string;
  notes: string[];
  unit: string;
  patterns: Pattern[];
}

/** A measure, and whether large scores come first. */
export type SortKey = [string, boolean];

/** A lower and an upper limit; null where there is none. */
export type Limits = [number | null, number | null];

export interface Query {
  sort: string;
  descending: boolean;
  search: string;
  limits: Record<string, Limits>;
  /** The keys that break ties, in this order. */
  then: SortKey[];
  /** Whether concepts that share most objects with one before them are left out. */
  diverse: boolean;
}

/** A rule, with the places of the concepts that it comes from and leads to. */
export interface Rule {
  from: number;
  to: number;
  premise: number[];
  conclusion: number[];
  support: number;
  confidence: number;
  lift: number | null;
  leverage: number | null;
}

export interface RuleList {
  basis: string;
  title: string;
  summary: string;
  reference: string;
  /** How many there are, and what was left out. */
  note: string;
  rules: Rule[];
}

/** The bases, the one to begin with first. */
export const BASES = ["duquenne_guigues", "minimal_non_redundant", "luxenburger"] as const;

/** The concept that a set of attributes generates; -1 if it is not listed. */
export interface Closed {
  id: number;
  intent: number[];
  support: number;
}

export interface Row {
  id: number;
  /** The rank among the concepts that meet the query, from 1; ties share it. 0 if it doesn't meet the query. */
  rank: number;
  /** How many of these concepts have the rank, this one included. */
  tied: number;
  /** Attribute numbers. */
  intent: number[];
  support: number;
  /** In the order of the measures; null where there is no number. */
  scores: (number | null)[];
}

export interface Page {
  total: number;
  rows: Row[];
  /** Words of the search that no name has. */
  unknown: string[];
}

export interface Cover {
  /** -1 if it is not listed: fewer objects than the least support, or left out. */
  id: number;
  intent: number[];
  support: number;
  /** The attributes that make the difference. */
  difference: number[];
}

export interface Details {
  row: Row;
  /** The names of the first objects. */
  extent: string[];
  relevant: number[];
  generators: number[][];
  /** Whether there are too many generators to list; then there are none here. */
  generatorsCut: boolean;
  upper: Cover[];
  lower: Cover[];
  /** The measures whose score is not exact. */
  inexact: string[];
}

export type View = "near" | "below" | "above" | "top" | "iceberg";

export interface Part {
  view: View;
  id: number;
  most: number;
}

export interface Node extends Row {
  /** Whether the query holds for it. */
  matches: boolean;
  /** The first objects that no concept below it in the diagram has, and how many these are. */
  own: string[];
  ownCount: number;
}

export interface Suborder {
  nodes: Node[];
  /** Pairs of places in `nodes`, upper and lower. */
  edges: [number, number][];
  /** How many concepts the view has altogether. */
  found: number;
  /** For an iceberg: the least support in it. */
  support: number;
}

export interface Cloud {
  total: number;
  /** Identifier and two scores each, if they are few. */
  points: [number, number, number][] | null;
  /** Otherwise how many lie in each cell of a grid, row by row from the smallest scores. */
  grid: number[] | null;
  columns: number;
  rows: number;
}

/** A diverse table has so many rows at most, and looks at so many concepts for them. */
export const MOST_DIVERSE = 100;
export const MOST_LOOKED_AT = 3000;

export type Scale = "values" | "ranks";

export interface Source {
  meta: Meta;
  summary(): Promise<Summary>;
  /** Let the server find more concepts; the page has to be loaded again. */
  extend(): Promise<void>;
  rows(query: Query, offset: number, limit: number): Promise<Page>;
  place(query: Query, id: number): Promise<number>;
  details(id: number, objects: number): Promise<Details>;
  suborder(query: Query, part: Part): Promise<Suborder>;
  /** How many concepts of a query have each attribute. */
  facets(query: Query): Promise<number[]>;
  cloud(query: Query, x: string, y: string, scale: Scale): Promise<Cloud>;
  rules(basis: string): Promise<RuleList>;
  closed(sets: number[][]): Promise<Closed[]>;
  csv(query: Query, columns: string[], extents: boolean): Promise<Blob>;
  /** The same as a Parquet file; null if there is nobody who writes one. */
  parquet: ((query: Query, columns: string[], extents: boolean) => Promise<Blob>) | null;
}

/** Where a score lies on an axis from 0 to 1. */
export function position(measure: Measure, score: number, scale: Scale): number {
  const { low, high, quantiles } = measure;
  if (scale === "values") return high > low ? (score - low) / (high - low) : 0.5;
  const last = quantiles.length - 1;
  let a = 0;
  let b = last;
  // The first and the last quantile that equal the score: ties lie in the middle.
  const first = lowerBound(quantiles, score);
  const after = upperBound(quantiles, score);
  if (after > first) {
    a = first;
    b = after - 1;
    return (a + b) / 2 / last;
  }
  if (first === 0) return 0;
  if (first > last) return 1;
  a = first - 1;
  b = first;
  return (a + (score - quantiles[a]) / (quantiles[b] - quantiles[a])) / last;
}

/** Where a score lies among those of all concepts, in words. */
export function standing(measure: Measure, score: number): string {
  if (score === measure.high) return "the highest";
  return `above ${Math.min(99, Math.floor(100 * position(measure, score, "ranks")))} % of the concepts`;
}

/** The score at a place on an axis from 0 to 1. */
export function scoreAt(measure: Measure, at: number, scale: Scale): number {
  const { low, high, quantiles } = measure;
  const share = Math.min(1, Math.max(0, at));
  if (scale === "values") return low + share * (high - low);
  const place = share * (quantiles.length - 1);
  const a = Math.floor(place);
  const b = Math.min(quantiles.length - 1, a + 1);
  return quantiles[a] + (place - a) * (quantiles[b] - quantiles[a]);
}

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

export function upperBound(values: ArrayLike<number>, wanted: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] <= wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
