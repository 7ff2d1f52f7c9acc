/** The tables of docs/capacity-and-cost.md, between two marks in the page. Pure: text in, text out. */
import {
  clicksPerSegment,
  computeUnits,
  type CostLine,
  estimateCube,
  estimateMonth,
  formatQuantity,
  type Packing,
  totalDollars,
  type Traffic,
} from "./estimate.ts";
import { PRICES_READ_ON } from "./prices.ts";
import { renderTable, writeBetween } from "./render-table.ts";

/** The three sizes of the page. */
export const TRAFFICS: readonly Traffic[] = [
  {
    redirectsPerDay: 1e6,
    busyIsolates: 50,
    dataCentres: 20,
    kvReadShare: 0.5,
    linkChangesPerDay: 1e3,
    shards: 1,
    retentionDays: 90,
  },
  {
    redirectsPerDay: 1e8,
    busyIsolates: 300,
    dataCentres: 150,
    kvReadShare: 0.2,
    linkChangesPerDay: 1e4,
    shards: 4,
    retentionDays: 30,
  },
  {
    redirectsPerDay: 1e9,
    busyIsolates: 1_000,
    dataCentres: 300,
    kvReadShare: 0.1,
    linkChangesPerDay: 1e5,
    shards: 8,
    retentionDays: 7,
  },
];

/** CLICK_LINGER_MS in wrangler.jsonc. */
const SHIPPED: Packing = { kind: "segments", lingerMs: 1_000 };
const PACKINGS: readonly (readonly [string, Packing])[] = [
  ["one message per click", { kind: "one_message_per_click" }],
  ["segments, 100 ms", { kind: "segments", lingerMs: 100 }],
  ["segments, 1,000 ms (as shipped)", SHIPPED],
  ["segments, 5,000 ms (the maximum)", { kind: "segments", lingerMs: 5_000 }],
];

const MARKS = [
  "<!-- Written by `pnpm run cost`. -->",
  "<!-- End of what `pnpm run cost` writes. -->",
] as const;
const QUEUE_SERVICE = "Queue operations";

/** The page with up-to-date tables; null where it has no place for them. */
export function writeCosts(page: string): string | null {
  return writeBetween(page, MARKS, renderCosts());
}

function renderCosts(): string {
  return [
    `Prices of ${PRICES_READ_ON}, in US dollars; a month has 30 days.`,
    "### Assumed",
    renderTable(["", ...TRAFFICS.map(nameOf)], assumptionRows()),
    "### A month, as shipped",
    renderTable(["", ...TRAFFICS.map(nameOf)], billRows(TRAFFICS)),
    "### Compared with one message per click",
    "Clicks in a segment, dollars a month for the queues alone, and for everything:",
    renderTable(["", ...TRAFFICS.map(nameOf)], packingRows(TRAFFICS)),
  ].join("\n\n");
}

function assumptionRows(): readonly (readonly string[])[] {
  const row = (name: string, read: (traffic: Traffic) => string) => [name, ...TRAFFICS.map(read)];
  return [
    row("busy isolates", ({ busyIsolates }) => busyIsolates.toLocaleString("en-US")),
    row("data centres in use", ({ dataCentres }) => String(dataCentres)),
    row("redirects that read KV", ({ kvReadShare }) => `${kvReadShare * 100} %`),
    row("link changes a day", ({ linkChangesPerDay }) => linkChangesPerDay.toLocaleString("en-US")),
    row("shards", ({ shards }) => String(shards)),
    row("clicks kept, days", ({ retentionDays }) => String(retentionDays)),
    row("Neon compute units, always on", (traffic) => String(computeUnits(traffic))),
  ];
}

function billRows(traffics: readonly Traffic[]): readonly (readonly string[])[] {
  const bills = traffics.map((traffic) => estimateMonth(traffic, SHIPPED));
  const toRow = (lines: readonly CostLine[]) => [
    lines[0]?.service ?? "",
    ...lines.map(({ quantity, dollars }) =>
      quantity === "" ? toDollars(dollars) : `${toDollars(dollars)} (${quantity})`,
    ),
  ];
  const [first = []] = bills;
  return [
    ...first.map((_line, index) => toRow(bills.flatMap((bill) => bill[index] ?? []))),
    ["**Sum**", ...bills.map((bill) => `**${toDollars(totalDollars(bill))}**`)],
    toRow(traffics.map(estimateCube)),
  ];
}

function packingRows(traffics: readonly Traffic[]): readonly (readonly string[])[] {
  return PACKINGS.map(([name, packing]) => [
    name,
    ...traffics.map((traffic) => {
      const bill = estimateMonth(traffic, packing);
      const queues = bill.find(({ service }) => service === QUEUE_SERVICE)?.dollars ?? 0;
      const clicks = Number(clicksPerSegment(traffic, packing).toFixed(1));
      return `${clicks}: ${toDollars(queues)} / ${toDollars(totalDollars(bill))}`;
    }),
  ]);
}

function nameOf({ redirectsPerDay }: Traffic): string {
  return `${formatQuantity(redirectsPerDay)} a day`;
}

function toDollars(dollars: number): string {
  return `$${dollars >= 100 ? Math.round(dollars).toLocaleString("en-US") : dollars.toFixed(2)}`;
}
