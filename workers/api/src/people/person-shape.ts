/** The shapes of people in requests and answers. */
import { z } from "@hono/zod-openapi";
import { toPublicId } from "../http/entity-id.ts";
import { plainText } from "../http/text-shape.ts";
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "./password-hash.ts";
import { ROLES } from "../http/roles.ts";

/**
 * In lower case, which is how it is stored: no provider tells capitals apart. ASCII before that: the Kelvin sign would become a k,
 * and an address with it another person's.
 */
export const Email = z
  .string()
  .max(254)
  .refine((text) => /^\p{ASCII}*$/u.test(text), "is not an email address: use plain letters")
  .toLowerCase()
  .pipe(z.email())
  .openapi({ type: "string", format: "email", maxLength: 254, example: "ada@example.com" });

/** Of a person who signs in: any text, so that an answer says nothing about what passwords there are. */
export const GivenPassword = plainText(MAX_PASSWORD_LENGTH).min(1);

export const NewPassword = plainText(MAX_PASSWORD_LENGTH)
  .min(MIN_PASSWORD_LENGTH)
  .openapi({
    description: `${MIN_PASSWORD_LENGTH} characters or more, of any kind; neither a common password nor one's own name, address or workspace.`,
    example: "correct horse battery",
  });

export const PersonName = plainText(200).min(1).openapi({ example: "Ada Lovelace" });

export const RoleShape = z.enum(ROLES);

/** A one-time token out of an email or of the set-up link. */
export const TokenShape = plainText(200).min(1).openapi({ example: "vYkQzBtTnLwXcGdHsRmJpFqZ" });

export const SignedInBody = z
  .object({
    personId: z.string().openapi({ example: "per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    workspaceId: z.string().optional().openapi({ description: "The one that an invitation led into." }),
  })
  .openapi("SignedIn");

export function toSignedIn(personId: string, workspaceId?: string) {
  return {
    personId: toPublicId("per", personId),
    ...(workspaceId === undefined ? {} : { workspaceId: toPublicId("ws", workspaceId) }),
  };
}
