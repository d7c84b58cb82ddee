/** Colours that people with any colour vision tell apart (Okabe & Ito 2008), and names for them. */

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7a4fbf", "#4d4d4d"];
const DARK = ["#4aa8e0", "#ff8a3d", "#2fc79a", "#e79cc5", "#e0b84a", "#8fd3ff", "#b494f0", "#bdbdbd"];

/** The system asks for dark colours. */
export const WANTS_DARK = "(prefers-color-scheme: dark)";

export interface Palette {
  ink: string;
  pale: string;
  line: string;
  ground: string;
  card: string;
  drop: string;
  mark: string;
  grid: string;
  flow(at: number): string;
  queue(at: number): string;
}

export function palette(dark: boolean): Palette {
  const flows = dark ? DARK : LIGHT;
  const flow = (at: number) => flows[at % flows.length] as string;
  // Queues belong to no flow: their lines are grey, and differ in lightness.
  const greys = dark ? ["#e8eaed", "#8a949e", "#c2a878", "#6f9fb5"] : ["#1c2127", "#656f79", "#8d6e2f", "#3f7a94"];
  const queue = (at: number) => greys[at % greys.length] as string;
  return dark
    ? { ink: "#e8eaed", pale: "#9aa3ad", line: "#4b5560", ground: "#14181d", card: "#1d232a", drop: "#ff6b5e", mark: "#ffd166", grid: "#2a323b", flow, queue }
    : { ink: "#1c2127", pale: "#5c6670", line: "#aab4be", ground: "#f7f8fa", card: "#ffffff", drop: "#c62828", mark: "#9a6700", grid: "#e6e9ed", flow, queue };
}
