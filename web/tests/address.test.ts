/** What an address may bring with it: a command that readers copy stays a command. */

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { checked } from "../src/state/share";
import { asked, command } from "../src/state/state";
import { shell } from "../src/state/toml";

const told = (found: object): string => command(asked(checked(found), false, null), undefined);

test("a file's name is no option, and has no control characters", () => {
  expect(told({ origin: "--help" })).toBe("dupack run ./--help");
  expect(told({ origin: "a\u001b]0;x\u0007\nrm -rf b.toml" })).toBe("dupack run 'a]0;xrm -rf b.toml'");
  expect(told({ origin: "x'; rm -rf ~; '.toml" })).toBe("dupack run 'x'\\''; rm -rf ~; '\\''.toml'");
  expect(told({ origin: "\u0000" })).toBe("dupack run plan.toml");
  expect(told({ origin: "a".repeat(1000) }).length).toBeLessThan(300);
});

test("a terminal gets printable characters only", () => {
  for (const found of [{ sets: ['title="\u001b[2J"'] }, { changes: [{ at_s: 1, link: "a\u202eb\n", rate_bps: 5 }] }, { sets: ["a='\\'\u2028"] }]) {
    expect(told({ origin: "a.toml", ...found })).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  }
  expect(shell("a\u001bb'c\\d!")).toBe(`"$(printf 'a\\033b\\047c\\\\d\\041')"`);
});

const WORDS = ["a b", "it's", "$HOME `id` \\ \"x\" !! *", "a\tb\nc", "\u001b[2J100 % \\n 'x' !! $HOME `id`", "\u202e\u2028\u0085", "ä\u200b𝄞", "-x\u0007"];
const SHELLS = ["sh", "dash", "bash", "zsh", "ksh", "busybox"].filter((name) => spawnSync(name, name === "busybox" ? ["sh", "-c", ":"] : ["-c", ":"]).status === 0);

test.each(SHELLS)("%s reads a word as it is", (name) => {
  for (const word of WORDS) {
    const line = `printf %s ${shell(word)}`;
    const done = spawnSync(name, name === "busybox" ? ["sh", "-c", line] : ["-c", line], { encoding: "utf8" });
    expect(done.stdout, line).toBe(word);
  }
});

test("layout is taken if it is one", () => {
  expect(checked({ tab: "results", zoom: [1, 2] })).toMatchObject({ tab: "results", zoom: [1, 2] });
  for (const zoom of [[2, 1], [1], "1", [1, Infinity], [-1, 2], null]) expect(checked({ zoom }).zoom).toBeNull();
  expect(checked({ tab: "<b>" }).tab).toBe("");
});
