// The workbench: up to four pinned concepts side by side, and their join and meet.

import { button, clipped, h, percent, plural, shown, whole } from "./dom";
import { standing } from "./scale";
import type { Source } from "./source";
import type { Closed, Details } from "./types";

const OBJECTS = 5000;
const SHOWN = 30;

export interface CompareEvents {
  pick(id: number): void;
  change(pins: number[][]): void;
}

interface Pinned {
  /** Null if the concept is not among those of the page. */
  details: Details | null;
  closed: Closed;
}

export class Compare {
  readonly element = h("div", { class: "cr-compare", tabindex: 0, role: "region", "aria-label": "pinned concepts" });
  private pins: number[][] = [];
  private shown = "";

  constructor(private readonly source: Source, private readonly events: CompareEvents) {}

  show(pins: number[][]): void {
    this.pins = pins;
    const key = pins.map((intent) => intent.join(".")).join(" ");
    if (key === this.shown && this.element.childElementCount > 0) return;
    this.shown = key;
    if (pins.length === 0) {
      this.element.replaceChildren(h("p", { class: "cr-hint" }, "Pin up to four concepts to compare them side by side. The “pin” button is next to a concept's title."));
      return;
    }
    const union = [...new Set(pins.flat())];
    const common = pins[0].filter((m) => pins.every((intent) => intent.includes(m)));
    const [join, meet, ...closed] = this.source.closed([common, union, ...pins]);
    const all = closed.map((one): Pinned => ({ closed: one, details: one.id < 0 ? null : this.source.details(one.id, OBJECTS) }));
    this.draw(all, join, meet);
  }

  private draw(all: Pinned[], join: Closed, meet: Closed): void {
    const { meta } = this.source;
    const name = (m: number): string => clipped(meta.attributes[m], 60);
    const title = (intent: number[]): string => clipped(intent.length ? intent.map(name).join(" · ") : "∅ (all objects)", 90);
    const common = join.intent;
    const named = meta.objectNames && all.every(({ details }) => details !== null && details.row.support <= OBJECTS);
    const sets = all.map(({ details }) => new Set(details?.extent ?? []));
    const shared = named ? [...sets[0]].filter((object) => sets.every((set) => set.has(object))) : [];
    const list = (names: string[], total: number): HTMLElement => h("span", {}, ...names.slice(0, SHOWN).flatMap((each, i) =>
      [i > 0 ? ", " : "", h("bdi", {}, clipped(each, 60))]), total > SHOWN ? `, … (${whole(total)})` : "", total === 0 ? "–" : "");
    const share = (support: number): string => `${whole(support)}${meta.objects ? ` (${percent(support / meta.objects)})` : ""}`;
    const rows: [string, (Element | string)[]][] = [
      ["objects", all.map(({ closed }) => share(closed.support))],
      ["attributes", all.map(({ closed }) => whole(closed.intent.length))],
      ["attributes not shared by all", all.map(({ closed }) => {
        const own = closed.intent.filter((m) => !common.includes(m));
        return list(own.map(name), own.length);
      })],
    ];
    if (named) {
      rows.push(["objects not shared by all", sets.map((set) => {
        const own = [...set].filter((object) => !shared.includes(object));
        return h("span", {}, h("strong", {}, `${whole(own.length)}: `), list(own, own.length));
      })]);
    }
    meta.measures.forEach((measure, m) => rows.push([measure.key, all.map(({ details }) => {
      const score = details?.row.scores[m] ?? null;
      if (score === null || !Number.isFinite(score)) return shown(score);
      return `${shown(score)} · ${standing(measure, score)}`;
    })]));
    const heading = ({ closed }: Pinned, i: number): HTMLElement => h("th", { scope: "col" },
      h("span", { class: "cr-pinned" },
        h("button", { type: "button", disabled: closed.id < 0, title: closed.id < 0 ? "not among the concepts of this page" : "Show this concept", click: () => this.events.pick(closed.id) }, title(closed.intent)),
        button("Unpin this concept", "×", () => this.events.change(this.pins.filter((_, j) => j !== i)), { "data-unpin": i })));
    const table = h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "concept"), ...all.map(heading))),
      h("tbody", {}, ...rows.map(([head, cells]) => h("tr", {}, h("th", { scope: "row" }, head), ...cells.map((cell) => h("td", {}, cell))))));
    const bound = (kind: string, hint: string, one: Closed): HTMLElement => h("p", {}, h("strong", {}, `${kind}: `),
      h("button", { type: "button", "data-bound": kind.toLowerCase(), disabled: one.id < 0, title: one.id < 0 ? "not among the concepts of this page" : hint, click: () => this.events.pick(one.id) },
        `${title(one.intent)} (${plural(one.support, "object")})`));
    this.element.replaceChildren(
      h("p", {}, h("strong", {}, `${plural(common.length, "attribute")} in common: `), list(common.map(name), common.length),
        ...(named ? [h("br"), h("strong", {}, `${plural(shared.length, "object")} in common: `), list(shared, shared.length)] : [])),
      ...(all.length > 1 ? [bound("Join", "the smallest concept above all of them", join), bound("Meet", "the largest concept below all of them", meet)] : []),
      h("div", { class: "cr-wide" }, table));
  }
}
