/** A stage with a workspace and a key for it, closed after the last test of the file that opens it. */
import { afterAll } from "vitest";
import type { Scope } from "../src/http/api-key.ts";
import { openStage } from "./stage.ts";

export async function openKeyedStage(...scopes: readonly Scope[]) {
  const stage = await openStage();
  afterAll(() => stage.close());
  const workspace = await stage.addWorkspace();
  return { stage, workspace, key: await stage.addKey(workspace, scopes) };
}
