/** What happens to sealed clicks and to visitors when SEAL_KEY or VISITOR_SECRET is replaced. */
import { encodeSegment } from "@hopline/core/click/segment";
import type { RunSql } from "@hopline/db/neon-client";
import { type SqlStatement, toStatement } from "@hopline/db/sql";
import { isSealed, seal } from "@hopline/sealing/seal";
import { importSealKey, importSealKeys } from "@hopline/sealing/seal-key";
import { describe, expect, it } from "vitest";
import { createDeps } from "../src/create-deps.ts";
import { openCountingHint } from "../src/ingest/count-clicks.ts";
import { openBody } from "../src/dead-letters/replay.ts";
import { createEnrichment } from "../src/enrich/enrichment.ts";
import { toClickRow } from "../src/ingest/to-click-row.ts";
import { drainKeys } from "../src/jobs/drain-spill.ts";
import { aClick, aSegment, aStage } from "./consumer-stage.ts";

const OLD = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const NEW = "//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=";
const SEGMENT = encodeSegment(aSegment(1, 3));

/** A consumer with these keys, and a segment in the spill that the producer sealed with the old one. */
async function aConsumer(keys: { readonly sealKey: string; readonly oldSealKey?: string }) {
  const { deps, spilled } = aStage();
  const statements: SqlStatement[] = [];
  const runSql: RunSql = (statement) => {
    statements.push(toStatement(statement));
    return Promise.resolve([{ inserted: 3, used_up: 0, written: 1 }]);
  };
  spilled.set("spill/a", await seal(SEGMENT, await importSealKey(OLD)));
  await drainKeys(
    [...spilled.keys()],
    createDeps({
      ...keys,
      runSql,
      spill: deps.spill,
      heldReports: { rows: [], nextAtMs: 0 },
      clickHouse: null,
      countingHint: openCountingHint(null),
      visitorSecret: "",
      log: () => undefined,
    }),
  );
  const [statement] = statements;
  const letter = statement?.parameters.find((value) => typeof value === "string" && isSealed(value));
  return { statement: statement?.text, letter: String(letter), left: spilled.size };
}

describe("after a rotation of SEAL_KEY", () => {
  it("the consumer writes what the producer had spilled under the old key", async () => {
    const { statement, left } = await aConsumer({ sealKey: NEW, oldSealKey: OLD });
    expect(statement).toContain("INSERT INTO click_events");
    expect(left).toBe(0);
  });

  it("without SEAL_KEY_OLD it becomes a dead letter, which both keys together open", async () => {
    const { statement, letter, left } = await aConsumer({ sealKey: NEW });
    expect(statement).toContain("INSERT INTO dead_letters");
    expect(left).toBe(0);
    expect(await openBody(letter, await importSealKeys(NEW))).toBeNull();
    expect(await openBody(letter, await importSealKeys(NEW, OLD))).toBe(SEGMENT);
  });

  it("dead letters and log lines from before are replayed with both keys, and not with the new one alone", async () => {
    const sealed = await seal(SEGMENT, await importSealKey(OLD));
    expect(await openBody(sealed, await importSealKeys(NEW, OLD))).toBe(SEGMENT);
    expect(await openBody(sealed, await importSealKeys(NEW))).toBeNull();
  });
});

it("after a rotation of VISITOR_SECRET a visitor of that day gets another id, and counts twice", async () => {
  const visitorOf = async (secret: string) =>
    (await toClickRow("event", aClick(), createEnrichment(secret))).visitor;
  const before = await visitorOf("the secret before, of 32 characters");
  expect(await visitorOf("the secret before, of 32 characters")).toBe(before);
  expect(await visitorOf("the secret after it, 32 characters")).not.toBe(before);
});
