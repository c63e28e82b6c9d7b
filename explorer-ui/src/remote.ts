// Answers from the server that the page came from.

import type { Closed, Cloud, Details, Meta, Page, Part, Query, Row, RuleList, Scale, Source, Suborder, Summary } from "./source";

export class RemoteSource implements Source {
  private summary_: Promise<Summary> | null = null;
  private readonly rules_ = new Map<string, Promise<RuleList>>();
  private details_: { key: string; answer: Promise<Details> } | null = null;

  private constructor(readonly meta: Meta, private readonly token: string) {}

  static async open(): Promise<RemoteSource> {
    const token = new URLSearchParams(window.location.search).get("token") ?? "";
    const meta = (await (await ask(token, "meta", {})).json()) as Meta;
    return new RemoteSource(meta, token);
  }

  async extend(): Promise<void> {
    await this.get("more", {});
  }

  summary(): Promise<Summary> {
    this.summary_ ??= this.get<Summary>("summary", {}).then((summary) => {
      for (const pattern of summary.patterns) [pattern.gain, pattern.expected] = [Number(pattern.gain), Number(pattern.expected)];
      return summary;
    });
    return this.summary_;
  }

  async rows(query: Query, offset: number, limit: number): Promise<Page> {
    const page = await this.get<Page>("rows", { ...flat(query), offset, limit });
    page.rows.forEach(numbered);
    return page;
  }

  async place(query: Query, id: number): Promise<number> {
    const { place } = await this.get<{ place: number }>("place", { ...flat(query), id });
    return place;
  }

  details(id: number, objects: number): Promise<Details> {
    // Several panels ask for the same concept in a row.
    const key = `${id},${objects}`;
    if (this.details_?.key !== key) this.details_ = { key, answer: this.askDetails(id, objects) };
    return this.details_.answer;
  }

  async suborder(query: Query, part: Part): Promise<Suborder> {
    const suborder = await this.get<Suborder>("suborder", { ...flat(query), ...part });
    suborder.nodes.forEach(numbered);
    return suborder;
  }

  async facets(query: Query): Promise<number[]> {
    return (await this.get<{ counts: number[] }>("facets", flat(query))).counts;
  }

  cloud(query: Query, x: string, y: string, scale: Scale): Promise<Cloud> {
    return this.get("cloud", { ...flat(query), x, y, scale });
  }

  rules(basis: string): Promise<RuleList> {
    const known = this.rules_.get(basis) ?? this.get<RuleList>("rules", { basis }).then((list) => {
      for (const rule of list.rules) [rule.lift, rule.leverage] = [rule.lift, rule.leverage].map((score) => (score === null ? null : Number(score)));
      return list;
    });
    this.rules_.set(basis, known);
    return known;
  }

  async closed(sets: number[][]): Promise<Closed[]> {
    return (await this.get<{ concepts: Closed[] }>("closed", { sets: JSON.stringify(sets) })).concepts;
  }

  csv(query: Query, columns: string[], extents: boolean): Promise<Blob> {
    return this.file("csv", query, columns, extents);
  }

  readonly parquet = (query: Query, columns: string[], extents: boolean): Promise<Blob> => this.file("parquet", query, columns, extents);

  private async file(path: string, query: Query, columns: string[], extents: boolean): Promise<Blob> {
    return (await ask(this.token, path, { ...flat(query), columns: JSON.stringify(columns), extents: String(extents) })).blob();
  }

  private async askDetails(id: number, objects: number): Promise<Details> {
    const details = await this.get<Details>("concept", { id, objects });
    numbered(details.row);
    return details;
  }

  private async get<T>(path: string, params: Record<string, string | number>): Promise<T> {
    return (await (await ask(this.token, path, params)).json()) as T;
  }
}

/** Infinity arrives as text, because JSON has no number for it. */
function numbered(row: Row): void {
  row.scores = row.scores.map((score) => (score === null ? null : Number(score)));
}

function flat({ sort, descending, search, limits, then, diverse }: Query): Record<string, string> {
  return { sort, descending: String(descending), search, limits: JSON.stringify(limits), then: JSON.stringify(then), diverse: String(diverse) };
}

async function ask(token: string, path: string, params: Record<string, string | number>): Promise<Response> {
  const search = new URLSearchParams(Object.entries(params).map(([key, value]) => [key, String(value)]));
  const answer = await reached(() => fetch(`api/${path}?${search}`, { headers: { "X-Token": token } }));
  if (answer.ok) return answer;
  if (answer.status === 403) throw new Error("the link has no valid token: open the one that the server printed");
  throw new Error((await answer.text()).slice(0, 300));
}

/** Repeat a request until the server answers. It may have been stopped and started again with the same port and token. */
async function reached(send: () => Promise<Response>): Promise<Response> {
  const note = document.getElementById("conceptrank-away") ?? Object.assign(document.createElement("p"), { id: "conceptrank-away", className: "cr-away" });
  for (;;) {
    try {
      const answer = await send();
      note.remove();
      return answer;
    } catch {
      note.setAttribute("role", "alert");
      note.textContent = "The server does not answer. Start it again with the same --port and --token, and this page continues.";
      document.getElementById("conceptrank")?.prepend(note);
      await new Promise((done) => window.setTimeout(done, 1500));
    }
  }
}
