// The short list: the patterns that explain the table. Each has a sentence, its share of the objects and their names.

import { clipped, h, percent, plural, whole } from "./dom";
import type { Meta, Pattern, Summary } from "./types";

const ATTRIBUTES = 24;

export interface ShortListEvents {
  pick(id: number): void;
  table(): void;
}

export class ShortList {
  readonly element: HTMLElement;

  constructor(private readonly meta: Meta, private readonly summary: Summary, private readonly events: ShortListEvents) {
    const { title, notes, patterns } = summary;
    this.element = h("div", { class: "cr-short-list", tabindex: 0, role: "region", "aria-label": "short list" },
      h("h2", {}, title),
      ...notes.map((note) => h("p", { class: "cr-hint" }, note.endsWith(".") ? note : `${upper(note)}.`)),
      h("ol", {}, ...patterns.map((pattern, i) => this.entry(pattern, i))),
      h("p", { class: "cr-hint" }, "Each pattern adds information that the patterns above it do not give.",
        patterns.some(isShortened) && " The outlined attributes alone already select the same objects."),
      h("p", {}, h("button", { type: "button", click: () => events.table() }, `Show all ${plural(meta.concepts, "concept")} in a table`)));
  }

  show(selected: number): void {
    for (const card of this.element.querySelectorAll<HTMLElement>("[data-pattern]")) {
      card.toggleAttribute("data-chosen", Number(card.dataset.pattern) === selected && selected >= 0);
    }
  }

  private entry(pattern: Pattern, place: number): HTMLElement {
    const { meta: { attributes, objects }, summary } = this;
    const names = pattern.intent.map((m) => attributes[m]);
    const key = new Set(pattern.generator);
    const before = place > 0 ? summary.patterns[place - 1].explained : 0;
    const share = objects > 0 ? pattern.support / objects : 0;
    const times = pattern.expected > 0 ? pattern.support / pattern.expected : Infinity;
    const sentence = `${plural(pattern.support, "object")} (${percent(share)} of the table) ${pattern.support === 1 ? "has" : "have"} ` +
      `${names.length === 1 ? "this attribute" : `these ${whole(names.length)} attributes`}` +
      (times >= 1.05 ? `: ${times >= 1000 ? "over 1,000" : String(Math.round(times * 10) / 10)} times as many as expected` : "") +
      `${place === 0 ? "" : ` from the pattern${place === 1 ? "" : "s"} above`}.`;
    const bar = h("span", { class: "cr-share", "aria-hidden": "true" }, h("span"));
    (bar.firstChild as HTMLElement).style.width = `${(100 * share).toFixed(1)}%`;
    const body = [
      h("span", { class: "cr-names" }, ...names.slice(0, ATTRIBUTES).map((name, i) =>
        h("bdi", { class: isShortened(pattern) && key.has(pattern.intent[i]) ? "cr-key" : null }, clipped(name, 60))),
        names.length > ATTRIBUTES && h("span", {}, `+${whole(names.length - ATTRIBUTES)}`)),
      h("span", { class: "cr-sentence" }, sentence),
      bar,
      h("span", { class: "cr-facts" }, `${upper(pattern.why)}. It explains ${percent(pattern.explained - before)} of the crosses` +
        `${place === 0 ? "" : `; with the patterns above, ${percent(pattern.explained)}`}.`),
      pattern.extent.length > 0 && h("span", { class: "cr-facts" }, "Objects: ", ...pattern.extent.flatMap((name, i) =>
        [i > 0 ? ", " : "", h("bdi", {}, clipped(name, 40))]), pattern.support > pattern.extent.length ? ", …" : ""),
    ];
    return h("li", {}, pattern.id >= 0
      ? h("button", { type: "button", class: "cr-pattern", "data-pattern": pattern.id, click: () => this.events.pick(pattern.id) }, ...body)
      : h("div", { class: "cr-pattern", title: "not among the concepts of this page" }, ...body));
  }
}

/** Whether some of the attributes of a pattern already select its objects. */
function isShortened({ generator, intent }: Pattern): boolean {
  return generator.length < intent.length;
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
