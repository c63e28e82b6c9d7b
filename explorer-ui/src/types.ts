// The types of the page's questions and answers.

export interface Measure {
  key: string;
  summary: string;
  direction: "higher" | "lower";
  range: string;
  /** The publication that defines the measure; empty if there is none. */
  reference: string;
  /** The formula in one line. */
  formula: string;
  /** The part of a concept that the score depends on. */
  side: "intent" | "extent" | "both";
  /** The smallest and the largest finite score. */
  low: number;
  high: number;
  /** Finite scores at 201 equally spaced shares of the concepts, ascending. */
  quantiles: number[];
  /** The number of different scores. */
  distinct: number;
  /** The number of scores that are estimates. */
  inexact: number;
}

export interface Meta {
  title: string;
  objects: number;
  /** Whether the names of the objects are known. The folder of a run does not store them. */
  objectNames: boolean;
  attributes: string[];
  concepts: number;
  minSupport: number;
  complete: boolean;
  /** A warning about concepts that are missing; empty if there is none. */
  note: string;
  /** Whether a server can find more concepts. */
  more: boolean;
  measures: Measure[];
  /** The measures that break ties by default. */
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
  /** A smallest set of attributes that selects the same objects. */
  generator: number[];
  why: string;
}

export interface Summary {
  title: string;
  notes: string[];
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
}

/** A rule. `from` is the concept of the premise, `to` the concept of premise and conclusion. */
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
  /** The number of rules, and which were left out. */
  note: string;
  rules: Rule[];
}

/** The bases of rules; the first is the default. */
export const BASES = ["duquenne_guigues", "minimal_non_redundant", "luxenburger"] as const;

/** The concept that a set of attributes generates; -1 if it is not listed. */
export interface Closed {
  id: number;
  intent: number[];
  support: number;
}

export interface Row {
  id: number;
  /** The rank among the concepts that match the query, from 1; ties share a rank. 0 if the concept does not match. */
  rank: number;
  /** The number of concepts with this rank, including this one. */
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
  /** Words of the search that occur in no name. */
  unknown: string[];
}

export interface Cover {
  /** -1 if it is not listed: fewer objects than the least support, or left out. */
  id: number;
  intent: number[];
  support: number;
  /** The attributes by which the two intents differ. */
  difference: number[];
}

export interface Details {
  row: Row;
  /** The names of the first objects. */
  extent: string[];
  relevant: number[];
  generators: number[][];
  /** Whether there are too many generators to list; `generators` is empty then. */
  generatorsCut: boolean;
  upper: Cover[];
  lower: Cover[];
  /** The measures whose score is an estimate. */
  inexact: string[];
}

export type View = "near" | "below" | "above" | "top" | "iceberg";

export interface Part {
  view: View;
  id: number;
  most: number;
}

export interface Node extends Row {
  /** Whether the concept matches the query. */
  matches: boolean;
  /** The first objects that belong to no lower concept of the diagram, and the number of all such objects. */
  own: string[];
  ownCount: number;
}

export interface Suborder {
  nodes: Node[];
  /** Pairs of places in `nodes`, upper and lower. */
  edges: [number, number][];
  /** The number of concepts of the view, drawn or not. */
  found: number;
  /** For an iceberg: the least support in it. */
  support: number;
}

/** A concept in a plot: its number, and its scores by the two measures. */
export type Dot = [number, number, number];

