/** `pnpm dev` as a whole, in processes of its own: who may run, what it serves, and what is left when it ends. */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { findFreePort, isPortFree } from "@hopline/testkit/postgres/free-port";
import { startIdentityProvider } from "@hopline/testkit/stack/identity-provider";
import { execa } from "execa";
import { afterAll, beforeAll, expect, it } from "vitest";

import { queryOnce } from "../../../testkit/test/query-once.ts";
import { waitUntil } from "../../../testkit/test/wait-until.ts";
import { endLastDay, spendFirstDay, toProviderList, toRedirectAddress } from "./first-day.ts";

const SCRIPT = join(import.meta.dirname, "../fixtures/run-dev.ts");
const DATABASE_PORT = /Postgres [\d.]+ on 127\.0\.0\.1:(\d+)/;
const BOUND_MS = 120_000;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "hopline-dev-"));
  // The account that Postgres runs under when we are root must be able to enter it.
  chmodSync(directory, 0o755);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** @param signInProviders the secret SIGN_IN_PROVIDERS. */
function startDev(port: number, signInProviders = "") {
  let output = "";
  const child = execa(process.execPath, [SCRIPT, directory, String(port)], {
    env: { DATABASE_URL: "", SIGN_IN_PROVIDERS: signInProviders },
    all: true,
    reject: false,
    // How long it may take to end is not judged here.
    forceKillAfterDelay: BOUND_MS,
  });
  child.all.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ready = waitUntil("dev is ready or refused", () => /Hopline ready|✗/.test(output), BOUND_MS);
  return { child, ready, read: (pattern: RegExp) => pattern.exec(output)?.[1] ?? "" };
}

it(
  "runs once in a checkout, whichever start wins, starts a database again that was killed, and ends on SIGTERM without its processes and with its data",
  async () => {
    const ports = [await findFreePort(), await findFreePort()] as const;
    const provider = await startIdentityProvider(ports.map((port) => toRedirectAddress(port, "acme")));
    const both = ports.map((port) => ({ port, dev: startDev(port, toProviderList(provider)) }));
    const refused = await Promise.race(both.map(async ({ dev }) => ({ dev, result: await dev.child })));
    expect(refused.result).toMatchObject({
      exitCode: 1,
      all: expect.stringMatching(/^✗ `pnpm dev` is already running in this checkout( \(process \d+\))?: /),
    });

    const winner = both.find(({ dev }) => dev !== refused.dev);
    const dev = winner?.dev ?? refused.dev;
    await dev.ready;
    const key = dev.read(/An API key +(\S+)/);
    const databasePort = Number(dev.read(DATABASE_PORT));
    const hasRunJobs =
      "SELECT expired_until > (SELECT max(applied_at) FROM schema_migrations) AS has FROM webhook_cursor";
    const isDone = async () =>
      (await queryOnce(dev.read(/DATABASE_URL=(\S+)/), hasRunJobs))[0]?.["has"] === true;
    await waitUntil("the jobs of a minute have run", isDone, BOUND_MS);
    const link = await fetch(dev.read(/A short link +(\S+)/), { redirect: "manual" });
    // The front end that --origin names may call the API from its pages.
    const answer = await fetch(new URL("/api/v1/links", dev.read(/A short link +(\S+)/)), {
      headers: { origin: "http://localhost:5173", authorization: `Bearer ${dev.read(/An API key +(\S+)/)}` },
    });
    expect(answer.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
    expect([link.status, link.headers.get("location")]).toEqual([302, "https://example.com/"]);

    const day = await spendFirstDay(dev, provider);
    await provider.stop();

    const findServer = "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid";
    const [found] = await queryOnce(dev.read(/DATABASE_URL=(\S+)/), findServer);
    process.kill(Number(found?.["pid"]), "SIGKILL");
    const isBack = async () =>
      dev.read(/(! Postgres ended \(SIGKILL\) and was started again\.)/) !== "" &&
      (await fetch(answer.url, { headers: { authorization: `Bearer ${key}` } })).status === 200;
    await waitUntil("the database was started again, and the API answers", isBack, BOUND_MS);

    dev.child.kill("SIGTERM");
    expect(await dev.child).toMatchObject({
      exitCode: 0,
      all: expect.stringMatching(/\nHopline stopped\.$/),
    });
    expect([await isPortFree(databasePort), await isPortFree(winner?.port ?? 0)]).toEqual([true, true]);

    const again = startDev(ports[0]);
    await again.ready;
    expect(again.read(/An API key +(\S+)/)).toBe(key);
    expect([again.read(/Migrations, (\d+) new/), again.read(/set-up\?token=(\S+)/)]).toEqual(["0", ""]);
    await endLastDay(again, day);
    // The process that does the work is killed, and can put nothing in order.
    const held = [Number(again.read(DATABASE_PORT)), ports[0], ports[0] + 1];
    process.kill(Number(readFileSync(join(directory, "dev-lock.pid"), "utf8")), "SIGKILL");
    await again.child;
    const areFree = async () => (await Promise.all(held.map(isPortFree))).every(Boolean);
    await waitUntil("no port is held", areFree, BOUND_MS);
  },
  3 * BOUND_MS,
);
