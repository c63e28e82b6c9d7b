// The ranked table. Only the visible rows are in the document, however many there are.

import { clipped, h, s, shown, whole } from "./dom";
import { scoreAt } from "./scale";
import type { Source } from "./source";
import type { Limits, Measure, Page, Query, Row, SortKey } from "./types";

const ROW = 34;
const BINS = 24;
/** Browsers limit the height of elements. A table with more pixels scrolls on a smaller scale. */
const MOST_PIXELS = 8_000_000;

export interface TableEvents {
  pick(id: number): void;
  /** With `more`, the measure breaks ties of the present order instead. */
  sort(key: string, more: boolean): void;
  limit(key: string, limits: Limits, done: boolean): void;
}

export class Table {
  readonly element: HTMLElement;
  private readonly head: HTMLElement;
  private readonly body: HTMLElement;
  private readonly space: HTMLElement;
  private readonly layer: HTMLElement;
  private readonly note: HTMLElement;
  private query: Query | null = null;
  private columns: Measure[] = [];
  private total = 0;
  private selected = -1;
  /** Whether the pointer is dragging over a histogram. */
  private held = false;

  constructor(private readonly source: Source, private readonly events: TableEvents) {
    this.head = h("div", { class: "cr-row cr-head", role: "row" });
    this.layer = h("div", { class: "cr-rows" });
    this.space = h("div", { class: "cr-space" }, this.layer);
    this.note = h("p", { class: "cr-nothing" });
    this.body = h(
      "div",
      { class: "cr-body", tabindex: 0, role: "rowgroup", "aria-label": "concepts", scroll: () => this.draw(),
        keydown: (event: KeyboardEvent) => this.key(event) },
      this.space,
    );
    this.element = h("div", { class: "cr-table", role: "table", "aria-label": "ranked concepts" },
      this.head, this.note, this.body);
    new ResizeObserver(() => this.draw()).observe(this.body);
  }

  /** Show the rows of a query; returns the first one and the number of rows. */
  show(query: Query, columns: Measure[], selected: number): Page {
    const page = this.source.rows(query, 0, 1);
    this.columns = columns;
    this.selected = selected;
    if (JSON.stringify(query) !== JSON.stringify(this.query)) this.body.scrollTop = 0;
    this.query = query;
    this.total = page.total;
    this.drawHead();
    this.note.textContent = this.total > 0 ? "" : emptyNote(this.source, page);
    this.note.hidden = this.total > 0;
    this.space.style.height = `${Math.min(this.total * ROW, MOST_PIXELS)}px`;
    this.element.setAttribute("aria-rowcount", String(this.total + 1));
    this.draw();
    return page;
  }

  /** Scroll to the selected concept unless it is visible. */
  reveal(): void {
    if (this.selected < 0 || this.query === null) return;
    const place = this.source.place(this.query, this.selected);
    if (place < 0) return;
    const first = this.first();
    const visible = Math.floor(this.body.clientHeight / ROW) - 1;
    if (place < first || place >= first + visible) this.scrollTo(Math.max(0, place - Math.floor(visible / 2)));
  }

  private drawHead(): void {
    const { sort, descending, then, limits } = this.query!;
    const keys: SortKey[] = [[sort, descending], ...then];
    const state = JSON.stringify([keys, limits, this.columns.map(({ key }) => key)]);
    if (this.head.dataset.state === state) return;
    // Don't replace a histogram during a drag.
    if (this.held) return;
    this.head.dataset.state = state;
    const focused = (document.activeElement as HTMLElement | null)?.dataset.sort;
    const cells = this.columns.map((measure) => {
      const { key, summary } = measure;
      const place = keys.findIndex(([name]) => name === key);
      const sign = place < 0 ? "" : `\u00a0${keys[place][1] ? "▾" : "▴"}${keys.length > 1 ? place + 1 : ""}`;
      return h(
        "div",
        { class: "cr-cell cr-score", role: "columnheader", "aria-sort": place === 0 ? (descending ? "descending" : "ascending") : place > 0 ? "other" : "none" },
        h("button", { type: "button", title: `${key}: ${summary}\nShift-click: break ties by this measure`, "data-sort": key,
          click: (event: MouseEvent) => this.events.sort(key, event.shiftKey) },
          // Long names break after an underscore.
          h("span", {}, ...key.split("_").flatMap((part, i) => (i > 0 ? ["_", h("wbr"), part] : [part])), sign)),
        this.histogram(measure, limits[key] ?? [null, null]),
      );
    });
    this.head.replaceChildren(
      h("div", { class: "cr-cell cr-rank", role: "columnheader" }, "rank"),
      h("div", { class: "cr-cell cr-intent", role: "columnheader" }, "intent"),
      ...cells,
    );
    if (focused) this.head.querySelector<HTMLElement>(`[data-sort="${CSS.escape(focused)}"]`)?.focus();
  }

  /** The distribution of a measure. Dragging over it sets limits, a click removes them. */
  private histogram(measure: Measure, [low, high]: Limits): SVGSVGElement {
    const { key, quantiles } = measure;
    const span = measure.high - measure.low;
    const counts = new Array<number>(BINS).fill(0);
    if (span > 0) for (const value of quantiles) counts[Math.min(BINS - 1, Math.floor(((value - measure.low) / span) * BINS))] += 1;
    const most = Math.max(1, ...counts);
    const inside = (bin: number): boolean => {
      const middle = measure.low + ((bin + 0.5) / BINS) * span;
      return (low === null || middle >= low) && (high === null || middle <= high);
    };
    const svg = s("svg", { class: "cr-histogram", viewBox: `0 0 ${BINS} 10`, preserveAspectRatio: "none", "data-histogram": key, "aria-hidden": "true" },
      s("title", {}, `${key} from ${shown(measure.low)} to ${shown(measure.high)}. Drag to filter, click to remove the filter.`),
      ...counts.map((size, bin) => {
        // The square root keeps small bins visible.
        const height = size === 0 ? 0 : 1 + 9 * Math.sqrt(size / most);
        return s("rect", { x: bin + 0.08, y: 10 - height, width: 0.84, height, class: inside(bin) ? "cr-in" : "cr-out" });
      }));
    const share = (event: PointerEvent): number => {
      const box = svg.getBoundingClientRect();
      return (event.clientX - box.left) / box.width;
    };
    let from = 0;
    const limits = (to: number): Limits => [Math.min(from, to), Math.max(from, to)].map((at, end) =>
      (end === 0 ? at <= 0.02 : at >= 0.98) ? null : scoreAt(measure, at)) as Limits;
    svg.addEventListener("pointerdown", (event) => {
      this.held = true;
      from = share(event);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      if (this.held && Math.abs(share(event) - from) > 0.04) this.events.limit(key, limits(share(event)), false);
    });
    svg.addEventListener("pointerup", (event) => {
      this.held = false;
      const to = share(event);
      this.events.limit(key, Math.abs(to - from) > 0.04 ? limits(to) : [null, null], true);
    });
    svg.addEventListener("pointercancel", () => (this.held = false));
    return svg;
  }

  private first(): number {
    const { scrollTop, clientHeight, scrollHeight } = this.body;
    const whole = this.total * ROW;
    if (whole <= MOST_PIXELS) return Math.floor(scrollTop / ROW);
    const share = scrollTop / Math.max(1, scrollHeight - clientHeight);
    return Math.floor((share * (whole - clientHeight)) / ROW);
  }

  private scrollTo(place: number): void {
    const { clientHeight, scrollHeight } = this.body;
    const whole = this.total * ROW;
    this.body.scrollTop =
      whole <= MOST_PIXELS ? place * ROW : ((place * ROW) / (whole - clientHeight)) * (scrollHeight - clientHeight);
    this.draw();
  }

  private draw(): void {
    if (this.query === null) return;
    const first = Math.min(this.first(), Math.max(0, this.total - 1));
    const last = Math.min(this.total, first + Math.ceil(this.body.clientHeight / ROW) + 2);
    const { rows } = this.source.rows(this.query, first, last - first);
    const exact = this.total * ROW <= MOST_PIXELS;
    this.layer.style.transform = `translateY(${exact ? first * ROW : this.body.scrollTop}px)`;
    this.layer.replaceChildren(...rows.map((row, i) => this.row(row, first + i)));
  }

  private row(row: Row, place: number): HTMLElement {
    const { attributes, measures } = this.source.meta;
    const rank = h("div", { class: "cr-cell cr-rank", role: "cell" }, whole(row.rank));
    if (row.tied > 1) {
      rank.append(h("span", { class: "cr-tie", title: `${whole(row.tied)} concepts share this rank` }, `=${whole(row.tied)}`));
    }
    const cells = this.columns.map((measure) => {
      const score = row.scores[measures.indexOf(measure)];
      const { low, high } = measure;
      const share = score === null || !(high > low) ? 0 : Math.min(1, Math.max(0, (score - low) / (high - low)));
      const bar = h("span", { class: "cr-bar" });
      bar.style.width = `${(share * 100).toFixed(1)}%`;
      return h("div", { class: "cr-cell cr-score", role: "cell", title: score === null ? "no score" : String(score) },
        bar, h("span", {}, shown(score)));
    });
    const names = row.intent.slice(0, 40).map((m) => clipped(attributes[m], 60));
    const intent = h("div", { class: "cr-cell cr-intent", role: "cell", dir: "auto" },
      names.length ? names.join(" · ") : "∅ (all objects)");
    if (row.support === 0) {
      intent.classList.add("cr-bottom");
      intent.title = "The bottom of the lattice: no object has all of these attributes. Its scores are conventions.";
    }
    return h(
      "div",
      { class: `cr-row${place % 2 ? " cr-odd" : ""}${row.id === this.selected ? " cr-selected" : ""}`, role: "row", "aria-rowindex": place + 2,
        "data-id": row.id, "data-place": place, "aria-selected": String(row.id === this.selected),
        click: () => this.events.pick(row.id) },
      rank, intent, ...cells,
    );
  }

  private key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.body.clientHeight / ROW) - 1);
    const steps: Record<string, number> = {
      ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity,
    };
    const step = steps[event.key];
    if (step === undefined || this.total === 0 || this.query === null) return;
    event.preventDefault();
    const now = this.selected < 0 ? -1 : this.source.place(this.query, this.selected);
    const place = Math.min(this.total - 1, Math.max(0, now < 0 ? this.first() : now + step));
    this.events.pick(this.source.rows(this.query, place, 1).rows[0].id);
  }
}

function emptyNote(source: Source, page: Page): string {
  if (source.meta.concepts === 0) return "There are no concepts with that many objects.";
  if (page.unknown.length > 0) {
    const [what, why] = source.meta.objectNames ? ["attribute or object", ""] : ["attribute", " The folder of a run does not store the names of objects."];
    return `No ${what} has “${clipped(page.unknown[0], 60)}” in its name.${why}`;
  }
  return "No concept matches these filters.";
}
