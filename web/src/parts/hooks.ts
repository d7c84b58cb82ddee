import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Lab } from "../state/lab";
import type { Player } from "../state/player";

export interface Tools {
  lab: Lab;
  player: Player;
}

export const Shared = createContext<Tools>(null as unknown as Tools);

/** The laboratory; the component is drawn again when something changes. */
export function useLab(): Lab {
  const { lab } = useContext(Shared);
  const [, again] = useState(0);
  useEffect(() => {
    // What changed between the drawing and now was not heard.
    again(lab.version);
    return lab.listen(() => again(lab.version));
  }, [lab]);
  return lab;
}

export function usePlayer(): Player {
  return useContext(Shared).player;
}

/** Whether the system asks for something, such as dark colours. */
export function useQuery(query: string): boolean {
  const [list] = useState(() => matchMedia(query));
  const [matches, set] = useState(list.matches);
  useEffect(() => {
    const change = () => set(list.matches);
    list.addEventListener("change", change);
    return () => list.removeEventListener("change", change);
  }, [list]);
  return matches;
}
