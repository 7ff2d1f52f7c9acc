/** `pnpm operators` acts through the API: visitors notice, and the workspace's audit log says why. */
import * as operators from "@hopline/ops/commands/operators";
import { expect, it, vi } from "vitest";
import { callCommand } from "../../../testkit/test/call-command.ts";
import { createLink, POLL, stack, visit } from "./visitor-stack.ts";

const run = (...args: readonly string[]) =>
  callCommand(operators, [...args, "--api", stack.url, "--reason", "report 7"], {
    DATABASE_URL: stack.databaseUrl,
  });

it("finds a link, suspends its domain until it resumes it, and sets limits, from the command line", async () => {
  const { slug, shortUrl } = await createLink({ url: "https://example.com/reported" });
  const found = await run("find", shortUrl);
  expect(found).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining("https://example.com/reported"),
  });
  const workspaceId = /ws_[0-9a-f]{32}/.exec(found.output)?.[0] ?? "";
  expect(await run("suspend", stack.demo.host)).toMatchObject({ exitCode: 0 });
  await vi.waitFor(async () => expect((await visit(slug)).status).toBe(403), POLL);
  expect((await run("find", shortUrl)).output).toContain("suspended: report 7");
  expect(await run("resume", stack.demo.host)).toMatchObject({ exitCode: 0 });
  await vi.waitFor(async () => expect((await visit(slug)).status).toBe(302), POLL);
  // It was not suspended.
  expect(await run("resume", workspaceId)).toMatchObject({ exitCode: 0 });
  const limited = await run("limits", workspaceId, "--clicks", "1000000000");
  expect(limited.output).toMatch(/ of 1000000000\n/);
  expect((await run("limits", workspaceId, "--clicks", "none")).output).not.toContain("of 1000000000");
  const { data } = await stack.hopline.listAuditLog({ actor: ["operator:report 7"], limit: 100 });
  expect(new Set(data.map(({ action }) => action))).toEqual(
    new Set(["link.looked_up", "domain.updated", "workspace.limits_set"]),
  );
  expect(data[0]?.actor).toEqual({ type: "operator", id: "report 7", name: null });
  const { rows } = await stack.database.query("SELECT FROM verifications WHERE identifier LIKE 'operator:%'");
  expect(rows).toEqual([]);
});

it("says what it needs, and what the API refuses", async () => {
  expect(await run("find", "http://nowhere.example/x")).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining("refused it: 404"),
  });
  expect(await run("suspend", "nowhere.example")).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining("No workspace has the host nowhere.example"),
  });
});
