// The drawers above the table: columns, saving. Chips show the active filters.

import { button, clipped, download, h, shown } from "./dom";
import type { Source } from "./source";
import type { Limits, Measure, Query } from "./types";

export interface FilterEvents {
  limit(key: string, limits: Limits, done: boolean): void;
  columns(keys: string[]): void;
  search(text: string): void;
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
