import { render } from "preact";
import { App } from "./parts/App";
import { Shared } from "./parts/hooks";
import { Lab } from "./state/lab";
import { Player } from "./state/player";
import { addressed, served } from "./state/start";
import "./style.css";

const embedded = new URLSearchParams(location.search).has("embed");
const lab = new Lab(!embedded);
const player = new Player(lab);
const room = document.getElementById("app");

async function begin(hash: string): Promise<void> {
  const given = hash.length > 1;
  try {
    const state = given ? null : await served();
    if (state) lab.files.set(state.origin, state.plan);
    await lab.set(state ?? addressed(hash));
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    await lab.set(await addressed(""));
    lab.errors = [`address: ${told}`];
    lab.changed();
  }
}

if (room) {
  render(
    <Shared.Provider value={{ lab, player }}>
      <App embedded={embedded} />
    </Shared.Provider>,
    room,
  );
  void begin(location.hash);
}

// The address that was entered: by now the page may have written that of its own state over it.
addEventListener("hashchange", (event: HashChangeEvent) => void begin(new URL(event.newURL).hash));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event: DragEvent) => {
  event.preventDefault();
  void lab.open(event.dataTransfer?.files[0]);
});

if (import.meta.env.PROD && "serviceWorker" in navigator && !embedded) {
  // Where it is not allowed the page works all the same, but not without a network.
  navigator.serviceWorker.register("./service-worker.js").catch(() => undefined);
}

// For tests in a browser.
Object.assign(window, { lab });
