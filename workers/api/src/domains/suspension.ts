/** That the operator has suspended a workspace or a domain, as its people see it too. */
import { z } from "@hono/zod-openapi";
import { toInstant } from "../instant.ts";

export type StoredSuspension = {
  readonly suspendedAtMs: number | null;
  readonly suspendedFor: string | null;
};

export const SuspensionBody = z
  .object({
    at: z.iso.datetime(),
    reason: z.string().openapi({ example: "phishing, reported on 25 November" }),
  })
  .openapi("Suspension", {
    description:
      "By the operator: none of its links leads anywhere, and visitors get a page that says so, with 403. Nothing is deleted.",
  });

export function toSuspension({ suspendedAtMs, suspendedFor }: StoredSuspension) {
  return suspendedAtMs === null ? null : { at: toInstant(suspendedAtMs), reason: suspendedFor ?? "" };
}
