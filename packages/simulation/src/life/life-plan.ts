/**
 * What happens in a life: where isolates are, and what visitors, people and operators do at which moment. A plan is data, made from the
 * seed alone, so that a failing one can be shrunk by leaving things out. A new kind of event is an arm of LifeEvent, a line of
 * `generateEvents` and an arm of `playEvent` (run-life.ts).
 */
import { CLICKHOUSE_FAULTS, type Fault, FAULTS } from "../platform/network.ts";
import { createSeeded, type Seeded } from "../time/seeded.ts";

export type LifeEvent = { readonly atMs: number } & (
  | {
      readonly kind: "visit";
      readonly colo: string;
      readonly isolate: number;
      readonly host: string;
      readonly slug: string;
      readonly ends?: VisitEnd;
    }
  | {
      readonly kind: ChangeKind;
      readonly host: string;
      readonly slug: string;
      /** Of an import: the slug is what theirs begin with. One, if it is absent. */
      readonly links?: number;
    }
  | { readonly kind: "take-domain"; readonly host: string; readonly workspace: Workspace }
  | { readonly kind: "remove-domain"; readonly host: string }
  | { readonly kind: "lend-key" | "employ"; readonly workspace: Workspace; readonly forMs: number }
  | { readonly kind: "add-webhook"; readonly workspace: Workspace }
  | { readonly kind: "fault"; readonly fault: Fault; readonly forMs: number; readonly share: number }
  | { readonly kind: "evict"; readonly colo: string; readonly isolate: number }
  | { readonly kind: "evict-single"; readonly worker: "api" | "consumer" }
  /** All clocks of one data centre go ahead or behind by so much for a while. */
  | { readonly kind: "clock-step"; readonly colo: string; readonly byMs: number; readonly forMs: number }
  | { readonly kind: "reset-objects" }
);

/**
 * How long after the visitor came. Who hangs up leaves what was given to waitUntil; the platform ends all of an invocation, as when its
 * CPU time is used up, and the isolate stays.
 */
type VisitEnd = { readonly how: "hangs-up" | "is-cut"; readonly afterMs: number };

/**
 * `move` gives a link another slug; the old one stays with it, until `release` makes it free for another link. `create-capped` has a
 * strict cap, `create-counted` a fast one. `import` replaces the link, or makes it. `restore` brings back what is in the trash, which
 * keeps its slug for a month.
 */
export type ChangeKind = Making | Setting | "edit" | "move" | "release" | "delete" | "restore";
type Making = "create" | "create-capped" | "create-counted" | "import";
const SETTINGS = ["disable", "enable", "lock", "unlock", "split", "unsplit"] as const;
type Setting = (typeof SETTINGS)[number];

export type Address = { readonly host: string; readonly slug: string };

export type LifePlan = {
  readonly seed: number;
  readonly lastsMs: number;
  /** Infinity: isolates do not follow it. */
  readonly feedDistanceMs: number;
  /** CLICK_LINGER_MS. */
  readonly lingerMs: number;
  /** Nights after all has settled: days are over then, and are made into the cube. */
  readonly nights: number;
  /** RETENTION_DAYS. */
  readonly retentionDays: number;
  readonly countsIn: "postgres" | "clickhouse";
  readonly events: readonly LifeEvent[];
};

export const WORKSPACES = ["north", "south"] as const;
export type Workspace = (typeof WORKSPACES)[number];

/** Whose they are in the beginning. */
export const HOSTS: Readonly<Record<string, Workspace>> = {
  "go.example.com": "north",
  "to.example.com": "south",
};
/** Of links with a cap. While 200 are left of the larger one, isolates take uses before they need them. */
export const CAPS = [7, 250];

const SLUGS = ["spring", "summer", "Autumn", "winter"];
/** All that a visitor's answer comes from. */
const TIERS: readonly Fault[] = ["kv.read-fails", "database.down"];
const TOGETHER: readonly (readonly Fault[])[] = [
  TIERS,
  ["queue.refuses", "database.down"],
  ["queue.refuses", "kv.write-refused"],
  ["feed.down", "kv.write-hangs"],
  ["feed.down", "kv.read-fails"],
];
/** More than are written to KV in a second, or end with the request that deletes their domain. */
const LINKS_OF_FILE = 300;
/** In one life of eight. */
const FEED_OFF = [1, 1, 1, 1, 1, 1, 1, Infinity];
const COLOS = ["AMS", "NRT", "GRU"];
/** So that a domain can change hands. */
const LONG_SECONDS = 250;

export function planLife(seed: number): LifePlan {
  const random = createSeeded(seed).fork("plan");
  const lastsMs = random.pick([random.between(60, 120), random.between(60, 120), LONG_SECONDS]) * 1_000;
  const counting = createSeeded(seed).fork("counting");
  const countsIn = counting.pick(["postgres", "postgres", "postgres", "clickhouse"] as const);
  const failures = countsIn === "clickhouse" ? failClickHouse(counting, lastsMs) : [];
  return {
    seed,
    lastsMs,
    feedDistanceMs: random.pick([4, 20, 40, 250]) * createSeeded(seed).fork("feed").pick(FEED_OFF),
    lingerMs: random.pick([0, 1_000, 1_000]),
    nights: createSeeded(seed).fork("nights").pick([0, 0, 0, 2]),
    retentionDays: createSeeded(seed).fork("retention").pick([0, 1]),
    countsIn,
    events: [...generateEvents(random, lastsMs), ...failures]
      .filter(({ atMs }) => atMs >= 0 && atMs <= lastsMs)
      .toSorted((one, other) => one.atMs - other.atMs),
  };
}

const failClickHouse = (random: Seeded, lastsMs: number): readonly LifeEvent[] =>
  CLICKHOUSE_FAULTS.filter(() => random.chance(0.5)).map((fault) => ({
    atMs: random.between(1_000, lastsMs),
    kind: "fault",
    fault,
    forMs: random.between(2, 90) * 1_000,
    share: random.pick([0.5, 1]),
  }));

const HANGS_UP: VisitEnd = { how: "hangs-up", afterMs: 2 };

/** Before the answer, or while its click is sent: at once, or after a second's linger. */
const cutAfter = (random: Seeded): VisitEnd => ({
  how: "is-cut",
  afterMs: random.between(0, random.pick([100, 1_100])),
});

function generateEvents(random: Seeded, lastsMs: number): readonly LifeEvent[] {
  const host = (): string => random.pick(Object.keys(HOSTS));
  const address = (): Address => ({ host: host(), slug: random.pick(SLUGS) });
  const newAddress = (): Address => ({ host: host(), slug: `new-${random.between(1, 1_000)}` });
  const colos = COLOS.slice(0, random.between(1, 3));
  const isolates = random.between(1, 3);
  const place = () => ({ colo: random.pick(colos), isolate: random.between(1, isolates) });
  const many = <Item>(perMinute: number, make: () => Item): readonly Item[] =>
    Array.from({ length: Math.round((random.next() * 2 * perMinute * lastsMs) / 60_000) }, make);
  const at = (): number => random.between(1_000, lastsMs);
  /** An isolate that is seldom asked, and holds what it held. */
  const idle = { colo: random.pick(colos), isolate: isolates + 1 };
  // From now and then to a crowd.
  const visits = random.pick([10, 60, 200]);
  const leaving = random.pick([0, 0, 0.08]);
  const visitOf = (address: Address, atMs: number, there = place()): LifeEvent => ({
    atMs,
    kind: "visit",
    ...there,
    ...address,
    ...(random.chance(leaving) ? { ends: random.pick([HANGS_UP, cutAfter(random)]) } : {}),
  });
  /** A change is interesting to those who come just before and after it. */
  const changeOf = (kind: ChangeKind, of: Address, atMs: number): readonly LifeEvent[] => [
    { atMs, kind, ...of },
    ...Array.from({ length: random.between(0, 6) }, () =>
      visitOf(of, atMs + random.between(-2_000, random.pick([3_000, 8_000, 130_000]))),
    ),
  ];
  /** For a while, of each some calls fail or all. What was down comes back slowly. */
  const outage = (faults: readonly Fault[], atMs: number, forMs: number): readonly LifeEvent[] =>
    faults.flatMap((fault): readonly LifeEvent[] => [
      { atMs, kind: "fault", fault, forMs, share: random.pick([0.5, 0.8, 1]) },
      { atMs: atMs + forMs, kind: "fault", fault, forMs: random.between(0, 60_000), share: 0.3 },
    ]);
  /** A file of links, some of which are edited before all of it is published. */
  const importFile = (of: string, atMs: number): readonly LifeEvent[] => [
    { atMs, kind: "import", host: of, slug: "file", links: LINKS_OF_FILE },
    ...Array.from({ length: 12 }, () => `file-${random.between(1, LINKS_OF_FILE)}`).flatMap((slug) =>
      changeOf("edit", { host: of, slug }, atMs + random.between(100, 5_000)),
    ),
  ];
  /**
   * A domain goes to whoever asks first, with the same slugs. At once is too soon: some two minutes later it is free. An isolate that
   * was not asked since its former owner had it then cannot ask for anything.
   */
  const handOver = (of: string, atMs: number): readonly LifeEvent[] => {
    const hasFile = random.chance(0.5);
    const slugs = hasFile ? [...SLUGS, `file-${LINKS_OF_FILE}`, `file-${LINKS_OF_FILE - 1}`] : SLUGS;
    const visitAll = (fromMs: number, toMs: number, there?: typeof idle): readonly LifeEvent[] =>
      slugs.map((slug) => visitOf({ host: of, slug }, atMs + random.between(fromMs, toMs), there));
    return [
      ...(hasFile ? importFile(of, 1_000) : []),
      ...visitAll(-5_000, 0),
      ...visitAll(-20_000, 0, idle),
      { atMs, kind: "remove-domain", host: of },
      ...(random.chance(0.5) ? visitAll(3_000, 50_000, idle) : []),
      ...[2, 12, 130, 150, 170, 190].flatMap((seconds): readonly LifeEvent[] => [
        { atMs: atMs + seconds * 1_000, kind: "take-domain", host: of, workspace: random.pick(WORKSPACES) },
        visitOf({ host: of, slug: random.pick(slugs) }, atMs + seconds * 1_000 + random.between(100, 4_000)),
      ]),
      ...slugs
        .filter(() => random.chance(0.5))
        .flatMap((slug) => changeOf("create", { host: of, slug }, atMs + random.between(500, 200_000))),
      ...outage(random.pick([TIERS, TIERS, []]), atMs + 191_000, 20_000),
      ...visitAll(192_000, 210_000, idle),
    ];
  };
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
    const faults: readonly Fault[] = random.chance(0.5) ? [random.pick(FAULTS)] : random.pick(TOGETHER);
    const leastSeconds = faults.length === 1 ? 2 : 15;
    const forMs = random.between(leastSeconds, random.pick([20, 60, 200])) * 1_000;
    const cold = place();
    return [
      // An isolate that holds nothing needs the tiers that fail.
      { atMs: atMs + 300, kind: "evict", ...cold },
      ...Array.from({ length: 8 }, () => visitOf(address(), atMs + random.between(400, forMs), cold)),
      ...outage(faults, atMs, forMs),
      ...[0, random.pick([100, 1_500]), 20_000].flatMap((afterMs) =>
        changeOf("edit", edited, atMs + 500 + afterMs),
      ),
      ...changeOf("create", newAddress(), atMs + random.between(400, forMs)),
    ];
  };
  /** All want the same link, which has a cap, and come in waves: an isolate gives back what it took for visitors who did not come. */
  const rush = (of: Address, atMs: number): readonly LifeEvent[] => [
    ...free(of, atMs),
    { atMs: atMs + 3_000, kind: random.pick(["create-capped", "create-capped", "create-counted"]), ...of },
    ...Array.from({ length: 330 }, (_, index) =>
      visitOf(of, atMs + 6_000 + (index % 10) * 5_500 + random.between(0, 2_000)),
    ),
  ];
  /** Visitors come to a slug before there is a link, and go on coming. */
  const debut = (atMs: number): readonly LifeEvent[] => {
    const [of, there] = [newAddress(), place()];
    const between = (count: number, fromMs: number, toMs: number, to?: Address): readonly LifeEvent[] =>
      Array.from({ length: count }, () => visitOf(to ?? of, atMs + random.between(fromMs, toMs), there));
    return [
      { atMs, kind: random.pick(["create", "import", "import"]), ...of },
      ...(random.chance(0.5)
        ? [{ atMs: atMs - 2_000, kind: "fault", fault: "database.slow", forMs: 4_000, share: 0.5 } as const]
        : []),
      ...between(6, -3_000, 0, address()),
      ...between(15, -400, 800),
      ...between(8, 3_000, 9_500),
    ];
  };
  /** One visitor's isolate, without the feed until the end: it learns of a change from KV alone, or from the database. */
  const feedless = (of: Address): readonly LifeEvent[] => {
    const there = { colo: random.pick(colos), isolate: isolates + 2 };
    const untilEnd = { kind: "fault", forMs: lastsMs } as const;
    return [
      { atMs: 1_000, kind: "create", ...of },
      { atMs: 4_000, ...untilEnd, fault: "feed.down", share: 1 },
      ...random
        .pick<readonly Fault[]>([[], ["kv.read-fails"], ["kv.read-fails", "kv.write-refused"]])
        .map((fault, index): LifeEvent => ({ atMs: 8_000, ...untilEnd, fault, share: [0.5, 1][index] ?? 1 })),
      ...changeOf(random.pick(["edit", "edit", "delete"]), of, 10_000),
      ...Array.from({ length: 60 }, (_, index) => visitOf(of, 2_000 + index * 4_000, there)),
    ];
  };
  const spells = random.chance(0.6) ? random.between(1, 4) : 0;
  return [
    ...Object.keys(HOSTS).flatMap((known) =>
      SLUGS.map((slug): LifeEvent => {
        const kind = random.pick(["create", "create", "create", "create-capped", "create-counted"] as const);
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
      changeOf(random.pick(["delete", "create", "import", "move", ...SETTINGS]), address(), at()),
    ).flat(),
    ...many(random.pick([0, 1, 4]), () => replace(address(), at())).flat(),
    ...many(random.pick([0, 1]), () => deleteAndRestore(address(), at())).flat(),
    ...(lastsMs === LONG_SECONDS * 1_000 ? handOver(host(), random.between(15_000, 35_000)) : []),
    ...(random.chance(0.25) ? many(4, () => debut(at())).flat() : []),
    ...(random.chance(0.15) ? importFile(host(), at()) : []),
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
      kind: random.pick(["lend-key", "employ"]),
      workspace: random.pick(WORKSPACES),
      forMs: random.between(1, 40) * 1_000,
    })),
    ...many(0.5, (): LifeEvent => ({ atMs: at(), kind: "add-webhook", workspace: random.pick(WORKSPACES) })),
    ...Array.from({ length: spells }, () => badSpell(at())).flat(),
    ...(random.chance(0.2) ? rush(address(), random.between(5_000, 40_000)) : []),
    ...(random.chance(0.25) ? feedless(newAddress()) : []),
  ];
}
