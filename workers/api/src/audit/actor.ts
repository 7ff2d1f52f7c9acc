/** Who acted, as the log and the versions of links keep it, and as answers show it. */
import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import { parsePublicId, toPublicId } from "../http/entity-id.ts";

const ACTOR_TYPES = ["person", "key", "token", "job", "operator", "anonymous"] as const;

export const ActorBody = z
  .object({
    type: z.enum(ACTOR_TYPES).openapi({
      description:
        "`token`: a JWT's subject. `job`: Hopline itself, later. `operator`: a person with access to the database, whose `id` is the reason that they gave on the command line. `anonymous`: a caller who had not signed in yet.",
    }),
    id: z.string().nullable().openapi({ example: "per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    name: z
      .string()
      .nullable()
      .openapi({ description: "As it is now; `null` if it is gone.", example: "Ada Lovelace" }),
  })
  .openapi("Actor");

type Actor = z.infer<typeof ActorBody>;

/** The name of the actor in this column. */
export function actorNameOf(actor: SQL): SQL {
  return sql`CASE split_part(${actor}, ':', 1)
    WHEN 'person' THEN (SELECT name FROM people WHERE id = split_part(${actor}, ':', 2)::uuid)
    WHEN 'key' THEN (SELECT name FROM api_keys WHERE id = split_part(${actor}, ':', 2)::uuid) END`;
}

const STORED_TYPES: { readonly [prefix: string]: Actor["type"] } = {
  person: "person",
  key: "key",
  jwt: "token",
  job: "job",
  operator: "operator",
};

export function toActor(stored: string, name: unknown): Actor {
  const [prefix = "", ...rest] = stored.split(":");
  const id = rest.join(":");
  const type = STORED_TYPES[prefix] ?? "anonymous";
  return {
    type,
    id:
      id === ""
        ? null
        : type === "person"
          ? toPublicId("per", id)
          : type === "key"
            ? toPublicId("key", id)
            : id,
    name: typeof name === "string" ? name : null,
  };
}

/** As it is stored: from an id of a person or a key, or a word. */
export function toStoredActor(text: string): string {
  const [personId, keyId] = [parsePublicId("per", text), parsePublicId("key", text)];
  return personId !== null ? `person:${personId}` : keyId !== null ? `key:${keyId}` : text;
}
