// Splits the text of the search box: comparisons such as `support >= 10 and cr > 0.3` become limits, the rest is searched for.

import type { Limits, Meta } from "./types";

export interface Parsed {
  /** The words that are left. */
  search: string;
  limits: Record<string, Limits>;
  /** The first mistake in a comparison; empty if there is none. */
  problem: string;
}

const QUOTED = /"[^"]*"?/g;
const COMPARISON = /([\p{L}_][\p{L}\p{N}_]*(?:\([^()]*\))?)\s*(<=|>=|==|!=|<|>|=)\s*(\S*)/gu;

export function parsed(text: string, meta: Meta): Parsed {
  const limits: Record<string, Limits> = {};
  let problem = "";
  const read = (match: string, key: string, sign: string, given: string): string => {
    const value = given === "" ? NaN : Number(given);
    if (!meta.measures.some((measure) => measure.key === key)) {
      problem ||= `Unknown measure “${key}”. Known ones: ${meta.measures.map((measure) => measure.key).join(", ")}.`;
    } else if (sign === "!=") problem ||= "The search box does not know !=. Use >=, <=, >, < or =.";
    else if (!Number.isFinite(value)) problem ||= `“${match.trim()}”: expected a number, as in ${key} ${sign} 0.3.`;
    else {
      const [low, high] = limits[key] ?? [null, null];
      const least = sign === ">" ? next(value, 1) : sign === ">=" || sign[0] === "=" ? value : null;
      const most = sign === "<" ? next(value, -1) : sign === "<=" || sign[0] === "=" ? value : null;
      limits[key] = [
        least === null ? low : Math.max(least, low ?? -Infinity), most === null ? high : Math.min(most, high ?? Infinity),
      ];
    }
    return " ";
  };
  // Text in quotes is a name, not a comparison.
  const names: string[] = [];
  const bare = text.replace(QUOTED, (name) => `\u0001${names.push(name) - 1}\u0001`);
  let rest = bare.replace(COMPARISON, read);
  if (rest !== bare) {
    if (/(^|\s)(or|not)(?=\s|$)|[()]/.test(rest)) problem ||= "The search box joins comparisons by “and” only. For “or”, “not” and brackets use conceptrank rank --where.";
    rest = rest.replace(/(^|\s)and(?=\s|$)/g, " ");
  }
  // eslint-disable-next-line no-control-regex
  return { search: rest.replace(/\u0001(\d+)\u0001/g, (_, place: string) => names[Number(place)]).replace(/\s+/g, " ").trim(), limits, problem };
}

/** The next double above (1) or below (-1) a number. */
function next(value: number, direction: 1 | -1): number {
  if (value === 0) return direction * Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const up = value > 0 === (direction > 0);
  view.setBigInt64(0, view.getBigInt64(0) + (up ? 1n : -1n));
  return view.getFloat64(0);
}

/** The intersection of two sets of limits. */
export function both(one: Record<string, Limits>, other: Record<string, Limits>): Record<string, Limits> {
  const found = { ...one };
  for (const [key, [low, high]] of Object.entries(other)) {
    const [least, most] = found[key] ?? [null, null];
    found[key] = [
      low === null ? least : Math.max(low, least ?? -Infinity), high === null ? most : Math.min(high, most ?? Infinity),
    ];
  }
  return found;
}
