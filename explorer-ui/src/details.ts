// The panel of one concept: its attributes, objects, covers and minimal generators, and the reasons for its scores.

import { button, clipped, h, percent, plural, shown, whole } from "./dom";
import { standing } from "./scale";
import type { Source } from "./source";
import type { Cover, Details, Measure, Query } from "./types";

const OBJECTS = 24;
const SHOWN_COVERS = 24;
const SHOWN_GENERATORS = 24;

export interface DetailEvents {
  pick(id: number): void;
  search(name: string, side: "attribute" | "object"): void;
  diagram(view: "near" | "below" | "above"): void;
  pin(intent: number[]): void;
  pinned(intent: number[]): boolean;
}

export class DetailPanel {
  readonly element = h("div", { class: "cr-details", tabindex: 0, "aria-label": "the concept", "aria-live": "polite" });
  private readonly standing = h("p", { class: "cr-standing" });
  private shownId = -2;
  private intent: number[] = [];

  constructor(private readonly source: Source, private readonly events: DetailEvents) {}

  show(id: number, query: Query): void {
    const pin = this.element.querySelector("[data-pin]");
    if (pin) pin.setAttribute("aria-pressed", String(this.events.pinned(this.intent)));
    if (id === this.shownId) {
      if (id >= 0) this.standing.textContent = this.where(id, query);
      return;
    }
    this.shownId = id;
    if (id < 0) {
      this.element.replaceChildren(h("div", { class: "cr-hint" }, this.source.meta.concepts === 0 ? h("p", {}, "There are no concepts to show.") : null,
        this.source.meta.concepts > 0 && h("p", {}, "Pick a concept in the table, the diagram or the plot."),
        this.source.meta.concepts > 0 && h("p", {}, "This panel then shows its attributes and objects, its neighbours above and below, and the reasons for its scores.")));
      return;
    }
    this.draw(this.source.details(id, OBJECTS));
    this.element.scrollTop = 0;
    this.standing.textContent = this.where(id, query);
  }

  /** The place of a concept in the table. */
  private where(id: number, query: Query): string {
    const place = this.source.place(query, id);
    if (place < 0) return "It is not in the table: a filter excludes it.";
    const { rows: [row], total } = this.source.rows(query, place, 1);
    const ties = row.tied > 1 ? ` ${whole(row.tied)} concepts tie; the larger support, then the order of the attributes decides.` : "";
    const bottom = row.support === 0 ? " No object has all of its attributes: it is the bottom of the lattice, and its scores are conventions." : "";
    return `Place ${whole(place + 1)} of ${whole(total)} by ${[query.sort, ...query.then.map(([key]) => key)].join(", then ")}.${ties}${bottom}`;
  }

  private draw(details: Details): void {
    const { row, relevant } = details;
    const { objects } = this.source.meta;
    this.intent = row.intent;
    const share = objects > 0 ? ` (${percent(row.support / objects)})` : "";
    this.element.replaceChildren(
      h("header", { class: "cr-title" },
        h("h2", {}, `Concept of ${plural(row.support, "object")}${share}, ${plural(row.intent.length, "attribute")}`),
        h("span", { class: "cr-actions" },
          button("Draw this concept with its covers", "neighbourhood", () => this.events.diagram("near")),
          button("Draw the concepts above it: its filter", "above", () => this.events.diagram("above")),
          button("Draw the concepts below it: its ideal", "below", () => this.events.diagram("below")),
          button("Pin or unpin this concept for the comparison", "pin", () => this.events.pin(row.intent),
            { "data-pin": true, "aria-pressed": String(this.events.pinned(row.intent)) }))),
      this.standing,
      h("div", { class: "cr-sections" },
        h("div", {},
          section("Intent", "the attributes that all of its objects share",
            row.intent.length === 0 ? h("p", { class: "cr-none" }, "No attribute is shared by all of these objects.")
              : h("ul", { class: "cr-chips" }, ...row.intent.map((m) => this.attribute(m, relevant.includes(m)))),
            relevant.length > 0 && h("p", { class: "cr-legend" }, "● relevant: dropping this attribute adds objects")),
          this.extent(details),
          this.why(details)),
        h("div", {},
          this.covers("More general", "upper covers: attributes to drop, and the number of objects then", details.upper, "−"),
          this.covers("More specific", "lower covers: attributes to add, and the number of objects left", details.lower, "+"),
          this.scores(details))),
    );
  }

  private attribute(m: number, relevant: boolean): HTMLElement {
    const name = this.source.meta.attributes[m];
    const label = relevant ? "relevant attribute" : "attribute";
    return chip(name, `${label}: search for it`, relevant ? "cr-relevant" : "", () => this.events.search(name, "attribute"));
  }

  private extent(details: Details): HTMLElement {
    const { row } = details;
    const list = h("ul", { class: "cr-chips" });
    const fill = (names: string[]): void => {
      list.replaceChildren(...names.map((name) =>
        chip(name, "search for the concepts of this object", "cr-object", () => this.events.search(name, "object"))));
    };
    if (!this.source.meta.objectNames) {
      return section("Extent", plural(row.support, "object"),
        h("p", { class: "cr-none" }, "The folder of a run does not store the names of objects."));
    }
    fill(details.extent);
    const more = row.support - details.extent.length;
    const wanted = Math.min(row.support, 5000);
    const rest = more > 0 && button("Show more objects", `show ${wanted < row.support ? "the first " : "all "}${whole(wanted)}`, (event) => {
      fill(this.source.details(row.id, wanted).extent);
      (event.target as HTMLElement).remove();
    }, { class: "cr-more" });
    return section("Extent", plural(row.support, "object"),
      row.support === 0 ? h("p", { class: "cr-none" }, "No object has all of these attributes.") : list, rest);
  }

  private why(details: Details): HTMLElement {
    const { row, relevant, generators, generatorsCut } = details;
    const { attributes, measures } = this.source.meta;
    const name = (m: number): string => clipped(attributes[m], 40);
    const n = row.intent.length;
    const relevance = measures.findIndex(({ key }) => ["cr", "conceptual_relevance"].includes(key));
    const lead = relevance >= 0 && row.scores[relevance] !== null
      ? `Its Conceptual Relevance is ${shown(row.scores[relevance])}: the mean of α and β. ` : "";
    const alpha = n === 0 ? "With no attribute, α is 0."
      : `α: ${whole(relevant.length)} of ${plural(n, "attribute")} ${relevant.length === 1 ? "is" : "are"} relevant` +
        (relevant.length ? ` (${clipped(relevant.map(name).join(", "), 300)}).` : ": dropping any one of them keeps the objects.");
    const subsets = n > 1 ? ` of ${n < 50 ? whole(2 ** n - 2) : `2^${n} − 2`} proper, non-empty subsets of the intent` : "";
    const beta = generatorsCut ? "β: too many minimal generators to list."
      : `β: ${plural(generators.length, "minimal generator")}${subsets}. ` +
        "Each is a smallest set of attributes that selects exactly these objects:";
    const list = h("ul", { class: "cr-generators" }, ...generators.slice(0, SHOWN_GENERATORS).map((set) =>
      h("li", { dir: "auto" }, set.length ? set.map(name).join(", ") : "∅: no attribute is needed")));
    const left = generators.length - SHOWN_GENERATORS;
    return section("Why it matters", "relevance and minimal generators",
      h("p", {}, lead, alpha), h("p", {}, beta), list,
      left > 0 && button("Show more generators", `${whole(left)} more`, (event) => {
        for (const set of generators.slice(SHOWN_GENERATORS)) list.append(h("li", { dir: "auto" }, set.map(name).join(", ")));
        (event.target as HTMLElement).remove();
      }, { class: "cr-more" }));
  }

  private covers(title: string, hint: string, covers: Cover[], sign: string): HTMLElement {
    const { attributes } = this.source.meta;
    const list = h("ul", { class: "cr-covers" });
    const fill = (some: Cover[]): void => {
      for (const cover of some) {
        const text = `${sign} ${cover.difference.map((m) => clipped(attributes[m], 40)).join(", ")}`;
        const reason = `not listed: fewer objects than the least support${this.source.meta.complete ? "" : ", or not among the concepts found"}`;
        const body = [h("span", { class: "cr-clip", dir: "auto" }, clipped(text, 200)), h("span", { class: "cr-count" }, whole(cover.support))];
        list.append(h("li", {}, cover.id >= 0
          ? h("button", { type: "button", "data-cover": cover.id, title: clipped(text, 400), click: () => this.events.pick(cover.id) }, ...body)
          : h("span", { class: "cr-unlisted", title: reason }, ...body)));
      }
    };
    fill(covers.slice(0, SHOWN_COVERS));
    const left = covers.length - SHOWN_COVERS;
    return section(`${title} (${whole(covers.length)})`, hint,
      covers.length === 0 ? h("p", { class: "cr-none" }, sign === "−" ? "None: it is the top of the lattice." : "None: it is the bottom of the lattice.") : list,
      left > 0 && button("Show more covers", `${whole(left)} more`, (event) => {
        fill(covers.slice(SHOWN_COVERS));
        (event.target as HTMLElement).remove();
      }, { class: "cr-more" }));
  }

  private scores(details: Details): HTMLElement {
    const rows = this.source.meta.measures.map((measure, m) => {
      const inexact = details.inexact.includes(measure.key);
      return h("tr", {}, h("th", { scope: "row", title: measure.key }, h("span", { class: "cr-clip" }, measure.key)),
        h("td", { class: "cr-number", title: String(details.row.scores[m] ?? "no score") }, `${inexact ? "≈ " : ""}${shown(details.row.scores[m])}`),
        h("td", {}, h("details", {}, h("summary", {}, `${measure.summary}${inexact ? " (estimated: exact counting exceeded its budget)" : ""}`),
          ...card(measure, details.row.scores[m]))));
    });
    return section("Scores", "with the definition of each measure", h("table", { class: "cr-scores" }, h("tbody", {}, ...rows)));
  }
}

/** Definition and range of a measure, and the standing of the score. */
function card(measure: Measure, score: number | null): HTMLElement[] {
  const { low, high, direction, range, reference, distinct } = measure;
  const known = score !== null && Number.isFinite(score);
  const share = known ? ` This concept is ${standing(measure, score)}.` : "";
  return [
    ...(measure.formula ? [h("p", { class: "cr-formula" }, measure.formula, h("small", {}, " (A: the objects, B: the attributes)"))] : []),
    h("p", {}, `Values: ${range}; here from ${shown(low)} to ${shown(high)}, ${plural(distinct, "different value")}. ${direction === "higher" ? "Higher" : "Lower"} is better.${share}`),
    ...(reference ? [h("p", {}, `Reference: ${reference}`)] : []),
  ];
}

function section(title: string, hint: string, ...content: (Element | false)[]): HTMLElement {
  return h("section", {}, h("h3", {}, title, h("small", {}, hint)), ...content);
}

function chip(name: string, hint: string, kind: string, act: () => void): HTMLElement {
  const mark = kind === "cr-relevant" && h("span", { class: "cr-dot", "aria-hidden": "true" }, "●");
  return h("li", {}, h("button",
    { type: "button", class: `cr-chip ${kind}`, title: `${clipped(name, 300)} (${hint})`, click: act },
    mark, h("span", { class: "cr-clip", dir: "auto" }, clipped(name, 200))));
}
