import { createKey } from "@hopline/ops/operate/create-key";
import { afterAll, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openStage } from "../stage.ts";

const stage = await openStage();

afterAll(() => stage.close());

const request = { workspace: "Marketing", name: "First key", scopes: ["admin"], domain: "go.example.com" };

it("creates a workspace with a domain and a key that works", async () => {
  const { key, workspaceId, isNewWorkspace } = await createKey(stage.databaseUrl, request);
  expect(isNewWorkspace).toBe(true);
  expect((await callApi(stage, "GET /api/v1/workspaces", { key })).body).toMatchObject({
    data: [{ id: workspaceId, name: "Marketing" }],
  });
  const link = await callApi(stage, "POST /api/v1/links", { key, body: { url: "https://example.com/" } });
  expect(link).toMatchObject({ status: 201, body: { domain: "go.example.com" } });
});

it("adds a key to an existing workspace, and does not take a domain from its owner", async () => {
  const again = await createKey(stage.databaseUrl, request);
  expect(again.isNewWorkspace).toBe(false);
  await expect(createKey(stage.databaseUrl, { ...request, workspace: "Other" })).rejects.toThrow(
    "belongs to another workspace",
  );
  const { rows } = await stage.client.query("SELECT name FROM workspaces");
  expect(rows).toEqual([{ name: "Marketing" }]);
});
