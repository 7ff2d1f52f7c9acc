/** What the check of visits excuses, and how long: no more than ARCHITECTURE.md allows. */
import { describe, expect, it } from "vitest";
import { createRedirectCheck } from "../src/checks/redirect-check.ts";
import { createWeather, type Fault } from "../src/platform/network.ts";
import { createSeeded } from "../src/time/seeded.ts";
import { createVirtualTime } from "../src/time/virtual-time.ts";

const HOST = "go.example.com";
const KEY = `${HOST}/spring`;
const urlOf = (version: number): string => `https://dest.example/north/${version}`;

/** A link, its edits and its visitors, at seconds of a life. */
function openWorld(feedDistanceMs: number) {
  const time = createVirtualTime(0);
  const weather = createWeather(time, createSeeded(1));
  const check = createRedirectCheck({ nowMs: time.nowMs, weather: () => weather, feedDistanceMs });
  const at = (seconds: number): Promise<void> => time.pass(seconds * 1_000);
  check.noteOwners([{ host: HOST, name: "north" }]);
  const edit = async (seconds: number, version: number): Promise<void> => {
    await at(seconds);
    const row = { host: HOST, slug: "spring", version, shown: urlOf(version), cap: null };
    expect(check.noteTruth([row])).toEqual([]);
    check.noteAnnounced(KEY, version);
  };
  const write = async (seconds: number, version: number, isLate = false): Promise<void> => {
    await at(seconds);
    check.noteWritten(KEY, version, isLate);
  };
  const fail = async (seconds: number, until: number, ...faults: readonly Fault[]): Promise<void> => {
    await at(seconds);
    faults.forEach((fault) => weather.begin(fault, until * 1_000, 1));
  };
  const visit = async (
    seconds: number,
    got: number | string,
    isolate = "one",
    sinceStepMs = Infinity,
  ): Promise<string | null> => {
    await at(seconds);
    const shown = typeof got === "number" ? urlOf(got) : got;
    return check.judge({ isolate, key: KEY, startMs: time.nowMs(), endMs: time.nowMs(), shown, sinceStepMs });
  };
  return { check, edit, write, fail, visit };
}

const NEAR = 4;
const FAR = 250;
const OFF = Infinity;

describe("the check of visits", () => {
  it("takes a 404 in an outage for an absence only as long as one may be held", async () => {
    const { edit, fail, visit } = openWorld(FAR);
    await fail(0, Infinity, "kv.read-fails", "database.down", "feed.down");
    await edit(10, 1);
    expect(await visit(20, "404")).toBeNull();
    expect(await visit(26, "404")).toBe(`${KEY} answered 404, although it came 16000 ms before`);
    expect(await visit(27, "503")).toBeNull();
  });

  it("excuses a 503 while KV works only for two seconds after the platform ended a request or a clock stepped", async () => {
    const { check, edit, write, visit } = openWorld(NEAR);
    await edit(0, 1);
    await write(1, 1);
    expect(await visit(100, "503")).toBe(`${KEY} answered 503 although a tier could say`);
    check.noteCut("one");
    expect(await visit(101.9, "503")).toBeNull();
    expect(await visit(101.9, "503", "another")).toBe(`${KEY} answered 503 although a tier could say`);
    expect(await visit(102.1, "503")).toBe(`${KEY} answered 503 although a tier could say`);
    expect(await visit(103, "503", "one", 1_900)).toBeNull();
    expect(await visit(104, "503", "one", 2_100)).toBe(`${KEY} answered 503 although a tier could say`);
  });

  it("excuses an older answer of an isolate that was idle only where two reads of the feed are too far, and the database fails", async () => {
    const late = `${KEY} answered ${urlOf(1)}; for 20000 ms it has been ${urlOf(2)}`;
    const visitAt = async (feedDistanceMs: number, ...faults: readonly Fault[]): Promise<string | null> => {
      const { edit, fail, visit } = openWorld(feedDistanceMs);
      await edit(0, 1);
      await edit(10, 2);
      await fail(29, 60, ...faults);
      return visit(30, 1);
    };
    expect(await visitAt(40, "database.down")).toBeNull();
    expect(await visitAt(40)).toBe(late);
    expect(await visitAt(25, "database.down")).toBe(late);
  });

  it("excuses a 503 of an isolate that has slept, of a link that has changed lately, while the database fails", async () => {
    const { edit, write, fail, visit } = openWorld(FAR);
    const wrong = `${KEY} answered 503 although a tier could say`;
    await edit(0, 1);
    await write(1, 1);
    await fail(290, 400, "database.hangs");
    expect(await visit(297, "503", "new")).toBeNull();
    for (const seconds of [297.9, 298.8]) {
      expect(await visit(seconds, "503", "new")).toBeNull();
    }
    expect(await visit(299.1, "503", "new")).toBe(wrong);
    expect(await visit(299.9, "503", "another")).toBeNull();
    expect(await visit(301, "503", "slept")).toBe(wrong);
  });

  it("lets the end of a domain be the last known answer", async () => {
    const { check, edit, fail, visit } = openWorld(FAR);
    check.noteOwners([]);
    check.noteOwners([{ host: HOST, name: "north" }]);
    await fail(0, Infinity, "kv.read-fails", "database.down", "feed.down");
    await edit(10, 1);
    expect(await visit(100, "404")).toBeNull();
  });

  it("excuses an older answer two minutes after KV has the newer one only where KV and the database fail", async () => {
    const { edit, write, fail, visit } = openWorld(OFF);
    await edit(0, 1);
    await edit(10, 2);
    await write(11, 2);
    await fail(12, Infinity, "database.down");
    expect(await visit(130, 1)).toBeNull();
    expect(await visit(132, 1)).toBe(`${KEY} answered ${urlOf(1)}; for 122000 ms it has been ${urlOf(2)}`);
    await fail(140, Infinity, "kv.read-hangs");
    expect(await visit(150, 1)).toBeNull();
  });

  it("excuses what a write that hung put back into KV until two minutes after it was written again, away from the feed", async () => {
    const { check, edit, write, visit } = openWorld(OFF);
    await edit(0, 5);
    await edit(10, 6);
    await write(11, 6);
    expect(await visit(12, 6)).toBeNull();
    expect(await visit(20, 5)).toBe(`one led ${KEY} back to ${urlOf(5)}`);
    await write(200, 5, true);
    expect(await visit(210, 5)).toBeNull();
    expect(check.isPutBack(KEY)).toBe(true);
    await write(970, 6);
    expect(await visit(1_089, 5)).toBeNull();
    expect(await visit(1_091, 5)).toBe(`one led ${KEY} back to ${urlOf(5)}`);
    expect(await visit(1_091, 5, "another")).toContain(`${KEY} answered ${urlOf(5)}; for`);
    expect(check.isPutBack(KEY)).toBe(false);
  });

  it("excuses no older version that was written over a newer one without having hung", async () => {
    const { check, edit, write, visit } = openWorld(OFF);
    await edit(0, 5);
    await edit(10, 6);
    await write(11, 6);
    await write(12, 5);
    expect(check.isPutBack(KEY)).toBe(false);
    expect(await visit(132, 5)).toContain(`${KEY} answered ${urlOf(5)}; for`);
  });

  it("excuses nothing that was put back into KV where the feed is heard", async () => {
    const { edit, write, visit } = openWorld(NEAR);
    await edit(0, 5);
    await edit(10, 6);
    await write(11, 6);
    await write(200, 5, true);
    expect(await visit(210, 5)).toContain(`${KEY} answered ${urlOf(5)}; for`);
  });

  // Seed 163054593 of 2026-11-27.
  it("excuses what was put back into KV where an isolate found the feed failing when it asked last", async () => {
    const { edit, write, fail, visit } = openWorld(NEAR);
    await fail(0, 20, "feed.down");
    await edit(1, 5);
    await write(2, 5);
    expect(await visit(19, 5)).toBeNull();
    await edit(60, 6);
    await write(61, 6);
    await write(70, 5, true);
    expect(await visit(80, 5)).toBeNull();
    expect(await visit(80.04, 5)).toBeNull();
    expect(await visit(81, 5)).toContain(`${KEY} answered ${urlOf(5)}; for`);
    expect(await visit(81, 5, "another")).toContain(`${KEY} answered ${urlOf(5)}; for`);
  });

  it("holds an isolate with traffic to a feed that is far away, and one whose read of it was lost a while later", async () => {
    const { check, edit, visit } = openWorld(FAR);
    await edit(0, 1);
    await edit(10, 2);
    for (const seconds of [11, 12, 13, 14, 15]) {
      expect(await visit(seconds, 1)).toBeNull();
    }
    expect(await visit(15.2, 1)).toContain(`${KEY} answered ${urlOf(1)}; for`);
    expect(await visit(16, 1, "idle")).toBeNull();
    expect(await visit(20, 1, "idle")).toBeNull();
    for (const seconds of [30, 31, 32, 33]) {
      expect(await visit(seconds, 1, "cut")).toBeNull();
    }
    check.noteInterrupted("cut");
    for (const seconds of [34, 35, 36, 37]) {
      expect(await visit(seconds, 1, "cut")).toBeNull();
    }
    expect(await visit(37.2, 1, "cut")).toContain(`${KEY} answered ${urlOf(1)}; for`);
  });

  it("expects no 503 where KV fails alone, nor of a link in KV where the database does", async () => {
    const { edit, write, fail, visit } = openWorld(NEAR);
    await edit(0, 1);
    await write(1, 1);
    await fail(2, Infinity, "database.down");
    expect(await visit(60, "503")).toBeNull();
    expect(await visit(361, "503")).toBe(`${KEY} answered 503 although a tier could say`);
    await fail(362, Infinity, "kv.read-fails");
    expect(await visit(363, "503")).toBeNull();
    const other = openWorld(NEAR);
    await other.edit(0, 1);
    await other.fail(2, Infinity, "kv.read-fails");
    expect(await other.visit(3, "503")).toBe(`${KEY} answered 503 although a tier could say`);
  });
});
