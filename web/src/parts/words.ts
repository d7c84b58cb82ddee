/** Numbers and events as people read them. */

export function seconds(time: number, digits = 6): string {
  return `${time.toFixed(digits)} s`;
}

/** A duration in a unit that suits it. */
export function span(time: number): string {
  if (time >= 1 || time === 0) return `${trim(time)} s`;
  if (time >= 1e-3) return `${trim(time * 1e3)} ms`;
  return `${trim(time * 1e6)} µs`;
}

export function bits(bps: number): string {
  if (bps >= 1e9) return `${trim(bps / 1e9)} Gb/s`;
  if (bps >= 1e6) return `${trim(bps / 1e6)} Mb/s`;
  if (bps >= 1e3) return `${trim(bps / 1e3)} kb/s`;
  return `${trim(bps)} b/s`;
}

export function trim(number: number): string {
  return Number(number.toPrecision(4)).toLocaleString("en");
}

const EVENTS: { [event: string]: string } = {
  drop: "dropped",
  mark: "marked",
  trim: "trimmed",
  timeout: "timeout",
  fast_retransmit: "fast retransmit",
};

export function event(word: string): string {
  return EVENTS[word] ?? word;
}

/** Slow motion, as in "1/100". */
export function pace(speed: number): string {
  return speed >= 1 ? "real time" : `1/${trim(Math.round(1 / speed))}`;
}
