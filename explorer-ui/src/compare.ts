// Up to four pinned concepts side by side: what they share, what separates them, and their scores.

import { button, clipped, download, h, plural, shown, whole } from "./dom";
import { Details, Source, standing } from "./source";

const OBJECTS = 5000;
const SHOWN = 30;

export interface CompareEvents {
  pick(id: number): void;
  unpin(id: number): void;
}

export class Compare {
  readonly element = h("div", { class: "cr-compare", tabindex: 0, role: "region", "aria-label": "pinned concepts" });
  private shown = "";

  constructor(private readonly source: Source, private readonly events: CompareEvents) {}

  async show(pins: number[]): Promise<void> {
    const key = pins.join(" ");
    if (key === this.shown && this.element.childElementCount > 0) return;
    this.shown = key;
    if (pins.length === 0) {
      this.element.replaceChildren(h("p", { class: "cr-hint" }, "Pin up to four concepts to see them side by side: the button “pin” is beside the title of a concept."));
      return;
    }
    const all: Details[] = [];
    for (const id of pins) all.push(await this.source.details(id, OBJECTS));
    if (this.shown === key) this.draw(all);
  }

  private draw(all: Details[]): void {
    const { meta } = this.source;
    const name = (m: number): string => clipped(meta.attributes[m], 60);
    const common = all[0].row.intent.filter((m) => all.every(({ row }) => row.intent.includes(m)));
    const named = meta.objectNames && all.every(({ row }) => row.support <= OBJECTS);
    const sets = all.map(({ extent }) => new Set(extent));
    const shared = named ? [...sets[0]].filter((object) => sets.every((set) => set.has(object))) : [];
    const list = (names: string[], total: number): HTMLElement => h("span", {}, ...names.slice(0, SHOWN).flatMap((each, i) =>
      [i > 0 ? ", " : "", h("bdi", {}, clipped(each, 60))]), total > SHOWN ? `, … (${whole(total)})` : "", total === 0 ? "–" : "");
    const rows: [string, (Element | string)[]][] = [
      ["objects", all.map(({ row }) => `${whole(row.support)}${meta.objects ? ` (${((100 * row.support) / meta.objects).toFixed(1)} %)` : ""}`)],
      ["only here: attributes", all.map(({ row }) => {
        const own = row.intent.filter((m) => !common.includes(m));
        return list(own.map(name), own.length);
      })],
    ];
    if (named) {
      rows.push(["only here: objects", all.map((_, i) => {
        const own = [...sets[i]].filter((object) => sets.every((set, j) => j === i || !set.has(object)));
        return list(own, own.length);
      })]);
    }
    meta.measures.forEach((measure, m) => rows.push([measure.key, all.map(({ row }) => {
      const score = row.scores[m];
      if (score === null || !Number.isFinite(score)) return shown(score);
      return `${shown(score)} · ${standing(measure, score)}`;
    })]));
    const table = h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "concept"), ...all.map(({ row }) => h("th", { scope: "col" },
        h("button", { type: "button", click: () => this.events.pick(row.id) }, clipped(row.intent.length ? row.intent.map(name).join(" · ") : "∅ (all objects)", 90)),
        button("Take this concept off", "×", () => this.events.unpin(row.id)))))),
      h("tbody", {}, ...rows.map(([title, cells]) => h("tr", {}, h("th", { scope: "row" }, title), ...cells.map((cell) => h("td", {}, cell))))));
    this.element.replaceChildren(
      h("p", {}, h("strong", {}, `${plural(common.length, "attribute")} in common: `), list(common.map(name), common.length),
        ...(named ? [h("br"), h("strong", {}, `${plural(shared.length, "object")} in common: `), list(shared, shared.length)] : [])),
      h("div", { class: "cr-wide" }, table),
      button("Save as text what is compared", "save as text", () => {
        const lines = [["", ...all.map(({ row }) => row.intent.map((m) => meta.attributes[m]).join(" · "))],
          ...rows.map(([title, cells]) => [title, ...cells.map((cell) => (typeof cell === "string" ? cell : cell.textContent ?? ""))])];
        const text = `# ${meta.title}\n\nIn common: ${common.map((m) => meta.attributes[m]).join(", ") || "no attribute"}\n\n`
          + lines.map((line, i) => `| ${line.map((each) => each.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |${i === 0 ? `\n|${line.map(() => "---|").join("")}` : ""}`).join("\n");
        download(new Blob([text, "\n"], { type: "text/markdown;charset=utf-8" }), "comparison.md");
      }));
  }
}
