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
  /** All clocks of one data centre go ahead or behind by so much for a while. */
  | { readonly kind: "clock-step"; readonly colo: string; readonly byMs: number; readonly forMs: number }
  | { readonly kind: "reset-objects" }
);

/**
 * `move` gives a link another slug; the old one stays with it, until `release` makes it free for another link. `create-capped` has a
 * strict cap. `import` replaces the link, or makes it. `restore` brings back what is in the trash, which keeps its slug for a month.
 */
export type ChangeKind =
  | "create"
  | "create-capped"
  | "import"
  | "release"
  | "restore"
  | "edit"
  | "move"
  | "delete"
  | "disable"
  | "enable"
  | "lock"
  | "unlock";

export type Address = { readonly host: string; readonly slug: string };

export type LifePlan = {
  readonly seed: number;
  readonly lastsMs: number;
  readonly feedDistanceMs: number;
  /** CLICK_LINGER_MS. */
  readonly lingerMs: number;
  /** Nights after all has settled: days are over then, and are made into the cube. */
  readonly nights: number;
  /** RETENTION_DAYS. */
  readonly retentionDays: number;
  readonly events: readonly LifeEvent[];
};

export const WORKSPACES = ["north", "south"] as const;
export type Workspace = (typeof WORKSPACES)[number];

/** Whose they are in the beginning. */
export const HOSTS: Readonly<Record<string, Workspace>> = {
  "go.example.com": "north",
  "to.example.com": "south",
};
/** Of links with a cap. Isolates take uses of the larger one before they need them. */
export const CAPS = [7, 150];

const SLUGS = ["spring", "summer", "Autumn", "winter"];
const TOGETHER: readonly (readonly Fault[])[] = [
  ["queue.refuses", "database.down"],
  ["kv.read-fails", "database.down"],
  ["feed.down", "kv.write-hangs"],
  ["feed.down", "kv.read-fails"],
];
const COLOS = ["AMS", "NRT", "GRU"];

export function planLife(seed: number): LifePlan {
  const random = createSeeded(seed).fork("plan");
  const lastsMs = random.between(60, 240) * 1_000;
  return {
    seed,
    lastsMs,
    feedDistanceMs: random.pick([4, 20, 40, 250]),
    lingerMs: random.pick([0, 1_000, 1_000]),
    nights: createSeeded(seed).fork("nights").pick([0, 0, 0, 2]),
    retentionDays: createSeeded(seed).fork("retention").pick([0, 1]),
    events: generateEvents(random, lastsMs)
      .filter(({ atMs }) => atMs >= 0 && atMs <= lastsMs)
      .toSorted((one, other) => one.atMs - other.atMs),
  };
}

function generateEvents(random: Seeded, lastsMs: number): readonly LifeEvent[] {
  const host = (): string => random.pick(Object.keys(HOSTS));
  const address = (): Address => ({ host: host(), slug: random.pick(SLUGS) });
  const colos = COLOS.slice(0, random.between(1, 3));
  const isolates = random.between(1, 3);
  const place = () => ({ colo: random.pick(colos), isolate: random.between(1, isolates) });
  const many = <Item>(perMinute: number, make: () => Item): readonly Item[] =>
    Array.from({ length: Math.round((random.next() * 2 * perMinute * lastsMs) / 60_000) }, make);
  const at = (): number => random.between(1_000, lastsMs);
  // From now and then to a crowd.
  const visits = random.pick([10, 60, 200]);
  const hangUps = random.pick([0, 0, 0.05]);
  const visitOf = (address: Address, atMs: number): LifeEvent => ({
    atMs,
    kind: "visit",
    ...place(),
    ...address,
    hangsUp: random.chance(hangUps),
  });
  /** A change is interesting to those who come just before and after it. */
  const changeOf = (kind: ChangeKind, of: Address, atMs: number): readonly LifeEvent[] => [
    { atMs, kind, ...of },
    ...Array.from({ length: random.between(0, 6) }, () =>
      visitOf(of, atMs + random.between(-2_000, random.pick([3_000, 8_000, 130_000]))),
    ),
  ];
  /** A domain goes to whoever asks first, with the same slugs. At once is too soon: two minutes later it is free. */
  const handOver = (of: string, atMs: number): readonly LifeEvent[] => [
    { atMs, kind: "remove-domain", host: of },
    ...SLUGS.map((slug) => visitOf({ host: of, slug }, atMs - random.between(0, 5_000))),
    ...[random.between(500, 15_000), random.between(120_000, 190_000)].flatMap((afterMs) => [
      ...[0, 5_000].map((laterMs): LifeEvent => ({
        atMs: atMs + afterMs + laterMs,
        kind: "take-domain",
        host: of,
        workspace: random.pick(WORKSPACES),
      })),
      ...SLUGS.flatMap((slug) => [
        visitOf({ host: of, slug }, atMs + afterMs + random.between(0, 4_000)),
        ...(random.chance(0.5)
          ? changeOf("create", { host: of, slug }, atMs + afterMs + random.between(500, 20_000))
          : []),
      ]),
    ]),
  ];
  const free = (of: Address, atMs: number): readonly LifeEvent[] => [
    { atMs: atMs - 400, kind: "move", ...of },
    ...changeOf("release", of, atMs),
  ];
  /** Another link under the same slug, at once or after a while. */
  const replace = (of: Address, atMs: number): readonly LifeEvent[] => [
    ...free(of, atMs),
    ...changeOf(
      random.pick(["create", "import", "create-capped"]),
      of,
      atMs + random.between(100, random.pick([2_000, 40_000])),
    ),
  ];
  const deleteAndRestore = (of: Address, atMs: number): readonly LifeEvent[] => [
    ...changeOf("delete", of, atMs),
    ...changeOf("restore", of, atMs + random.between(100, random.pick([2_000, 40_000]))),
  ];
  /** One thing fails, or what one tier is there to replace and the tier; and people go on. */
  const badSpell = (atMs: number): readonly LifeEvent[] => {
    const edited = address();
    const faults: readonly Fault[] = random.chance(0.6) ? [random.pick(FAULTS)] : random.pick(TOGETHER);
    const [leastSeconds, shares] = faults.length === 1 ? [2, [0.2, 0.5, 1]] : [10, [0.5, 0.8, 1]];
    const forMs = random.between(leastSeconds, random.pick([20, 60, 200])) * 1_000;
    const cold = place();
    return [
      // An isolate that holds nothing needs the tiers that fail.
      { atMs: atMs + 300, kind: "evict", ...cold },
      ...Array.from({ length: 8 }, () => ({
        ...visitOf(address(), atMs + random.between(400, forMs)),
        ...cold,
      })),
      ...faults.map((fault): LifeEvent => ({
        atMs,
        kind: "fault",
        fault,
        forMs,
        share: random.pick(shares),
      })),
      ...[0, random.pick([100, 1_500]), 20_000].flatMap((afterMs) =>
        changeOf("edit", edited, atMs + 500 + afterMs),
      ),
    ];
  };
  /** All want the same link, which has a cap. */
  const rush = (of: Address, atMs: number): readonly LifeEvent[] => [
    ...free(of, atMs),
    { atMs: atMs + 3_000, kind: "create-capped", ...of },
    ...Array.from({ length: 250 }, () => visitOf(of, atMs + random.between(6_000, 60_000))),
  ];
  /** One visitor's isolate, without the feed until the end: it learns of a change from KV alone, or from the database. */
  const feedless = (of: Address): readonly LifeEvent[] => {
    const there = place();
    const untilEnd = { kind: "fault", forMs: lastsMs } as const;
    return [
      { atMs: 4_000, ...untilEnd, fault: "feed.down", share: 1 },
      ...(random.chance(0.5)
        ? [{ atMs: 8_000, ...untilEnd, fault: "kv.read-fails", share: 0.5 } as const]
        : []),
      ...changeOf(random.pick(["edit", "edit", "delete"]), of, 10_000),
      ...Array.from({ length: 60 }, (_, index) => ({ ...visitOf(of, 2_000 + index * 4_000), ...there })),
    ];
  };
  const spells = random.chance(0.6) ? random.between(1, 4) : 0;
  return [
    ...Object.keys(HOSTS).flatMap((known) =>
      SLUGS.map((slug): LifeEvent => {
        const kind = random.chance(0.2) ? "create-capped" : "create";
        return { atMs: 100, kind, host: known, slug };
      }),
    ),
    ...WORKSPACES.filter(() => random.chance(0.5)).map((workspace): LifeEvent => ({
      atMs: 50,
      kind: "add-webhook",
      workspace,
    })),
    ...many(visits, () => visitOf(address(), at())),
    ...many(8, () => changeOf("edit", address(), at())).flat(),
    ...many(5, () =>
      changeOf(
        random.pick(["delete", "create", "import", "move", "disable", "enable", "lock", "unlock"]),
        address(),
        at(),
      ),
    ).flat(),
    ...many(random.pick([0, 1, 4]), () => replace(address(), at())).flat(),
    ...many(random.pick([0, 1]), () => deleteAndRestore(address(), at())).flat(),
    ...many(random.pick([0, 0.5, 1]), () => handOver(host(), random.between(1_000, lastsMs / 3))).flat(),
    ...many(random.pick([0, 0.5, 2]), (): LifeEvent => ({ atMs: at(), kind: "evict", ...place() })),
    ...many(0.3, (): LifeEvent => ({
      atMs: at(),
      kind: "evict-single",
      worker: random.pick(["api", "consumer"] as const),
    })),
    ...many(0.3, (): LifeEvent => ({ atMs: at(), kind: "reset-objects" })),
    ...many(random.pick([0, 0, 0.5]), (): LifeEvent => ({
      atMs: at(),
      kind: "clock-step",
      colo: random.pick(colos),
      byMs: random.pick([-2_000, -500, 500, 2_000]),
      forMs: random.between(1, 30) * 1_000,
    })),
    ...many(0.5, (): LifeEvent => ({
      atMs: at(),
      kind: "lend-key",
      workspace: random.pick(WORKSPACES),
      forMs: random.between(1, 40) * 1_000,
    })),
    ...many(0.5, (): LifeEvent => ({ atMs: at(), kind: "add-webhook", workspace: random.pick(WORKSPACES) })),
    ...Array.from({ length: spells }, () => badSpell(at())).flat(),
    ...(random.chance(0.2) ? rush(address(), random.between(5_000, 40_000)) : []),
    ...(random.chance(0.2) ? feedless(address()) : []),
  ];
}
