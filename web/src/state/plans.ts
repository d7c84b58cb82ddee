/** The plans that come with dupack: starters, and those of the papers' figures. */

const STARTERS = import.meta.glob<string>("../../../python/dupack/starters/*.toml", { query: "?raw", import: "default" });
const PAPERS = import.meta.glob<string>(
  ["../../../papers/*/*.toml", "!**/paper.toml", "!**/published.toml", "!**/figures.toml", "!**/readings.toml"],
  { query: "?raw", import: "default" },
);

const NAMES: { [key: string]: string } = {
  "cohen-hamo-2001": "Cohen & Hamo: balanced packet discard",
  "keshav-morgan-1997": "Keshav & Morgan: SMART and packet-pair",
  "viswanathan-kamal": "Viswanathan & Kamal: router-assisted recovery",
  "chan-wang-chen-2002": "Chan, Wang & Chen: GFR by push-out",
  "lai-lin-hung-1999": "Lai, Lin & Hung: TCP over ABR",
};

export interface Bundled {
  /** `dumbbell`, or `cohen-hamo-2001/fig-03`: as in an address. */
  key: string;
  label: string;
  group: string;
  /** Name of the file for messages and commands. */
  origin: string;
  text(): Promise<string>;
}

function words(file: string): string {
  const found = /^(fig|table|section|extra)-(.*)$/.exec(file);
  if (!found) return file;
  const [, kind = "", rest = ""] = found;
  const numbers = rest.replace(/^0/, "").replace(/-0?(\d)/g, " to $1");
  if (kind === "fig") return `Fig. ${numbers}`;
  if (kind === "table") return `Table ${rest.replaceAll("-", ", ")}`;
  if (kind === "section") return `§${rest.replaceAll("-", ".")}`;
  return `Extra: ${rest.replaceAll("-", " ")}`;
}

export const BUNDLED: Bundled[] = [
  ...Object.entries(STARTERS).map(([path, text]) => {
    const file = path.slice(path.lastIndexOf("/") + 1);
    return { key: file.replace(".toml", ""), label: file.replace(".toml", ""), group: "Starters", origin: file, text };
  }),
  ...Object.entries(PAPERS).map(([path, text]) => {
    const [folder = "", file = ""] = path.split("/").slice(-2);
    const name = file.replace(".toml", "");
    return { key: `${folder}/${name}`, label: words(name), group: NAMES[folder] ?? folder, origin: `papers/${folder}/${file}`, text };
  }),
];

/** The key of a starter, which `dupack new` writes; those of papers have a folder. */
export const STARTER = /^[^/]+$/;

export function bundled(key: string): Bundled | undefined {
  return BUNDLED.find((one) => one.key === key);
}
