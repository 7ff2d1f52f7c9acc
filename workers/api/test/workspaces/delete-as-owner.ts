/** A workspace's deletion as one of its owners asks for it: no key may. */
import { toPublicId } from "../../src/http/entity-id.ts";
import { APP_ORIGIN } from "../people/people-stage.ts";
import type { Stage } from "../stage.ts";

/** @param query such as `name=Test&clicks=delete` */
export async function deleteAsOwner(
  stage: Pick<Stage, "app" | "addPerson">,
  workspace: Parameters<Stage["addPerson"]>[0] & { readonly id: string },
  query: string,
) {
  const { cookie } = await stage.addPerson(workspace, "owner");
  const path = `/api/v1/workspaces/${toPublicId("ws", workspace.id)}?${query}`;
  const response = await stage.app.request(path, {
    method: "DELETE",
    headers: { cookie, origin: APP_ORIGIN },
  });
  const text = await response.text();
  const body: unknown = text === "" ? null : JSON.parse(text);
  return { status: response.status, body };
}
