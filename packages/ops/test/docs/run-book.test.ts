/**
 * What an operator copies from the pages at three in the morning: each command is there with its flags, each statement
 * runs on the schema, each event and each setting has that name.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { experimental_getWranglerCommands } from "wrangler";

import { objectAt, parseJsonObject, textAt } from "../../src/deploy/json-object.ts";
import { readEnvironment } from "../../src/deploy/environments.ts";
import { listNames } from "../../src/deploy/plan-teardown.ts";
import { readWorkerConfigs } from "../../src/deploy/worker-config.ts";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { createScratchDatabase, type ScratchDatabase } from "@hopline/testkit/postgres/scratch-database";
import { inWorkspace, WORKERS, WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";
import { queryOnce } from "../../../testkit/test/query-once.ts";

const read = (path: string) => readFileSync(inWorkspace(path), "utf8");
const listed = (...patterns: readonly string[]): readonly string[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns], {
    cwd: WORKSPACE_ROOT,
    encoding: "utf8",
  })
    .split("\n")
    .filter((path) => path !== "" && existsSync(inWorkspace(path)));
const pages = listed("*.md")
  .filter((path) => path !== "CHANGELOG.md" && !/\/(?:test|results)\//.test(path))
  .map((path) => ({ path, text: read(path) }));

/** Lines of code blocks without their remarks, and code in the text, on one line each. */
const snippets = pages.flatMap(({ path, text }) => {
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap((match) =>
    (match[1] ?? "").split("\n"),
  );
  const inline = [...text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/`([^`]+)`/g)];
  const codes = [
    ...blocks.map((line) => line.split(/\s+#/)[0] ?? ""),
    ...inline.map((match) => match[1] ?? ""),
  ];
  return codes.map((code) => ({ path, code: code.replaceAll(/\s+/g, " ").trim() }));
});

/** The header that names a workspace, and a dump. */
const NOT_DEPLOYED = ["hopline-workspace", "hopline-2026-11-22"];

const scripts = objectAt(parseJsonObject(read("package.json"), "package.json"), "scripts");

/** Where a script of ours reads its flags: its own file and those beside it that read flags. */
function readFlagNames(script: string): ReadonlySet<string> {
  const [called = "", name = ""] = /\S+\.ts(?: (\S+))?/.exec(textAt(scripts, script) ?? "") ?? [];
  const isOps = called.startsWith("packages/ops/src/main.ts");
  const entry = isOps ? `packages/ops/src/commands/${name}.ts` : called;
  const folder = dirname(entry);
  const files = folder.endsWith("commands")
    ? [entry]
    : readdirSync(inWorkspace(folder)).flatMap((name) => (name.endsWith(".ts") ? [join(folder, name)] : []));
  // The rehearsal hands over to the tests.
  const others = read(entry).includes("test-run/run-tests")
    ? ["packages/testkit/src/test-run/run-tests.ts"]
    : [];
  const names = [...files, ...others].flatMap((file) => [
    ...read(file).matchAll(/"?([a-z][a-z-]*)"?: (?:\{\s*type: "|accountArg|envArg)|"--([a-z-]+)"/g),
  ]);
  return new Set(["help", ...names.map((match) => match[1] ?? match[2] ?? "")]);
}

describe("a command of ours on a page", () => {
  const commands = snippets.flatMap(({ path, code }) =>
    [...code.matchAll(/\bpnpm(?:@12)? (?:run )?([a-z][a-z-]*)((?: [^&|;]*)?)/g)].map((match) => ({
      path,
      script: match[1] ?? "",
      flags: [...(match[2] ?? "").matchAll(/--([a-z][a-z-]*)/g)].map((flag) => flag[1] ?? ""),
    })),
  );
  const flagged = commands.filter(({ script, flags }) => flags.length > 0 && script in scripts);

  it("has flags that the command reads", () => {
    expect(flagged.length).toBeGreaterThan(15);
    const unread = flagged.flatMap(({ path, script, flags }) =>
      flags.flatMap((flag) => (readFlagNames(script).has(flag) ? [] : [`${path}: pnpm ${script} --${flag}`])),
    );
    expect(unread).toEqual([]);
  });
});

describe("a command of wrangler's on a page", () => {
  const lines = snippets.flatMap(({ code }) => /\bpnpm exec wrangler (.+)$/.exec(code)?.[1] ?? []);
  // The words before the first argument, `queues update`, and the flags.
  const known = new Map(
    lines.map((line) => {
      const words = line.split(" ");
      const end = words.findIndex((word) => !/^[a-z]+(-delivery)?$/.test(word));
      const flags = words.filter((word) => word.startsWith("--"));
      return [words.slice(0, end === -1 ? words.length : end).join(" "), flags] as const;
    }),
  );

  it.each([...known])("is there: wrangler %s %j", (command, flags) => {
    const { registry, globalFlags } = experimental_getWranglerCommands();
    const node = command
      .split(" ")
      .reduce<typeof registry | undefined>((at, word) => at?.subtree.get(word), registry);
    const args = node?.definition?.type === "command" ? node.definition.args : undefined;
    expect(args).toBeDefined();
    const names = Object.keys({ ...args, ...globalFlags }).map((name) => `--${name}`);
    expect(flags.filter((flag) => !names.includes(flag))).toEqual([]);
  });
});

describe("a statement on a page", () => {
  const blocks = pages.flatMap(({ text }) =>
    [...text.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map((match) => (match[1] ?? "").trim()),
  );
  const selects = snippets.flatMap(({ code }) => (code.startsWith("SELECT ") ? [code] : []));
  // Functions of TimescaleDB are not on every server.
  const statements = [...blocks, ...selects].filter((text) => !/timescale|hypertable|chunk/.test(text));
  let database: ScratchDatabase;

  beforeAll(async () => {
    database = await createScratchDatabase(process.env["DATABASE_URL"] ?? "");
    await migrate(database.url, { directory: inWorkspace("migrations"), onProgress: () => undefined });
    // The workspace of the pages.
    await queryOnce(
      database.url,
      "INSERT INTO workspaces (id, name) VALUES ('0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f', 'Example')",
    );
    // A webhook of it, for which a delivery waits.
    await queryOnce(
      database.url,
      `WITH endpoint AS (
         INSERT INTO webhook_endpoints (id, workspace_id, url, events, mode, classes, secret)
         SELECT id, id, 'https://hooks.example.com/', '{click}', 'batch', '{human}', 'sealed' FROM workspaces RETURNING id
       ),
       waiting AS (INSERT INTO webhook_deliveries (endpoint_id, type) SELECT id, 'click.batch' FROM endpoint)
       INSERT INTO webhook_totals (endpoint_id) SELECT id FROM endpoint`,
    );
  });
  afterAll(() => database.drop());

  it.each(statements)("runs on the schema: %s", async (statement) => {
    expect((await queryOnce(database.url, statement)).length).toBeGreaterThan(0);
  });
});

describe("a name on a page", () => {
  const named = (pattern: RegExp) => [
    ...new Set(snippets.flatMap(({ code }) => [...code.matchAll(pattern)].map((match) => match[1] ?? ""))),
  ];

  it("is an event that a Worker logs, or that a webhook is told", () => {
    const workers = WORKERS.filter(({ web }) => web === undefined);
    const code = workers.map(({ name }) => read(`workers/${name}/src/log.ts`)).join("\n");
    const logged = [...code.matchAll(/readonly event: "([^"]+)"/g)].map((match) => match[1] ?? "");
    const types = read("workers/api/src/webhooks/event-types.ts");
    const messages = [...types.matchAll(/"([a-z]+\.[a-z]+)"/g)].map((match) => match[1] ?? "");
    const subjects = new Set(logged.map((event) => event.split(".")[0]));
    const told = named(/^([a-z]+\.(?!tsx?$)[a-z_]+)$/g).filter((name) => subjects.has(name.split(".")[0]));
    expect(told.length).toBeGreaterThan(15);
    expect(told.filter((event) => !logged.includes(event) && !messages.includes(event))).toEqual([]);
  });

  it("is a setting of a Worker, where a page tells how to change it in environments.jsonc", async () => {
    const configs = await readWorkerConfigs();
    const vars = configs.flatMap(({ raw }) => Object.keys(objectAt(raw, "vars")));
    const settings = named(/"([A-Z][A-Z_]+)": /g);
    expect(settings.length).toBeGreaterThan(1);
    expect(settings.filter((name) => !vars.includes(name))).toEqual([]);
  });

  it("is a Worker, a queue or a KV namespace that is deployed", async () => {
    const configs = await readWorkerConfigs();
    const environments = await Promise.all([readEnvironment("production"), readEnvironment("staging")]);
    const deployed = environments.map((environment) => listNames(configs, environment));
    const isDeployed = (name: string) =>
      deployed.some(
        ({ workers, kvTitles, isQueue }) =>
          workers.includes(name) || kvTitles.includes(name) || isQueue(name),
      );
    const all = named(/(?<![\w./-])(hopline-[a-z]+(?:-[a-z0-9*]+)*)/g);
    expect(all.length).toBeGreaterThan(8);
    expect(all.filter((name) => !isDeployed(name.replace("*", "0")) && !NOT_DEPLOYED.includes(name))).toEqual(
      [],
    );
  });

  it("is a variable, a secret or a binding that code reads, where it is in capitals", () => {
    const code = listed("*.ts", "*.jsonc", "*.yml")
      .filter((path) => !path.includes("/test/"))
      .map(read)
      .join("\n");
    const known = new Set(code.match(/\b[A-Z][A-Z0-9_]*\b/g));
    const all = named(/^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/g);
    expect(all.length).toBeGreaterThan(30);
    expect(all.filter((name) => !known.has(name))).toEqual([]);
  });
});
