/** Play, pause, steps, speed and time. */

import { useEffect, useRef } from "preact/hooks";
import { useLab, usePlayer } from "./hooks";
import { pace, seconds } from "./words";

export function Controls() {
  const lab = useLab();
  const player = usePlayer();
  const slider = useRef<HTMLInputElement>(null);
  const clock = useRef<HTMLOutputElement>(null);
  useEffect(
    () =>
      player.each(() => {
        // The reader's hand comes first while it holds the slider.
        if (slider.current && document.activeElement !== slider.current) slider.current.value = String(lab.state.at);
        if (slider.current && lab.playing) slider.current.value = String(lab.state.at);
        // A screen reader is told of it when it asks, not at each frame.
        if (slider.current && !lab.playing) slider.current.setAttribute("aria-valuetext", seconds(Math.max(0, lab.state.at), 3));
        if (clock.current) clock.current.value = `${seconds(Math.max(0, lab.state.at))}${player.waits ? " …" : ""}`;
      }),
    [player, lab],
  );
  const speed = Math.log10(lab.speed);
  return (
    <div class="controls" role="group" aria-label="Time">
      <button type="button" class="play" onClick={() => lab.play(!lab.playing)} aria-label={lab.playing ? "Pause" : "Play"} title="Space">
        {lab.playing ? "❚❚" : "▶"}
      </button>
      <button type="button" onClick={() => void lab.step(false)} aria-label="One event back" title="Left arrow: one event back">
        ◂|
      </button>
      <button type="button" onClick={() => void lab.step(true)} aria-label="One event on" title="Right arrow: one event on">
        |▸
      </button>
      <input
        ref={slider}
        class="time"
        type="range"
        min={0}
        max={lab.end}
        step="any"
        aria-label="Time in the run"
        onInput={(event) => lab.seek(Number(event.currentTarget.value))}
      />
      <output ref={clock} class="clock" aria-live="off" />
      <label class="speed">
        <span>speed {pace(lab.speed)}</span>
        <input
          type="range"
          min={-6}
          max={0}
          step={0.05}
          value={speed}
          aria-valuetext={pace(lab.speed)}
          onInput={(event) => lab.change({ speed: 10 ** Number(event.currentTarget.value) })}
        />
      </label>
    </div>
  );
}

/** Keys that work everywhere but in fields. */
export function Keys() {
  const lab = useLab();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const on = event.target as HTMLElement;
      if (on.closest("input, textarea, select, [role=tab]") || event.ctrlKey || event.metaKey || event.altKey) return;
      // A button, a link or a summary takes the space bar itself, and no other of these keys.
      if (event.key === " " && on.closest("button, a, summary")) return;
      if (event.key === " ") lab.play(!lab.playing);
      else if (event.key === "ArrowRight") void lab.step(true);
      else if (event.key === "ArrowLeft") void lab.step(false);
      else if (event.key === "Home") lab.seek(0);
      else if (event.key === "End") lab.seek(lab.end);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [lab]);
  return null;
}
