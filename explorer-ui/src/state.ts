// `State`: everything that the user has chosen. It is kept in the address, so that links and the Back button restore it.

import { both, parsed } from "./conditions";
import type { Kind } from "./places";
import { BASES, Limits, Meta, Query, SortKey, View } from "./types";

export type Panel = "table" | "concept" | "diagram" | "plot" | "compare";
export type List = "summary" | "table" | "rules";
export type Labels = "reduced" | "full" | "counts" | "none";
export type Theme = "auto" | "light" | "dark";

/** The most sort keys. */
export const MOST_KEYS = 8;
/** The most pinned concepts: more don't fit side by side. */
export const MOST_PINS = 4;

export interface State {
  sort: string;
  descending: boolean;
  then: SortKey[];
  /** The list next to the diagram; empty means the short list if there is one, else the table. */
  list: List | "";
  search: string;
  limits: Record<string, Limits>;
  columns: string[];
  concept: number;
  /** What the diagram draws; empty means the default of `App.view`. */
  view: View | "";
  most: number;
  layout: Kind;
  /** Dragged nodes of the diagram: see `Look.moved`. */
  moved: string;
  labels: Labels;
  colour: string;
  size: string;
  x: string;
  y: string;
  theme: Theme;
  panel: Panel;
  /** Concepts to compare, up to four, by their attributes: their numbers differ between pages of the same table. */
  pins: number[][];
  /** The basis of the rules, the column that sorts them, and the words that filter them. */
  basis: string;
  ruleSort: string;
  ruleSearch: string;
  /** Whether the diagram or plot fills the page. */
  large: boolean;
}

export function initial(meta: Meta): State {
  const keys = meta.measures.map((measure) => measure.key);
  const [first] = keys;
  return {
    sort: first,
    descending: meta.measures[0].direction === "higher",
    then: meta.then.map((key): SortKey => [key, natural(meta, key)]),
    list: "",
    search: "",
    limits: {},
    columns: keys.filter((key, m) => m < 2 || key === "support"),
    concept: -1,
    view: "",
    most: 20,
    layout: "auto",
    moved: "",
    labels: "reduced",
    colour: first,
    size: keys.includes("support") ? "support" : "",
    x: keys.includes("support") && keys.length > 1 ? keys.find((key) => key !== "support" && key !== first) ?? "support" : first,
    y: first,
    theme: "auto",
    panel: "table",
    pins: [],
    basis: BASES[0],
    ruleSort: "",
    ruleSearch: "",
    large: false,
  };
}

/** Whether a measure is sorted from high to low by default. */
export function natural(meta: Meta, key: string): boolean {
  return meta.measures.find((measure) => measure.key === key)?.direction !== "lower";
}

export function queryOf(state: State, meta: Meta): Query {
  const { sort, descending, then } = state;
  const { search, limits } = parsed(state.search, meta);
  return { sort, descending, search, limits: both(state.limits, limits), then };
}

export function encode(state: State, meta: Meta): string {
  const base = initial(meta);
  const params = new URLSearchParams();
  if (state.sort !== base.sort || state.descending !== base.descending) {
    params.set("sort", `${state.descending ? "-" : "+"}${state.sort}`);
  }
  if (JSON.stringify(state.then) !== JSON.stringify(base.then)) {
    params.set("then", state.then.map(([key, descending]) => `${descending ? "-" : "+"}${key}`).join("\n"));
  }
  if (state.search) params.set("search", state.search);
  for (const [key, [low, high]] of Object.entries(state.limits)) {
    if (low !== null) params.append("min", `${low}:${key}`);
    if (high !== null) params.append("max", `${high}:${key}`);
  }
  if (state.columns.join("\n") !== base.columns.join("\n")) params.set("columns", state.columns.join("\n"));
  if (state.concept >= 0) params.set("concept", String(state.concept));
  if (state.most !== base.most) params.set("most", String(state.most));
  for (const intent of state.pins) params.append("pin", intent.join("."));
  if (state.large) params.set("large", "true");
  for (const key of ["list", "view", "layout", "moved", "labels", "colour", "size", "x", "y", "theme", "panel", "basis", "ruleSort", "ruleSearch"] as const) {
    if (state[key] !== base[key]) params.set(key, state[key]);
  }
  return params.toString();
}

/** The state of an address. Invalid parts get their defaults. */
export function decode(hash: string, meta: Meta): State {
  const state = initial(meta);
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const oneOf = <T extends string>(name: string, known: readonly T[], value: T): T =>
    known.find((each) => each === params.get(name)) ?? value;
  const keys = new Set(meta.measures.map((measure) => measure.key));
  const sort = params.get("sort");
  if (sort && keys.has(sort.slice(1))) {
    state.sort = sort.slice(1);
    state.descending = sort[0] !== "+" && sort[0] !== " ";
  }
  const then = params.get("then");
  if (then !== null) {
    state.then = then.split("\n").filter((text) => keys.has(text.slice(1)) && text.slice(1) !== state.sort)
      .map((text): SortKey => [text.slice(1), text[0] !== "+" && text[0] !== " "]).slice(0, MOST_KEYS);
  }
  state.search = params.get("search") ?? "";
  for (const [name, place] of [["min", 0], ["max", 1]] as const) {
    for (const text of params.getAll(name)) {
      const at = text.indexOf(":");
      const [value, key] = [Number(text.slice(0, at)), text.slice(at + 1)];
      if (at < 1 || !keys.has(key) || !Number.isFinite(value)) continue;
      const limits: Limits = state.limits[key] ?? [null, null];
      limits[place] = value;
      state.limits[key] = limits;
    }
  }
  const columns = params.get("columns");
  if (columns !== null) state.columns = columns.split("\n").filter((key) => keys.has(key));
  const concept = Number(params.get("concept") ?? -1);
  if (Number.isInteger(concept) && concept >= 0 && concept < meta.concepts) state.concept = concept;
  state.pins = pinsOf(params.getAll("pin").map((text) => (text === "" ? [] : text.split(".").map(Number))), meta);
  state.basis = oneOf("basis", BASES, BASES[0]);
  state.ruleSort = /^[-+ ](support|confidence|lift|leverage|size)$/.test(params.get("ruleSort") ?? "") ? params.get("ruleSort")!.replace(" ", "+") : "";
  state.ruleSearch = params.get("ruleSearch") ?? "";
  const most = Number(params.get("most") ?? state.most);
  if (Number.isInteger(most) && most >= 1 && most <= 500) state.most = most;
  state.list = oneOf("list", ["", "summary", "table", "rules"], state.list);
  state.view = oneOf("view", ["", "near", "below", "above", "top", "iceberg"], state.view);
  state.layout = oneOf("layout", ["auto", "layered", "additive", "support"], state.layout);
  state.moved = params.get("moved") ?? "";
  state.labels = oneOf("labels", ["reduced", "full", "counts", "none"], state.labels);
  state.theme = oneOf("theme", ["auto", "light", "dark"], state.theme);
  state.panel = oneOf("panel", ["table", "concept", "diagram", "plot", "compare"], state.panel);
  state.large = params.get("large") === "true";
  for (const name of ["colour", "size", "x", "y"] as const) {
    const value = params.get(name);
    if (value !== null && (keys.has(value) || (value === "" && name === "size"))) state[name] = value;
  }
  return state;
}

/** The valid pins: known attributes only, no pin twice, at most `MOST_PINS`. */
function pinsOf(given: number[][], meta: Meta): number[][] {
  const pins = new Map<string, number[]>();
  for (const intent of given) {
    const fits = intent.every((m) => Number.isInteger(m) && m >= 0 && m < meta.attributes.length);
    const sorted = [...new Set(intent)].sort((a, b) => a - b);
    if (fits) pins.set(sorted.join("."), sorted);
  }
  return [...pins.values()].slice(0, MOST_PINS);
}

/** The history of states: the browser's history, or a list in a notebook. */
export interface Trail {
  read(): string;
  write(text: string, step: boolean): void;
  back(): void;
  forward(): void;
  listen(changed: () => void): void;
}

export class AddressTrail implements Trail {
  read(): string {
    return window.location.hash;
  }

  write(text: string, step: boolean): void {
    const url = `${window.location.pathname}${window.location.search}#${text}`;
    if (step) window.history.pushState(null, "", url);
    else window.history.replaceState(null, "", url);
  }

  back(): void {
    window.history.back();
  }

  forward(): void {
    window.history.forward();
  }

  listen(changed: () => void): void {
    window.addEventListener("popstate", changed);
  }
}

/** The history in a notebook, whose address must not change. */
export class ListTrail implements Trail {
  private texts = [""];
  private at = 0;
  private changed: () => void = () => undefined;

  read(): string {
    return this.texts[this.at];
  }

  write(text: string, step: boolean): void {
    if (step) this.texts = [...this.texts.slice(0, ++this.at), text];
    else this.texts[this.at] = text;
  }

  back(): void {
    this.go(-1);
  }

  forward(): void {
    this.go(1);
  }

  listen(changed: () => void): void {
    this.changed = changed;
  }

  private go(step: number): void {
    if (this.at + step < 0 || this.at + step >= this.texts.length) return;
    this.at += step;
    this.changed();
  }
}
