// The list of rules. A click on a rule selects its concept.

import { choice, clipped, h, percent, plural, shown, whole } from "./dom";
import type { Source } from "./source";
import { BASES, Rule, RuleList } from "./types";

const AT_ONCE = 100;
const COLUMNS: [keyof Rule & ("support" | "confidence" | "lift" | "leverage"), string][] = [
  ["support", "the number of objects with premise and conclusion"],
  ["confidence", "the share of the objects with the premise that have the conclusion"],
  ["lift", "how many times as often premise and conclusion occur together as by chance"],
  ["leverage", "the share of all objects that have both, minus the share by chance"],
];
const TITLES: Record<string, string> = {
  duquenne_guigues: "Duquenne–Guigues basis", minimal_non_redundant: "minimal non-redundant", luxenburger: "Luxenburger basis",
};

export interface RuleState {
  basis: string;
  ruleSort: string;
  ruleSearch: string;
}

export interface RuleEvents {
  pick(id: number): void;
  /** `typing` is true while the user is typing. */
  change(state: Partial<RuleState>, typing: boolean): void;
}

export class RulePanel {
  readonly element: HTMLElement;
  private readonly bases: HTMLSelectElement;
  readonly filter: HTMLInputElement;
  private readonly note = h("p", { class: "cr-hint" });
  private readonly head = h("tr");
  private readonly body = h("tbody", { keydown: (event: KeyboardEvent) => this.key(event) });
  private readonly more = h("button", { type: "button", class: "cr-more", click: () => this.grow() });
  private readonly status = h("p", { class: "cr-rule-status", role: "status" });
  private rules: Rule[] = [];
  private drawn = "";
  private rows = AT_ONCE;
  private selected = -1;

  constructor(private readonly source: Source, private readonly events: RuleEvents) {
    this.bases = choice("basis", BASES.map((basis) => [basis, TITLES[basis]]), "", (basis) => events.change({ basis }, false));
    this.filter = h("input", { type: "search", placeholder: "filter by names", "aria-label": "filter rules by names",
      title: "drama -comedy: rules that name the one and not the other", dir: "auto",
      input: () => events.change({ ruleSearch: this.filter.value }, true) });
    this.element = h("div", { class: "cr-rule-panel", role: "region", "aria-label": "rules" },
      h("div", { class: "cr-filters" }, this.bases, this.filter), this.note,
      h("div", { class: "cr-rule-list", tabindex: 0, role: "group", "aria-label": "list of rules" }, h("table", {}, h("thead", {}, this.head), this.body), this.more),
      this.status);
  }

  show(state: RuleState, selected: number): void {
    this.bases.value = state.basis;
    if (document.activeElement !== this.filter) this.filter.value = state.ruleSearch;
    this.selected = selected;
    const list = this.source.rules(state.basis);
    const key = JSON.stringify([state.basis, state.ruleSort, state.ruleSearch]);
    if (key === this.drawn) {
      this.mark();
      return;
    }
    this.drawn = key;
    this.rows = AT_ONCE;
    this.note.textContent = `Rules that ${list.summary}. ${list.note}`;
    this.note.title = list.reference;
    this.rules = this.chosen(list, state);
    this.drawHead(state);
    this.drawBody();
    this.status.textContent = this.rules.length === list.rules.length ? `${plural(list.rules.length, "rule")} listed`
      : `${whole(this.rules.length)} of ${whole(list.rules.length)} rules listed`;
  }

  private chosen(list: RuleList, { ruleSort, ruleSearch }: RuleState): Rule[] {
    const { attributes } = this.source.meta;
    const words = ruleSearch.toLowerCase().split(/\s+/).filter((word) => word !== "" && word !== "-");
    const found = list.rules.filter((rule) => {
      const names = [...rule.premise, ...rule.conclusion].map((m) => attributes[m].toLowerCase());
      return words.every((word) => word[0] === "-" ? !names.some((name) => name.includes(word.slice(1))) : names.some((name) => name.includes(word)));
    });
    if (ruleSort === "") return found;
    const column = ruleSort.slice(1) as "support" | "confidence" | "lift" | "leverage";
    const sign = ruleSort[0] === "-" ? -1 : 1;
    // Rules without a value come last in both directions.
    const value = (rule: Rule): number => (rule[column] === null ? sign * Infinity : rule[column]!);
    return found.sort((a, b) => (value(a) === value(b) ? 0 : sign * (value(a) - value(b))));
  }

  private drawHead({ ruleSort }: RuleState): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset.ruleSort;
    this.head.replaceChildren(h("th", { scope: "col" }, "rule"), ...COLUMNS.map(([column, hint]) => {
      const now = ruleSort.slice(1) === column ? ruleSort[0] : "";
      return h("th", { scope: "col", class: "cr-number", "aria-sort": now === "-" ? "descending" : now === "+" ? "ascending" : "none" },
        h("button", { type: "button", title: hint, "data-rule-sort": column, click: () => this.events.change({ ruleSort: `${now === "-" ? "+" : "-"}${column}` }, false) },
          `${column}${now === "-" ? " ▾" : now === "+" ? " ▴" : ""}`));
    }));
    if (focused) this.head.querySelector<HTMLElement>(`[data-rule-sort="${focused}"]`)?.focus();
  }

  private drawBody(): void {
    this.body.replaceChildren(...this.rules.slice(0, this.rows).map((rule, i) => this.row(rule, i)));
    const left = this.rules.length - this.rows;
    this.more.hidden = left <= 0;
    this.more.textContent = `${whole(Math.max(0, left))} more`;
    this.mark();
  }

  private grow(): void {
    const first = this.rows;
    this.rows += AT_ONCE;
    this.drawBody();
    this.body.querySelectorAll<HTMLElement>("[data-rule]")[first]?.focus();
  }

  private row(rule: Rule, place: number): HTMLElement {
    const { attributes } = this.source.meta;
    const names = (numbers: number[]): HTMLElement[] => (numbers.length === 0 ? [h("span", {}, "∅")]
      : numbers.slice(0, 24).map((m) => h("bdi", {}, clipped(attributes[m], 60))).concat(numbers.length > 24 ? [h("bdi", {}, `+${whole(numbers.length - 24)}`)] : []));
    const premise = rule.from !== rule.to && rule.from >= 0 && h("button", { type: "button", class: "cr-premise", tabindex: -1, title: "Show the concept of the premise",
      "aria-label": "if: the concept of the premise", click: () => this.events.pick(rule.from) }, "if");
    return h("tr", { "data-to": rule.to, "data-from": rule.from },
      h("td", {}, h("span", { class: "cr-rule" }, premise || null,
        h("button", { type: "button", "data-rule": place, tabindex: place === 0 ? 0 : -1, disabled: rule.to < 0,
          title: rule.to < 0 ? "not among the concepts of this page" : "Show the concept of premise and conclusion", click: () => this.events.pick(rule.to) },
          h("span", { class: "cr-names" }, ...names(rule.premise)), h("span", { class: "cr-arrow" }, "→"), h("span", { class: "cr-names" }, ...names(rule.conclusion))))),
      h("td", { class: "cr-number" }, whole(rule.support)),
      h("td", { class: "cr-number" }, percent(rule.confidence)),
      h("td", { class: "cr-number" }, shown(rule.lift)), h("td", { class: "cr-number" }, shown(rule.leverage)));
  }

  /** Mark the rules of the chosen concept. */
  private mark(): void {
    for (const row of this.body.querySelectorAll<HTMLElement>("tr")) {
      row.toggleAttribute("data-chosen", [row.dataset.to, row.dataset.from].includes(String(this.selected)));
    }
  }

  /** The list is one stop of the Tab key. Up and down move between rules, left goes to the premise, right to the rule. */
  private key(event: KeyboardEvent): void {
    const row = (event.target as HTMLElement).closest("tr");
    if (!row) return;
    const buttons = [...this.body.querySelectorAll<HTMLElement>("[data-rule]")];
    const now = [...this.body.children].indexOf(row);
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: buttons.length - 1 }[event.key];
    const beside = event.key === "ArrowLeft" ? row.querySelector<HTMLElement>(".cr-premise") : event.key === "ArrowRight" ? buttons[now] : null;
    if (to === undefined && !beside) return;
    event.preventDefault();
    const next = beside ?? buttons[Math.max(0, Math.min(buttons.length - 1, to!))];
    for (const each of buttons) each.tabIndex = -1;
    (beside ? buttons[now] : next).tabIndex = 0;
    next.focus();
  }
}
