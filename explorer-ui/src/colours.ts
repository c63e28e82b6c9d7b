// The colours of both themes, and the colour scale of scores. Its lightness changes evenly, so it can be read without colour
// vision. It is reversed in the dark theme, so that high scores stand out from the background.

const SCALE = [
  [68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141],
  [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37],
];

export interface Palette {
  dark: boolean;
  background: string;
  text: string;
  faint: string;
  line: string;
  accent: string;
  second: string;
}

export const LIGHT: Palette = {
  dark: false,
  background: "#ffffff",
  text: "#1c2430",
  faint: "#667085",
  line: "#8590a2",
  accent: "#0b62b8",
  second: "#b54708",
};

export const DARK: Palette = {
  dark: true,
  background: "#171c24",
  text: "#e8ecf2",
  faint: "#9aa6b8",
  line: "#66748a",
  accent: "#6cb6ff",
  second: "#f5a25d",
};

/** The colour of a share from 0 to 1. */
export function colour(share: number, palette: Palette): string {
  const at = Math.min(1, Math.max(0, palette.dark ? share : 1 - share)) * (SCALE.length - 1);
  const i = Math.min(SCALE.length - 2, Math.floor(at));
  const mixed = SCALE[i].map((low, c) => Math.round(low + (SCALE[i + 1][c] - low) * (at - i)));
  return `rgb(${mixed.join(",")})`;
}
