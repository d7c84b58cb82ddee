/** What the tests need of Node, so that no package of types is needed. */

declare module "node:child_process" {
  export function spawnSync(command: string, words: string[], options?: { encoding: "utf8" }): { status: number | null; stdout: string };
}

declare module "node:fs" {
  export function existsSync(path: string | URL): boolean;
  export function readFileSync(path: string | URL): Uint8Array<ArrayBuffer>;
}

declare module "node:process" {
  export const env: { [name: string]: string | undefined };
}
