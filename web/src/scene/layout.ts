/** Places for nodes: hosts that send at the left, the way of the data to the right. */

import type { Scene } from "../engine/protocol";

export interface Place {
  /** From 0 to 1. */
  x: number;
  y: number;
  name: string;
  kind: "host" | "switch";
  /** Hosts of its layer: with many, names are left out. */
  crowd: number;
}

export interface Layout {
  places: Map<string, Place>;
  layers: number;
  /** The most nodes in a layer. */
  widest: number;
}

/** Tiers of a data centre, hosts at the bottom; null for other networks. There, connections come and go between hosts, or most hosts send and
 * receive, and some switches have no hosts. */
function tiers(scene: Scene, beside: Map<string, Set<string>>): Layout | null {
  const hosts = scene.nodes.filter((node) => node.kind === "host").map((node) => node.name);
  const switches = scene.nodes.filter((node) => node.kind === "switch").map((node) => node.name);
  const isHost = new Set(hosts);
  const inner = switches.filter((name) => ![...(beside.get(name) ?? [])].some((other) => isHost.has(other)));
  const sends = new Set(scene.flows.map((flow) => flow.from));
  const both = new Set(scene.flows.map((flow) => flow.to).filter((name) => sends.has(name)));
  const among = scene.flows.some((flow) => flow.arrivals) || both.size * 2 >= hosts.length;
  if (hosts.length < 4 || inner.length === 0 || switches.length < 4 || !among) return null;
  const tier = new Map(hosts.map((name) => [name, 0]));
  let open = hosts;
  while (open.length > 0) {
    const reached: string[] = [];
    for (const name of open) {
      for (const other of beside.get(name) ?? []) {
        if (tier.has(other)) continue;
        tier.set(other, (tier.get(name) ?? 0) + 1);
        reached.push(other);
      }
    }
    open = reached;
  }
  const top = Math.max(...tier.values());
  const rank = new Map<string, number>();
  const places = new Map<string, Place>();
  for (let level = 0; level <= top; level++) {
    const row = scene.nodes.filter((node) => tier.get(node.name) === level);
    const mean = (name: string) => {
      const below = [...(beside.get(name) ?? [])].flatMap((other) => rank.get(other) ?? []);
      return below.length > 0 ? below.reduce((sum, one) => sum + one, 0) / below.length : 0;
    };
    const order = row.map((node, at) => ({ node, at, by: level === 0 ? at : mean(node.name) })).sort((a, b) => a.by - b.by || a.at - b.at);
    order.forEach(({ node }, at) => {
      const x = (at + 0.5) / order.length;
      rank.set(node.name, x);
      places.set(node.name, { x, y: top > 0 ? 1 - level / top : 0.5, name: node.name, kind: node.kind, crowd: order.length });
    });
  }
  return { places, layers: top + 1, widest: 8 };
}

/** Layers by the longest way of data to each node; within a layer by the neighbours, so that links cross seldom. */
export function layout(scene: Scene): Layout {
  const layer = new Map<string, number>();
  const next = new Map<string, Set<string>>();
  const beside = new Map<string, Set<string>>();
  const join = (of: Map<string, Set<string>>, from: string, to: string) => of.set(from, (of.get(from) ?? new Set()).add(to));
  for (const link of scene.links) {
    join(beside, link.from, link.to);
    join(beside, link.to, link.from);
  }
  const clos = tiers(scene, beside);
  if (clos) return clos;
  for (const flow of scene.flows) {
    for (const at of flow.forward) {
      const link = scene.links[at];
      // Flows in both directions would make a circle: the first direction counts.
      if (link && !reaches(next, link.to, link.from)) join(next, link.from, link.to);
    }
  }
  for (const node of scene.nodes) layer.set(node.name, 0);
  for (let again = 0; again < scene.nodes.length; again++) {
    let moved = false;
    for (const [from, all] of next) {
      for (const to of all) {
        const wanted = (layer.get(from) ?? 0) + 1;
        if ((layer.get(to) ?? 0) < wanted) {
          layer.set(to, wanted);
          moved = true;
        }
      }
    }
    if (!moved) break;
  }
  settle(scene, layer, beside);
  star(scene, layer);
  const layers = Math.max(0, ...layer.values()) + 1;
  const columns: string[][] = Array.from({ length: layers }, () => []);
  for (const node of scene.nodes) columns[layer.get(node.name) ?? 0]?.push(node.name);
  const rank = new Map<string, number>();
  for (const column of columns) {
    const mean = (name: string) => {
      const near = [...(beside.get(name) ?? [])].flatMap((other) => rank.get(other) ?? []);
      return near.length > 0 ? near.reduce((sum, one) => sum + one, 0) / near.length : 0.5;
    };
    const order = column.map((name, at) => ({ name, at, by: mean(name) }));
    order.sort((a, b) => a.by - b.by || a.at - b.at);
    order.forEach(({ name }, at) => rank.set(name, (at + 0.5) / column.length));
    column.splice(0, column.length, ...order.map(({ name }) => name));
  }
  const places = new Map<string, Place>();
  for (const node of scene.nodes) {
    const at = layer.get(node.name) ?? 0;
    const crowd = columns[at]?.length ?? 1;
    places.set(node.name, { x: layers > 1 ? at / (layers - 1) : 0.5, y: rank.get(node.name) ?? 0.5, name: node.name, kind: node.kind, crowd });
  }
  return { places, layers, widest: Math.max(1, ...columns.map((column) => column.length)) };
}

/** Hosts of a group around a switch that send to each other stand half at its left and half at its right. */
function star(scene: Scene, layer: Map<string, number>): void {
  const hosts = scene.nodes.filter((node) => node.kind === "host").map((node) => node.name);
  const [hub, ...others] = scene.nodes.filter((node) => node.kind === "switch").map((node) => node.name);
  const group = (name: string) => name.replace(/-\d+$/, "");
  const among = scene.flows.length > 0 && scene.flows.every((flow) => group(flow.from) === group(flow.to));
  if (hub === undefined || others.length > 0 || hosts.length < 4 || !among) return;
  layer.set(hub, 1);
  hosts.forEach((name, at) => layer.set(name, at * 2 < hosts.length ? 0 : 2));
}

/** A host with a single line stands outside of its switch: at the left of the first switches, at the right of the last ones. Elsewhere it
 * stands where its data goes. */
function settle(scene: Scene, layer: Map<string, number>, beside: Map<string, Set<string>>): void {
  const of = (name: string) => layer.get(name) ?? 0;
  const switches = scene.nodes.filter((node) => node.kind === "switch").map((node) => of(node.name));
  const [first, last] = [Math.min(...switches), Math.max(...switches)];
  const sends = new Set(scene.flows.map((flow) => flow.from));
  const receives = new Set(scene.flows.map((flow) => flow.to));
  for (const node of scene.nodes) {
    const near = [...(beside.get(node.name) ?? [])];
    if (node.kind === "switch" || near.length !== 1) continue;
    const at = of(near[0] as string);
    const apart = first < last && (at === first || at === last);
    const left = apart ? at === first : sends.has(node.name) || !receives.has(node.name);
    layer.set(node.name, at + (left ? -1 : 1));
  }
  const least = Math.min(...layer.values());
  for (const [name, at] of layer) layer.set(name, at - least);
}

function reaches(next: Map<string, Set<string>>, from: string, to: string): boolean {
  const [seen, open] = [new Set<string>(), [from]];
  while (open.length > 0) {
    const node = open.pop() as string;
    if (node === to) return true;
    if (seen.has(node)) continue;
    seen.add(node);
    open.push(...(next.get(node) ?? []));
  }
  return false;
}
