// The drawers above the table: thresholds, columns, attributes, saving. Chips show the active filters.

import { button, clipped, download, h, shown, whole } from "./dom";
import { termFor } from "./search";
import type { Source } from "./source";
import type { Limits, Measure, Query } from "./types";

const STEPS = 200;

export interface FilterEvents {
  /** `done` is false while a slider is still held. */
  limit(key: string, limits: Limits, done: boolean): void;
  columns(keys: string[]): void;
  search(text: string): void;
}

/** One row per measure: lower limit, upper limit, and two sliders on a scale of shares of the concepts. */
export function thresholds(measures: Measure[], limits: Record<string, Limits>, events: FilterEvents): HTMLElement {
  return h("div", { class: "cr-thresholds", role: "group", "aria-label": "thresholds" }, ...measures.map((measure) => {
    const { key, quantiles, low, high } = measure;
    const now: Limits = [...(limits[key] ?? [null, null])];
    const last = quantiles.length - 1;
    const inputs = ([0, 1] as const).map((end) => {
      const number = h("input", {
        type: "number", step: "any", placeholder: shown(end === 0 ? low : high),
        "aria-label": `${end === 0 ? "least" : "greatest"} ${key}`, "data-limit": `${end === 0 ? "min" : "max"} ${key}`,
        change: () => {
          const value = number.valueAsNumber;
          now[end] = Number.isFinite(value) ? value : null;
          slider.value = String(placeOf(now[end], end));
          events.limit(key, [...now], true);
        },
      });
      if (now[end] !== null) number.value = String(now[end]);
      const read = (done: boolean): void => {
        const place = Math.round((slider.valueAsNumber / STEPS) * last);
        const atEnd = end === 0 ? place === 0 : place === last;
        now[end] = atEnd ? null : quantiles[place];
        number.value = now[end] === null ? "" : String(now[end]);
        events.limit(key, [...now], done);
      };
      let keys = false;
      const slider = h("input", {
        type: "range", min: 0, max: STEPS, "aria-label": `${end === 0 ? "least" : "greatest"} ${key}, by share of the concepts`,
        // Presses of arrow keys in a row are one step of the history, as a drag is.
        keydown: () => (keys = true), pointerdown: () => (keys = false),
        input: () => read(false), change: () => read(!keys),
      });
      const placeOf = (value: number | null, side: 0 | 1): number => {
        if (value === null) return side === 0 ? 0 : STEPS;
        const place = quantiles.findIndex((quantile) => quantile >= value);
        return Math.round(((place < 0 ? last : place) / last) * STEPS);
      };
      slider.value = String(placeOf(now[end], end));
      return { number, slider };
    });
    return h("div", { class: "cr-threshold" },
      h("span", { class: "cr-clip", title: measure.summary }, key),
      inputs[0].number, h("span", { class: "cr-sliders" }, inputs[0].slider, inputs[1].slider), inputs[1].number);
  }));
}

export function columns(measures: Measure[], chosen: string[], events: FilterEvents): HTMLElement {
  const boxes = measures.map(({ key, summary }) => {
    const box = h("input", { type: "checkbox", value: key, checked: chosen.includes(key), change: () =>
      events.columns(measures.filter((_, m) => boxes[m].checked).map((measure) => measure.key)) });
    return Object.assign(box, { summary });
  });
  return h("div", { class: "cr-columns", role: "group", "aria-label": "columns" }, ...boxes.map((box) =>
    h("label", { title: box.summary }, box, h("span", {}, box.value))));
}

/** A button that saves the rows of the table as CSV, optionally with the objects. */
export function saving(source: Source, asked: () => [Query, string[]]): HTMLElement {
  const extents = h("input", { type: "checkbox", "data-extents": true });
  return h("div", { class: "cr-columns", role: "group", "aria-label": "save" },
    button("Save the table as CSV", "CSV", () => download(source.csv(...asked(), extents.checked), "concepts.csv"), { "data-csv": true }),
    source.meta.objectNames && h("label", {}, extents, h("span", {}, "with the objects of each concept")));
}

const MOST_FACETS = 60;

/** The attributes in the search and the most frequent others, each with buttons that add it to the search. */
export function facets(names: string[], counts: number[], search: string, change: (search: string) => void): HTMLElement[] {
  const terms = (m: number): [string, string] => [termFor(names[m], "attribute"), `-${termFor(names[m], "attribute")}`];
  const chosen = (m: number): string => {
    const [within, without] = terms(m);
    return search.includes(without) ? "without" : search.includes(within) ? "with" : "any";
  };
  const order = names.map((_, m) => m).sort((a, b) => Number(chosen(b) !== "any") - Number(chosen(a) !== "any") || counts[b] - counts[a] || a - b);
  return order.slice(0, MOST_FACETS).map((m) => {
    const [within, without] = terms(m);
    const now = chosen(m);
    const rest = search.replace(without, " ").replace(within, " ").replace(/\s+/g, " ").trim();
    const set = (kind: "with" | "without", term: string): HTMLElement => h("button", {
      type: "button", "aria-pressed": String(now === kind), "aria-label": `only ${kind} ${clipped(names[m], 60)}`, "data-facet": `${kind} ${m}`,
      click: () => change(now === kind ? rest : `${rest} ${term}`.trim()),
    }, kind);
    return h("li", {}, h("bdi", { class: "cr-clip", title: clipped(names[m], 300) }, clipped(names[m], 80)),
      h("span", { class: "cr-count" }, whole(counts[m])), set("with", within), set("without", without));
  });
}

/** The active filters, each with a button that removes it. */
export function chips(limits: Record<string, Limits>, search: string, events: FilterEvents): HTMLElement[] {
  const found = Object.entries(limits).filter(([, [low, high]]) => low !== null || high !== null).map(([key, [low, high]]) => {
    const text = low !== null && high !== null ? `${shown(low)} ≤ ${key} ≤ ${shown(high)}`
      : low !== null ? `${key} ≥ ${shown(low)}` : `${key} ≤ ${shown(high)}`;
    return h("span", { class: "cr-filter" }, text, button(`Remove the limit on ${key}`, "×", () => events.limit(key, [null, null], true)));
  });
  if (search.trim() !== "") {
    found.push(h("span", { class: "cr-filter" }, h("span", { class: "cr-clip", dir: "auto" }, clipped(`search: ${search}`, 200)),
      button("Clear the search", "×", () => events.search(""))));
  }
  return found;
}
