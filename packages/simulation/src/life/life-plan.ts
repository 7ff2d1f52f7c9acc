/**
 * What happens in a life: where isolates are, and what visitors, people and operators do at which moment. A plan is data, made from the
 * seed alone, so that a failing one can be shrunk by leaving things out. A new kind of event is an arm of LifeEvent, a line of
 * `generateEvents` and an arm of `playEvent` (run-life.ts).
 */
import { type Fault, FAULTS } from "../platform/network.ts";
import { createSeeded, type Seeded } from "../time/seeded.ts";

export type LifeEvent = { readonly atMs: number } & (
  | {
      readonly kind: "visit";
      readonly colo: string;
      readonly isolate: number;
      readonly host: string;
      readonly slug: string;
      readonly hangsUp: boolean;
    }
  | { readonly kind: ChangeKind; readonly host: string; readonly slug: string }
  | { readonly kind: "take-domain"; readonly host: string; readonly workspace: Workspace }
  | { readonly kind: "remove-domain"; readonly host: string }
  | { readonly kind: "lend-key"; readonly workspace: Workspace; readonly forMs: number }
  | { readonly kind: "add-webhook"; readonly workspace: Workspace }
  | { readonly kind: "fault"; readonly fault: Fault; readonly forMs: number; readonly share: number }
  | { readonly kind: "evict"; readonly colo: string; readonly isolate: number }
  | { readonly kind: "evict-single"; readonly worker: "api" | "consumer" }
  | { readonly kind: "reset-objects" }
);

/** `move` gives a link another slug; the old one stays with it. `create-capped` has a strict cap. */
export type ChangeKind = "create" | "create-capped" | "edit" | "move" | "delete" | "disable" | "enable";

export type LifePlan = {
  readonly seed: number;
  readonly lastsMs: number;
  readonly feedDistanceMs: number;
  /** CLICK_LINGER_MS. */
  readonly lingerMs: number;
  readonly events: readonly LifeEvent[];
};

export const WORKSPACES = ["north", "south"] as const;
export type Workspace = (typeof WORKSPACES)[number];

/** Whose they are in the beginning. */
export const HOSTS: Readonly<Record<string, Workspace>> = {
  "go.example.com": "north",
  "to.example.com": "south",
};
/** Of links with a cap. */
export const MAX_CLICKS = 7;

const SLUGS = ["spring", "summer", "Autumn", "winter"];
const COLOS = ["AMS", "NRT", "GRU"];

export function planLife(seed: number): LifePlan {
  const random = createSeeded(seed).fork("plan");
  const lastsMs = random.between(60, 240) * 1_000;
  return {
    seed,
    lastsMs,
    feedDistanceMs: random.pick([4, 20, 40, 250]),
    lingerMs: random.pick([0, 1_000, 1_000]),
    events: generateEvents(random, lastsMs).toSorted((one, other) => one.atMs - other.atMs),
  };
}

function generateEvents(random: Seeded, lastsMs: number): readonly LifeEvent[] {
  const host = (): string => random.pick(Object.keys(HOSTS));
  const address = () => ({ host: host(), slug: random.pick(SLUGS) });
  const colos = COLOS.slice(0, random.between(1, 3));
  const isolates = random.between(1, 3);
  const place = () => ({ colo: random.pick(colos), isolate: random.between(1, isolates) });
  const many = (perMinute: number, make: () => LifeEvent): readonly LifeEvent[] =>
    Array.from({ length: Math.round((random.next() * 2 * perMinute * lastsMs) / 60_000) }, make);
  const at = (): number => random.between(1_000, lastsMs);
  // From now and then to a crowd.
  const visits = random.pick([10, 60, 200]);
  const hangUps = random.pick([0, 0, 0.05]);
  const spells = random.chance(0.6) ? random.between(1, 4) : 0;
  return [
    ...Object.keys(HOSTS).flatMap((known) =>
      SLUGS.map((slug): LifeEvent => ({ atMs: 100, kind: "create", host: known, slug })),
    ),
    ...many(visits, () => ({
      atMs: at(),
      kind: "visit",
      ...place(),
      ...address(),
      hangsUp: random.chance(hangUps),
    })),
    ...many(8, () => ({ atMs: at(), kind: "edit", ...address() })),
    ...many(4, () => ({
      atMs: at(),
      kind: random.pick(["delete", "create", "create-capped", "move"] as const),
      ...address(),
    })),
    ...many(random.pick([0, 0, 2]), () => ({ atMs: at(), kind: "remove-domain", host: host() })),
    ...many(random.pick([0, 4]), () => ({
      atMs: at(),
      kind: "take-domain",
      host: host(),
      workspace: random.pick(WORKSPACES),
    })),
    ...many(0.5, () => ({
      atMs: at(),
      kind: "lend-key",
      workspace: random.pick(WORKSPACES),
      forMs: random.between(1, 40) * 1_000,
    })),
    ...many(0.3, () => ({ atMs: at(), kind: "add-webhook", workspace: random.pick(WORKSPACES) })),
    ...many(2, () => ({ atMs: at(), kind: random.pick(["disable", "enable"] as const), ...address() })),
    ...many(random.pick([0, 0.5, 2]), () => ({ atMs: at(), kind: "evict", ...place() })),
    ...many(0.3, () => ({
      atMs: at(),
      kind: "evict-single",
      worker: random.pick(["api", "consumer"] as const),
    })),
    ...many(0.3, () => ({ atMs: at(), kind: "reset-objects" })),
    ...Array.from({ length: spells }, (): LifeEvent => ({
      atMs: at(),
      kind: "fault",
      fault: random.pick(FAULTS),
      forMs: random.between(2, 60) * 1_000,
      share: random.pick([0.2, 0.5, 1]),
    })),
  ];
}
