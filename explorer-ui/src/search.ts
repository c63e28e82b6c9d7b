// Reads the search box, as in: drama "odor: none" -comedy object:12 attribute:3

export interface Term {
  text: string;
  negated: boolean;
  whole: boolean;
  side: "any" | "attribute" | "object";
}

export function parse(search: string): Term[] {
  const terms: Term[] = [];
  const pattern = /(-?)(?:(attribute|object):)?(?:"([^"]*)"?|(\S+))/gi;
  for (const [, minus, side, quoted, bare] of search.matchAll(pattern)) {
    const text = (quoted ?? bare ?? "").toLowerCase();
    if (text === "") continue;
    terms.push({
      text,
      negated: minus === "-",
      whole: quoted !== undefined,
      side: (side?.toLowerCase() as Term["side"] | undefined) ?? "any",
    });
  }
  return terms;
}

/** The term that matches exactly one name. */
export function termFor(name: string, side: "attribute" | "object"): string {
  return `${side}:"${name.replaceAll('"', " ")}"`;
}

/** If a term matches more objects than this, it must equal the whole name. */
export const MOST_OBJECTS = 64;

/** The numbers of the names that match a term. */
export function matching(term: Term, n: number, name: (i: number) => string, most: number): number[] {
  const equal: number[] = [];
  const containing: number[] = [];
  for (let i = 0; i < n; i++) {
    const text = name(i).toLowerCase().replaceAll('"', term.whole ? " " : '"');
    if (text === term.text) equal.push(i);
    else if (text.includes(term.text)) containing.push(i);
  }
  if (term.whole && equal.length > 0) return equal;
  const all = equal.concat(containing);
  return all.length <= most ? all : equal;
}
