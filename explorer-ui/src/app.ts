// `App`: keeps the state, passes it to the panels and handles their events.

import { DARK, LIGHT, Palette } from "./colours";
import { Compare } from "./compare";
import { parsed } from "./conditions";
import { DetailPanel } from "./details";
import { Diagram, NODE_LIMIT } from "./diagram";
import { button, choice, clipped, h, messageOf, plural, whole } from "./dom";
import { chips, columns, saving } from "./filters";
import { RulePanel } from "./rules";
import { Scatter } from "./scatter";
import { ShortList } from "./shortlist";
import { termFor } from "./search";
import type { Kind } from "./places";
import type { Source } from "./source";
import { Labels, List, MOST_KEYS, MOST_PINS, Panel, State, Trail, decode, encode, initial, natural, queryOf } from "./state";
import { Table } from "./table";
import { Limits, Measure, View } from "./types";

type Drawer = "columns" | "save";
/** The width below which one panel is shown at a time. */
const NARROW = 820;
/** The width below which the table has two columns of scores, unless the user has chosen columns. */
const TIGHT = 1100;
/** The width below which the table has one column of scores. */
const SLIM = 560;
const PANELS: [Panel, string][] = [["table", "Table"], ["concept", "Concept"], ["diagram", "Diagram"], ["plot", "Plot"], ["compare", "Compare"]];
const VIEWS: [View, string][] = [
  ["near", "neighbours"], ["top", "best concepts"], ["iceberg", "largest (iceberg)"], ["below", "below (ideal)"], ["above", "above (filter)"],
];
const LAYOUTS: [Kind, string][] = [
  ["auto", "auto layout"], ["layered", "layered"], ["additive", "additive"], ["support", "by support"],
];
const LABELS: [Labels, string][] = [
  ["reduced", "reduced labels"], ["full", "full labels"], ["counts", "object counts"], ["none", "no labels"],
];

export class App {
  private state: State;
  private readonly measures: Map<string, Measure>;
  private readonly table: Table;
  private readonly shortList: ShortList;
  private readonly details: DetailPanel;
  private readonly diagram: Diagram;
  private readonly scatter: Scatter;
  private readonly search: HTMLInputElement;
  private readonly status = h("p", { class: "cr-status", role: "status" });
  private readonly problem = h("p", { class: "cr-problem", role: "alert", id: "cr-problem" });
  private readonly compare: Compare;
  private readonly rules: RulePanel;
  private readonly filterBar = h("div", { class: "cr-filters" });
  private readonly drawer = h("div", { class: "cr-drawer" });
  /** What the diagram shows, and how it looks. */
  private readonly partBar = h("div", { class: "cr-options cr-part cr-for-diagram" });
  private readonly diagramBar = h("div", { class: "cr-options cr-for-diagram" });
  private readonly plotBar = h("div", { class: "cr-options cr-for-plot" });
  private readonly tabs = h("div", { class: "cr-tabs", role: "tablist" });
  private readonly listTabs = h("div", { class: "cr-tabs", role: "tablist" });
  private readonly sideTabs = h("div", { class: "cr-tabs", role: "tablist" });
  private open: "" | Drawer = "";
  private typing = 0;
  private settled = 0;
  private revealed = -1;
  /** The kind of the last change: further changes of the same kind belong to the same entry of the history. */
  private burst = "";

  /** `more` fetches more concepts from the server; null if there are no more, or no server. */
  constructor(private readonly root: HTMLElement, private readonly source: Source, private readonly trail: Trail, private readonly more: (() => Promise<void>) | null) {
    const { meta } = source;
    this.measures = new Map(meta.measures.map((measure) => [measure.key, measure]));
    this.state = decode(trail.read(), meta);
    const pick = (concept: number): void => this.update({ concept });
    this.table = new Table(source, {
      pick, sort: (key, more) => this.sort(key, more), limit: (key, limits, done) => this.limit(key, limits, done),
    });
    this.shortList = new ShortList(meta, source.summary, { pick, table: () => this.update({ list: "table" }) });
    this.details = new DetailPanel(source, {
      pick,
      search: (name, side) => this.update({
        search: `${this.state.search} ${termFor(name, side)}`.trim(), list: "table", panel: this.narrow ? "table" : this.state.panel,
      }),
      diagram: (view) => this.update({ view, panel: "diagram" }),
      pin: (intent) => this.pin(intent),
      pinned: (intent) => this.state.pins.some((pin) => pin.join() === intent.join()),
    });
    this.compare = new Compare(source, { pick, change: (pins) => this.update({ pins }) });
    this.rules = new RulePanel(source, { pick, change: (change, typing) => this.update(change, typing ? "rules" : "") });
    this.diagram = new Diagram(source, {
      pick,
      centre: (concept) => this.update({ concept, view: "near" }),
      enlarge: () => this.update({ large: !this.state.large }),
      moved: (moved) => this.update({ moved }, moved === "" ? "" : "moved"),
    });
    this.scatter = new Scatter(source, { pick, brush: (limits) => this.brush(limits) });
    const named = source.meta.objectNames;
    const searching = named ? "search attributes and objects" : "search attributes";
    this.search = h("input", {
      type: "search", class: "cr-search", placeholder: `${searching}   ( / )`, "aria-label": searching,
      title: `drama "two words" -without${named ? " object:name attribute:name" : ""}`, spellcheck: "false", dir: "auto",
      "aria-describedby": "cr-problem",
      input: () => {
        window.clearTimeout(this.typing);
        this.typing = window.setTimeout(() => this.update({ search: this.search.value, list: "table" }, "search"), 120);
      },
      keydown: (event: KeyboardEvent) => {
        if (event.key === "Enter") {
          window.clearTimeout(this.typing);
          this.update({ search: this.search.value, list: "table" }, "search");
        }
      },
    });
  }

  start(): void {
    this.root.classList.add("cr-explorer");
    this.root.replaceChildren(...this.frame());
    this.trail.listen(() => {
      this.state = decode(this.trail.read(), this.source.meta);
      this.search.value = this.state.search;
      this.rules.filter.value = this.state.ruleSearch;
      this.render();
    });
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.render());
    window.matchMedia("print").addEventListener("change", ({ matches }) => this.diagram.print(matches));
    let narrow = this.narrow;
    new ResizeObserver(() => {
      if (this.narrow === narrow) return;
      narrow = this.narrow;
      this.render();
    }).observe(this.root);
    if (this.state.concept < 0) {
      // Select a concept, so that no panel is empty.
      const first = this.list === "summary" ? this.source.summary.patterns.find(({ id }) => id >= 0) : undefined;
      const id = first?.id ?? this.source.rows(queryOf(this.state, this.source.meta), 0, 1).rows[0]?.id;
      if (id !== undefined) {
        this.state.concept = this.revealed = id;
        this.trail.write(encode(this.state, this.source.meta), false);
      }
    }
    this.render();
  }

  private frame(): HTMLElement[] {
    const { meta } = this.source;
    const facts = [plural(meta.objects, "object"), plural(meta.attributes.length, "attribute"), plural(meta.concepts, "concept")];
    if (meta.minSupport > 0) facts.push(`support ≥ ${whole(meta.minSupport)}`);
    const header = h("header", { class: "cr-bar" },
      h("span", { class: "cr-nav" },
        button("Back", "‹", () => this.trail.back()), button("Forward", "›", () => this.trail.forward())),
      h("h1", {}, h("span", { class: "cr-clip", dir: "auto" }, clipped(meta.title, 200)), h("small", {}, facts.join(" · "))),
      this.search,
      h("span", { class: "cr-nav" },
        button("Switch between light and dark", "◐", () => this.update({ theme: this.palette.dark ? "light" : "dark" }), { "data-theme-button": true }),
        button("Keyboard and search", "?", () => this.help.showModal())));
    const more = this.more !== null && button("Find more concepts", "find more", async (event) => {
      const finder = event.target as HTMLButtonElement;
      finder.disabled = true;
      finder.textContent = "searching …";
      try {
        await this.more!();
      } catch (error) {
        finder.textContent = `failed: ${messageOf(error)}`;
        return;
      }
      // The numbers of concepts change.
      this.trail.write(encode({ ...this.state, concept: -1 }, meta), false);
      window.location.reload();
    }, { "data-more": true });
    const warning = (!meta.complete || meta.note) && h("p", { class: "cr-warning", role: "alert" },
      meta.note || "Mining ended at a limit, so some concepts are missing. The scores of the others are those of the whole table.", more && " ", more);
    const panel = (name: Panel, ...content: HTMLElement[]): HTMLElement =>
      h("section", { class: `cr-panel cr-panel-${name}`, "aria-label": name }, ...content);
    const main = h("main", { class: "cr-main" },
      panel("table", this.listTabs, this.shortList.element, this.rules.element, this.filterBar, this.drawer, this.table.element, this.status),
      h("div", { class: "cr-side" },
        h("div", { class: "cr-side-head" }, this.sideTabs, this.partBar, this.diagramBar, this.plotBar),
        panel("diagram", this.diagram.element),
        panel("plot", this.scatter.element),
        panel("compare", this.compare.element),
        panel("concept", this.details.element)));
    return [header, this.problem, ...(warning ? [warning] : []), this.tabs, main, this.help];
  }

  private readonly help: HTMLDialogElement = h("dialog", { class: "cr-help", "aria-label": "help" },
    h("h2", {}, "Keyboard and search"),
    h("dl", {},
      ...([
        ["/", "go to the search"],
        ["Shift + click", "on a column: break ties by this measure"],
        ["↑ ↓", "next or previous row of the table; along a line of the diagram"],
        ["Enter", "select the focused dot; with Shift, draw its neighbours"],
        ["Shift + arrows", "move the focused dot"],
        ["+ − 0", "zoom in, zoom out, fit the diagram"],
        ["Alt ← →", "back and forward; the address is a link to the present view"],
        ["drama comedy", "concepts with an attribute or object whose name contains “drama” and one whose name contains “comedy”"],
        ["-drama", "concepts without such an attribute or object"],
        ['"two words"', "a name with spaces"],
        ["cr > 0.3 and support >= 10", "concepts with such scores; operators are >= <= > < ="],
        ["object:7", "concepts of the object 7; attribute:7 for an attribute"],
      ] as const).flatMap(([key, text]) => [h("dt", {}, key), h("dd", {}, text)])),
    h("p", {}, "“=12” next to a rank means that twelve concepts tie. With reduced labels, a concept of the diagram has the attributes at its dot and above it, and the objects at its dot and below it."),
    h("form", { method: "dialog" }, h("button", {}, "Close")));

  private get narrow(): boolean {
    return this.root.clientWidth < NARROW;
  }

  private get palette(): Palette {
    const { theme } = this.state;
    const dark = theme === "auto" ? window.matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
    return dark ? DARK : LIGHT;
  }

  /** Change the state. Consecutive changes with the same `burst` are one entry of the history. */
  private update(change: Partial<State>, burst = ""): void {
    const drawn = this.drawn;
    this.state = { ...this.state, ...change };
    // Dragged positions belong to one diagram.
    if (change.moved === undefined && this.drawn !== drawn) this.state.moved = "";
    this.trail.write(encode(this.state, this.source.meta), burst === "" || burst !== this.burst);
    this.burst = burst;
    this.render();
  }

  /** Everything that the places in the diagram depend on. */
  private get drawn(): string {
    const { view } = this;
    const { most, layout, concept } = this.state;
    return JSON.stringify([queryOf(this.state, this.source.meta), view, most, layout, view === "top" || view === "iceberg" ? -1 : concept]);
  }

  /** The list that is shown. */
  private get list(): List {
    if (this.state.list !== "") return this.state.list;
    return this.source.summary.patterns.length === 0 ? "table" : "summary";
  }

  /** What the diagram draws: by default the neighbours of a pattern beside the short list, else the best concepts. */
  private get view(): View {
    return this.state.view || (this.list === "summary" && this.state.concept >= 0 ? "near" : "top");
  }

  private sort(key: string, more: boolean): void {
    const { meta } = this.source;
    const { sort, descending, then } = this.state;
    const place = then.findIndex(([name]) => name === key);
    if (!more) {
      const start = initial(meta);
      const fresh = key === start.sort ? start.then : [];
      this.update({ sort: key, descending: key === sort ? !descending : natural(meta, key), then: key === sort ? then : fresh });
    } else if (key === sort) this.update({ descending: !descending });
    else if (place >= 0) this.update({ then: then.map(([name, down], i) => [name, i === place ? !down : down]) });
    else this.update({ then: [...then, [key, natural(meta, key)] as [string, boolean]].slice(0, MOST_KEYS) });
  }

  /** Pin or unpin a concept. A fifth pin replaces the oldest. */
  private pin(intent: number[]): void {
    const others = this.state.pins.filter((pin) => pin.join() !== intent.join());
    const pinned = others.length < this.state.pins.length;
    this.update({ pins: pinned ? others : [...others, intent].slice(-MOST_PINS) });
  }

  private limit(key: string, limits: Limits, done: boolean): void {
    const all = { ...this.state.limits, [key]: limits };
    if (limits[0] === null && limits[1] === null) delete all[key];
    this.update({ limits: all }, `limit ${key}`);
    if (done) this.burst = "";
  }

  private brush(limits: Record<string, Limits> | null): void {
    const all = { ...this.state.limits };
    delete all[this.state.x];
    delete all[this.state.y];
    for (const [key, pair] of Object.entries(limits ?? {})) if (pair[0] !== null || pair[1] !== null) all[key] = pair;
    if (JSON.stringify(all) !== JSON.stringify(this.state.limits)) this.update({ limits: all });
  }

  private onKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName);
    if (event.key === "/" && !typing) {
      event.preventDefault();
      this.search.focus();
      this.search.select();
    } else if (event.key === "?" && !typing) this.help.showModal();
    else if (event.key === "Escape" && target === this.search) this.update({ search: "" });
  }

  private render(): void {
    const number = ++this.settled;
    this.fillLists(this.state);
    // Let the browser paint the table before the diagram is laid out.
    window.setTimeout(() => {
      if (number !== this.settled) return;
      this.fillSide(this.state);
      this.root.dataset.settled = String(number);
    });
  }

  private fillLists(state: State): void {
    const { meta } = this.source;
    const query = queryOf(state, meta);
    const { palette, narrow } = this;
    this.root.dataset.theme = palette.dark ? "dark" : "light";
    this.root.dataset.panel = state.panel;
    this.root.dataset.list = this.list;
    this.root.dataset.large = String(state.large);
    this.root.dataset.width = narrow ? "narrow" : "wide";
    if (document.activeElement !== this.search) this.search.value = state.search;
    this.drawTabs(narrow);
    const sorted = this.measures.get(state.sort)!;
    const untouched = state.columns.join("\n") === initial(meta).columns.join("\n");
    const tight = untouched && this.root.clientWidth < TIGHT;
    const slim = this.root.clientWidth < SLIM;
    const some = slim ? [sorted] : meta.measures.filter(({ key }) =>
      tight ? key === state.sort || key === "support" : state.columns.includes(key));
    this.shortList.show(state.concept);
    if (this.list === "rules") this.rules.show(state, state.concept);
    const page = this.table.show(query, some, state.concept);
    const tied = page.rows.length > 0 && page.rows[0].tied > 1 ? ` · ${whole(page.rows[0].tied)} tie for the first rank` : "";
    const bottom = page.total > 1 && page.rows[0]?.support === 0 ? " · the first is the bottom of the lattice: it has no objects, and its scores are conventions" : "";
    const { problem } = parsed(state.search, meta);
    this.problem.textContent = problem;
    this.search.setAttribute("aria-invalid", String(problem !== ""));
    const counted = page.total === meta.concepts ? plural(page.total, "concept") : `${whole(page.total)} of ${plural(meta.concepts, "concept")}`;
    this.status.textContent = `${counted}${tied}${bottom}`;
    this.drawFilters(state);
    this.details.show(state.concept, query);
    // Scroll only if another concept was selected: a new order starts at its first row.
    if (state.concept !== this.revealed) this.table.reveal();
    this.revealed = state.concept;
  }

  private fillSide(state: State): void {
    const { palette, narrow, source: { meta } } = this;
    const query = queryOf(state, meta);
    const side = state.panel === "plot" || state.panel === "compare" ? state.panel : "diagram";
    const sees = (panel: Panel): boolean => (narrow ? state.panel : side) === panel;
    if (sees("compare")) this.compare.show(state.pins);
    if (sees("diagram")) {
      this.drawDiagramBar(state);
      const place = (key: string): number => meta.measures.findIndex((measure) => measure.key === key);
      this.diagram.show(query, { view: this.view, id: state.concept, most: state.most },
        { layout: state.layout, moved: state.moved, labels: state.labels, colour: place(state.colour), size: place(state.size) }, palette, state.concept);
    }
    if (sees("plot")) {
      this.drawPlotBar(state);
      this.scatter.show(query, this.measures.get(state.x)!, this.measures.get(state.y)!, palette, state.concept);
    }
  }

  private drawTabs(narrow: boolean): void {
    const focused = document.activeElement as HTMLElement | null;
    const key = focused?.dataset.tab ? `[data-tab="${focused.dataset.tab}"]` : focused?.dataset.listTab ? `[data-list-tab="${focused.dataset.listTab}"]` : "";
    window.queueMicrotask(() => { if (key) this.root.querySelector<HTMLElement>(key)?.focus(); });
    const tab = ([panel, text]: [Panel, string], chosen: boolean): HTMLElement =>
      h("button", { type: "button", role: "tab", "aria-selected": String(chosen), "data-tab": panel, click: () => this.update({ panel }) }, text);
    const { panel } = this.state;
    const listTab = (list: List, text: string): HTMLElement => {
      const chosen = this.list === list && (!narrow || panel === "table");
      return h("button", { type: "button", role: "tab", "aria-selected": String(chosen), "data-list-tab": list,
        click: () => this.update(narrow ? { list, panel: "table" } : { list }) }, text);
    };
    const lists = [listTab("summary", "Short list"), listTab("table", "Table"), listTab("rules", "Rules")];
    this.listTabs.replaceChildren(...(narrow ? [] : lists));
    this.tabs.replaceChildren(...(narrow ? [...lists, ...PANELS.slice(1).map((each) => tab(each, each[0] === panel))] : []));
    this.sideTabs.replaceChildren(...(narrow ? [] : PANELS.slice(2).map((each) => tab(each, each[0] === (panel === "plot" || panel === "compare" ? panel : "diagram")))));
  }

  private drawFilters(state: State): void {
    const { meta } = this.source;
    const events = {
      limit: (key: string, limits: Limits, done: boolean) => this.limit(key, limits, done),
      columns: (keys: string[]) => this.update({ columns: keys }),
      search: (text: string) => this.update({ search: text }),
    };
    const toggle = (name: Drawer): HTMLElement =>
      button(name === "save" ? "Save the table" : `Show or hide the ${name}`, name, () => {
        this.open = this.open === name ? "" : name;
        this.drawFilters(this.state);
      }, { "aria-expanded": String(this.open === name), "data-toggle": name });
    const focused = this.filterBar.contains(document.activeElement) ? document.activeElement!.getAttribute("aria-label") : null;
    window.queueMicrotask(() => {
      if (focused) this.filterBar.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
    });
    this.filterBar.replaceChildren(
      ...(this.narrow ? [choice("sort by", meta.measures.map(({ key }) => [key, `by ${key}`]), state.sort, (key) => this.sort(key, false)),
        button("Reverse the order", state.descending ? "▾" : "▴", () => this.update({ descending: !this.state.descending }))] : []),
      toggle("columns"), toggle("save"),
      ...chips(state.limits, state.search, events));
    // Don't replace a drawer that has the focus.
    if (this.drawer.dataset.open === this.open && this.drawer.contains(document.activeElement)) return;
    this.drawer.dataset.open = this.open;
    this.drawer.replaceChildren(...(this.open === "columns" ? [columns(meta.measures, state.columns, events)]
      : this.open === "save" ? [saving(this.source, () => [queryOf(this.state, meta), this.state.columns])] : []));
  }

  private drawDiagramBar(state: State): void {
    const { meta } = this.source;
    const keys = meta.measures.map(({ key }): [string, string] => [key, key]);
    const number = h("input", {
      type: "number", min: 1, max: NODE_LIMIT, value: state.most, class: "cr-most", "aria-label": "number of concepts to draw",
      title: `number of concepts to draw, up to ${NODE_LIMIT}`,
      change: () => {
        const most = Math.round(number.valueAsNumber);
        if (most >= 1) this.update({ most: Math.min(NODE_LIMIT, most) });
      },
    });
    const { view } = this;
    const drawn = JSON.stringify([view, state.most]);
    const focused = [this.partBar, this.diagramBar].some((bar) => bar.contains(document.activeElement));
    if (focused && this.diagramBar.dataset.state === drawn) return;
    this.diagramBar.dataset.state = drawn;
    this.partBar.replaceChildren(
      choice("what to draw", VIEWS, view, (chosen) => this.update({ view: chosen as View })),
      ...(view === "near" ? [] : [number]));
    this.diagramBar.replaceChildren(
      choice("layout", LAYOUTS, state.layout, (layout) => this.update({ layout: layout as Kind })),
      choice("labels", LABELS, state.labels, (labels) => this.update({ labels: labels as Labels })),
      choice("colour by", keys.map(([key]) => [key, `colour: ${key}`]), state.colour, (colour) => this.update({ colour })),
      choice("size by", [["", "size: equal"], ...keys.map(([key]): [string, string] => [key, `size: ${key}`])], state.size, (size) => this.update({ size })));
  }

  private drawPlotBar(state: State): void {
    const keys = this.source.meta.measures.map(({ key }): string => key);
    const focused = this.plotBar.contains(document.activeElement) ? document.activeElement!.getAttribute("aria-label") : null;
    window.queueMicrotask(() => {
      if (focused) this.plotBar.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
    });
    this.plotBar.replaceChildren(
      choice("across", keys.map((key) => [key, `across: ${key}`]), state.x, (x) => this.update({ x })),
      choice("upwards", keys.map((key) => [key, `upwards: ${key}`]), state.y, (y) => this.update({ y })),
      button("Save the plot as PNG", "PNG", () => this.scatter.save(), { "data-plot-png": true }));
  }
}
