/** The page's side of the worker. */

import type { Advanced, Answer, Asked, Catalogue, Checked, Explanation, Kept, Request, Scene, Settled } from "./protocol";

interface Waiting {
  resolve(answer: Answer<never>): void;
  timer: number;
}

export class Client {
  /** A request without an answer for so long ends the worker [ms]: a plan may ask for more than there is time for. */
  static patience = 20_000;
  private worker: Worker | undefined;
  private waiting = new Map<number, Waiting>();
  private last = 0;

  private start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<{ id: number; answer: Answer<never> }>) => {
      const one = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (!one) return;
      clearTimeout(one.timer);
      one.resolve(data.answer);
    };
    worker.onerror = (event) => this.stop(event.message || "the worker could not be started");
    return worker;
  }

  /** Ends the worker; every request under way has `why` as its answer. */
  stop(why: string): void {
    this.worker?.terminate();
    this.worker = undefined;
    for (const one of this.waiting.values()) {
      clearTimeout(one.timer);
      one.resolve({ errors: [why] });
    }
    this.waiting.clear();
  }

  private ask<T>(request: Request): Promise<Answer<T>> {
    this.worker ??= this.start();
    const id = ++this.last;
    const { patience } = Client;
    return new Promise((resolve) => {
      const late = () => this.stop(`nothing for ${patience / 1000} s: the plan asks for too much; write a shorter duration or lower rates`);
      this.waiting.set(id, { resolve: resolve as (answer: Answer<never>) => void, timer: window.setTimeout(late, patience) });
      this.worker?.postMessage({ id, request });
    });
  }

  check = (asked: Asked) => this.ask<Checked>({ what: "check", asked });
  settle = (asked: Asked) => this.ask<Settled>({ what: "settle", asked });
  finish = (slot: number) => this.ask<string>({ what: "finish", slot });
  run = (asked: Asked) => this.ask<string>({ what: "run", asked });
  record = (asked: Asked, qlog: string | null) => this.ask<string>({ what: "record", asked, qlog });
  open = (slot: number, asked: Asked) => this.ask<Scene>({ what: "open", slot, asked });
  keep = (most: number) => this.ask<Kept>({ what: "keep", most });
  resume = (id: number) => this.ask<null>({ what: "resume", id });
  forget = (ids: number[]) => this.ask<null>({ what: "forget", ids });
  catalogue = () => this.ask<Catalogue>({ what: "catalogue" });
  explain = (asked: Asked, flow: string | null, at_ps: number) => this.ask<Explanation>({ what: "explain", asked, flow, at_ps });
  advance = (slot: number, from_s: number, until_s: number, step_s: number, budget_ms: number, cells_s = 0) =>
    this.ask<Advanced>({ what: "advance", slot, from_s, until_s, step_s, budget_ms, cells_s });
}
