// The short list: the patterns that explain the table, each with a sentence, its share and its objects.

import { clipped, h, plural, whole } from "./dom";
import type { Meta, Pattern, Summary } from "./source";

const ATTRIBUTES = 24;

export interface ShortListEvents {
  pick(id: number): void;
  table(): void;
}

export class ShortList {
  readonly element = h("div", { class: "cr-short-list", tabindex: 0, role: "region", "aria-label": "short list" },
    h("p", { class: "cr-hint" }, "Looking for the patterns that explain the table …"));
  private summary: Summary | null = null;

  constructor(private readonly meta: Meta, private readonly events: ShortListEvents) {}

  show(summary: Summary, selected: number): void {
    if (summary !== this.summary) {
      this.summary = summary;
      this.element.replaceChildren(
        h("h2", {}, summary.title),
        ...summary.notes.map((note) => h("p", { class: "cr-hint" }, note.endsWith(".") ? note : `${upper(note)}.`)),
        h("ol", {}, ...summary.patterns.map((pattern, i) => this.entry(pattern, i, summary))),
        h("p", { class: "cr-hint" }, "The list is chosen so that each pattern tells what the ones before it don't. ",
          h("button", { type: "button", click: () => this.events.table() }, `all ${plural(this.meta.concepts, "concept")} by rank`)));
    }
    for (const card of this.element.querySelectorAll<HTMLElement>("[data-pattern]")) {
      card.toggleAttribute("data-chosen", Number(card.dataset.pattern) === selected && selected >= 0);
    }
  }

  private entry(pattern: Pattern, place: number, summary: Summary): HTMLElement {
    const { attributes, objects } = this.meta;
    const names = pattern.intent.map((m) => attributes[m]);
    const known = new Set(pattern.generator);
    const before = place > 0 ? summary.patterns[place - 1].explained : 0;
    const share = objects > 0 ? (100 * pattern.support) / objects : 0;
    const times = pattern.expected > 0 ? pattern.support / pattern.expected : Infinity;
    const sentence = `${plural(pattern.support, "object")} (${percent(share)} of the table) ${pattern.support === 1 ? "has" : "have"} ` +
      `${names.length === 1 ? "this attribute" : `these ${whole(names.length)} attributes`}` +
      (times >= 1.05 ? `: ${times >= 1000 ? "over 1,000" : String(Math.round(times * 10) / 10)} times as many as expected` : "") +
      `${place === 0 ? "" : `, given the pattern${place === 1 ? "" : "s"} before`}.`;
    const bar = h("span", { class: "cr-share", "aria-hidden": "true" }, h("span"));
    (bar.firstChild as HTMLElement).style.width = `${share.toFixed(1)}%`;
    const body = [
      h("span", { class: "cr-names" }, ...names.slice(0, ATTRIBUTES).map((name, i) =>
        h("bdi", { class: known.has(pattern.intent[i]) && known.size < names.length ? "cr-key" : null }, clipped(name, 60))),
        names.length > ATTRIBUTES && h("span", {}, `+${whole(names.length - ATTRIBUTES)}`)),
      h("span", { class: "cr-sentence" }, sentence),
      bar,
      h("span", { class: "cr-facts" }, `${upper(pattern.why)}. It explains ${percent(100 * (pattern.explained - before))} more of the crosses, ` +
        `${percent(100 * pattern.explained)} so far.`),
      pattern.extent.length > 0 && h("span", { class: "cr-facts" }, "Objects: ", ...pattern.extent.flatMap((name, i) =>
        [i > 0 ? ", " : "", h("bdi", {}, clipped(name, 40))]), pattern.support > pattern.extent.length ? ", …" : ""),
    ];
    return h("li", {}, pattern.id >= 0
      ? h("button", { type: "button", class: "cr-pattern", "data-pattern": pattern.id, click: () => this.events.pick(pattern.id) }, ...body)
      : h("div", { class: "cr-pattern", title: "not among the concepts of this page" }, ...body));
  }
}

function percent(value: number): string {
  return value > 0 && value < 0.1 ? "under 0.1 %" : `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)} %`;
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
