/** What people ask for and is not there is reported by its slug, and a scan neither hides it nor is reported. */
import { decodeReport, toWireReport } from "@hopline/core/click/edge-report";
import { MAX_MISSES_BYTES, type MissedVisits } from "@hopline/core/click/missed-visits";
import { expect, it } from "vitest";
import { createMissMeter, type MissMeter } from "../../src/metrics/miss-meter.ts";

const T0 = 1_795_000_000_000;
const DOMAIN = "0198f3c2-0000-7000-8000-000000000002";
const OTHER = "0198f3c2-0000-7000-8000-000000000003";
const SCANNED = 100_000;
const TYPOS = 50;

function ask(meter: MissMeter, slug: string | null, domainId = DOMAIN): void {
  meter.count({ domainId, kind: "unknown", slug });
}

/** As the consumer and the database add them up. */
function addUp(reports: readonly (readonly MissedVisits[])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [slug, visits] of reports.flat().flatMap(([, , , , slugs]) => slugs)) {
    sums.set(slug, (sums.get(slug) ?? 0) + visits);
  }
  return sums;
}

function bytesOf(misses: readonly MissedVisits[]): number {
  return new TextEncoder().encode(JSON.stringify(misses)).length;
}

it("reports slugs, the root and links that have ended, by domain, each visit once", () => {
  const meter = createMissMeter(7);
  ask(meter, "sumer");
  ask(meter, "sumer");
  ask(meter, "wintr");
  ask(meter, null);
  ask(meter, "wp-login.php");
  ask(meter, "eyJhbGciOiJIUzI1NiJ9");
  meter.count({ domainId: OTHER, kind: "root", slug: null });
  meter.count({ domainId: OTHER, kind: "ended", slug: "spring" });
  expect(meter.take(T0)).toEqual([
    [
      DOMAIN,
      0,
      0,
      6,
      [
        ["sumer", 2],
        ["wintr", 1],
      ],
    ],
    [OTHER, 1, 1, 0, []],
  ]);
  expect(meter.take(T0 + 2_000)).toEqual([]);
});

// A scan of one burst, and one that goes on through many reports.
it.each([SCANNED, 1_000, 100, 10])(
  "a scan of 100,000 slugs does not hide what 50 visitors ask for, with a report after each %i",
  (each) => {
    const meter = createMissMeter(7);
    const reports: (readonly MissedVisits[])[] = [];
    let seed = 1;
    let typos = 0;
    for (let number = 1; number <= SCANNED; number += 1) {
      // Park and Miller's generator.
      seed = (seed * 48_271) % 2_147_483_647;
      ask(meter, `s${seed.toString(36)}`);
      if (number % (SCANNED / TYPOS) === 0) {
        typos += 1;
        ask(meter, "sumer");
      }
      if (number % each === 0) {
        // Ten thousand slugs a second.
        reports.push(meter.take(T0 + number / 10));
      }
    }
    const sums = addUp(reports);
    expect(typos).toBe(TYPOS);
    expect(sums.get("sumer")).toBeGreaterThanOrEqual(TYPOS * 0.8);
    expect(sums.get("sumer")).toBeLessThanOrEqual(TYPOS);
    // Twenty at first; and of 100,000 hashes of 32 bits some two are another's.
    expect(sums.size).toBeLessThanOrEqual(25);
    expect(reports.flat().reduce((sum, [, , , unknown]) => sum + unknown, 0)).toBe(SCANNED + TYPOS);
  },
);

it("what is asked for once is reported again after a scan, one slug a minute", () => {
  const meter = createMissMeter(7);
  for (let number = 0; number < 1_000; number += 1) {
    ask(meter, `scan-${number}`);
  }
  expect(addUp([meter.take(T0)]).size).toBe(20);
  ask(meter, "once");
  expect(addUp([meter.take(T0 + 59_000)]).size).toBe(0);
  ask(meter, "twice");
  expect([...addUp([meter.take(T0 + 60_000)]).keys()]).toEqual(["twice"]);
});

it("a scan of one domain does not hide what another one is asked for", () => {
  const meter = createMissMeter(7);
  for (let number = 0; number < 10_000; number += 1) {
    ask(meter, `scan-${number}`);
  }
  ask(meter, "sumer", OTHER);
  const reports = [meter.take(T0), meter.take(T0 + 2_000)];
  expect(reports.flat().find(([domainId]) => domainId === OTHER)).toEqual([OTHER, 0, 0, 1, [["sumer", 1]]]);
});

it("a report stays small and can be read, and what it has no room for goes with the next", () => {
  const meter = createMissMeter(7);
  const domains = Array.from({ length: 60 }, (_, index) => DOMAIN.slice(0, -2) + String(index + 10));
  for (const domainId of domains) {
    for (const slug of ["😀".repeat(18), "ß".repeat(24), "sumer"]) {
      ask(meter, slug, domainId);
      ask(meter, slug, domainId);
    }
  }
  const seen: string[] = [];
  for (let round = 0; round < domains.length && seen.length < domains.length; round += 1) {
    const misses = meter.take(T0 + round);
    expect(bytesOf(misses)).toBeLessThanOrEqual(MAX_MISSES_BYTES);
    const report = { number: 1, colo: null, feedAgeMs: null, feedGaps: 0, facts: null, cells: [], misses };
    expect(decodeReport(JSON.parse(JSON.stringify(toWireReport(report))))).toEqual(report);
    seen.push(...misses.map(([domainId]) => domainId));
  }
  expect(seen).toEqual(domains);
});

it("a scan that asks for each slug twice does not hide what fifty visitors ask for", () => {
  const meter = createMissMeter(7);
  for (let number = 0; number < 1_000; number += 1) {
    ask(meter, `scan-${number}`);
    ask(meter, `scan-${number}`);
  }
  for (let visitor = 0; visitor < TYPOS; visitor += 1) {
    ask(meter, "sumer");
  }
  expect(addUp([meter.take(T0)]).get("sumer")).toBeGreaterThanOrEqual(TYPOS * 0.8);
});
