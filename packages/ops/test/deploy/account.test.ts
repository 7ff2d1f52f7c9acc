import { describe, expect, it } from "vitest";

import { createAccount, readJsonList } from "../../src/deploy/account.ts";
import { createVersions, readVersionId } from "../../src/deploy/versions.ts";

/** A wrangler that answers from a list, and remembers what it was asked. */
function aWrangler(answers: Readonly<Record<string, string | readonly [number, string]>>) {
  const asked: (readonly [string, string | undefined])[] = [];
  const run = (wranglerArguments: readonly string[], input?: string) => {
    const line = wranglerArguments.join(" ");
    asked.push([line, input]);
    const answer = answers[line] ?? [1, `✘ [ERROR] unexpected: ${line}`];
    return Promise.resolve(
      typeof answer === "string"
        ? { exitCode: 0, output: answer }
        : { exitCode: answer[0], output: answer[1] },
    );
  };
  return { run, asked };
}

const QUEUES = `
 ⛅️ wrangler 4.156.2
──────────────────────
┌──────────────────────────────────┬──────────────────┬───────────┐
│ id                               │ name             │ producers │
├──────────────────────────────────┼──────────────────┼───────────┤
│ 00000000000000000000000000000002 │ hopline-clicks-0 │ 0         │
├──────────────────────────────────┼──────────────────┼───────────┤
│ 0000000000000000000000000000000a │ other            │ 0         │
└──────────────────────────────────┴──────────────────┴───────────┘`;

describe("an account, through wrangler", () => {
  it("lists namespaces by title, whatever notices stand around the list", async () => {
    const output = `▲ [WARNING] An update is available\n[\n  { "id": "1", "title": "links" }\n]\n\nBye`;
    const { run } = aWrangler({ "kv namespace list": output });
    expect(await createAccount(run).listKvNamespaces()).toEqual(new Map([["links", "1"]]));
  });

  it("lists the queues of all pages", async () => {
    const { run } = aWrangler({
      "queues list --page 1": QUEUES,
      "queues list --page 2": QUEUES.replace("other", "more").replace("hopline-clicks-0", "hopline-clicks-1"),
      "queues list --page 3": "nothing here",
    });
    expect(await createAccount(run).listQueues()).toEqual([
      "hopline-clicks-0",
      "other",
      "hopline-clicks-1",
      "more",
    ]);
  });

  it("tells a Worker without secrets from no Worker", async () => {
    const { run } = aWrangler({
      "secret list --name there": "[]",
      "secret list --name gone": [1, `✘ [ERROR] Worker "gone" not found.`],
    });
    const account = createAccount(run);
    expect(await account.listSecrets("there")).toEqual([]);
    expect(await account.listSecrets("gone")).toBeNull();
  });

  it("hands secrets over on standard input, never as an argument", async () => {
    const { run, asked } = aWrangler({ "secret bulk --name there": "done" });
    await createAccount(run).putSecrets("there", new Map([["SEAL_KEY", "s3cret"]]));
    expect(asked).toEqual([["secret bulk --name there", `{"SEAL_KEY":"s3cret"}`]]);
  });

  it("says what failed in wrangler's words", async () => {
    const { run } = aWrangler({ "queues create x": [1, "✘ [ERROR] You need Workers Paid. [code: 100129]"] });
    await expect(createAccount(run).createQueue("x")).rejects.toThrow(
      "Making the queue x failed: You need Workers Paid. [code: 100129]",
    );
  });
});

describe("the versions of a Worker, through wrangler", () => {
  it("are shared out without a question", async () => {
    const { run, asked } = aWrangler({ "versions deploy a@10% b@90% --yes --name w": "done" });
    await createVersions("w", run).share([
      { versionId: "a", percent: 10 },
      { versionId: "b", percent: 90 },
    ]);
    expect(asked).toHaveLength(1);
  });

  it("have an id that an upload prints", () => {
    const id = "11111111-2222-4333-8444-555555555555";
    expect(readVersionId(`Uploaded w (1 sec)\nWorker Version ID: ${id}\n`)).toBe(id);
    expect(() => readVersionId("Uploaded")).toThrow("did not say which version");
  });
});

describe("a list in wrangler's output", () => {
  const list = [
    { id: "1", versions: [{ id: "a" }, { id: "b" }], none: [] },
    { id: "2", versions: [] },
  ];

  it.each([
    ["on one line", JSON.stringify(list)],
    ["over many lines, with lists in it", JSON.stringify(list, null, 2)],
  ])("is read %s, among notices", (_how, text) => {
    expect(readJsonList(`▲ [WARNING] old\n\n${text}\n\nBye [now]`)).toEqual(list);
  });

  it("that is broken is a failure, and none is empty", () => {
    expect(() => readJsonList("[\n  { \n]")).toThrow("not JSON");
    expect(readJsonList("nothing")).toEqual([]);
  });
});
