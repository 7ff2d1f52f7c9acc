/** Every operation of the API. A route that is not in this list does not exist. */
import type { ApiDeps } from "../api-context.ts";
import { createLinkOperation } from "./create-link.ts";
import { readLinkOperation } from "./read-link.ts";

export function listOperations(deps: ApiDeps) {
  return [createLinkOperation(deps), readLinkOperation(deps)] as const;
}
