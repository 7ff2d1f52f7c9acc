/** The shape of bounds in requests and answers, the same in both. */
import { z } from "@hono/zod-openapi";
import { plainText } from "../text-shape.ts";
import type { NamedBound } from "./bound-store.ts";

const MAX_NAMES = 100;

const anyOf = <Item extends z.ZodType<string>>(item: Item, description: string) =>
  z
    .array(item)
    .max(MAX_NAMES)
    .optional()
    .openapi({ type: "array", maxItems: MAX_NAMES, items: { type: "string" }, description });

const MAX_LINKS_PER_MINUTE = 600;

const CreateOnlyShape = z
  .strictObject({
    origins: z
      .array(
        plainText(300).refine(
          (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? "") && URL.parse(text)?.origin === text,
          "is not an origin: write it as https://www.example.com",
        ),
      )
      .min(1)
      .max(MAX_NAMES)
      .openapi({
        type: "array",
        items: { type: "string" },
        description:
          "Of the pages that use it. Only browsers send it: it keeps other pages off, not programs.",
        example: ["https://www.example.com"],
      }),
    destinationHosts: z
      .array(
        plainText(300).refine(
          (text) => URL.parse(`https://${text}`)?.host === text,
          "is not a host: write it as example.com, in lower case",
        ),
      )
      .min(1)
      .max(MAX_NAMES)
      .openapi({
        type: "array",
        items: { type: "string" },
        description: "Where its links may lead, each exactly, without subdomains.",
        example: ["example.com"],
      }),
    linksPerMinute: z.number().int().min(1).max(MAX_LINKS_PER_MINUTE).openapi({
      description: "Requests, of all pages together.",
      example: 30,
    }),
  })
  .openapi("CreateOnly", {
    description:
      "A key that a browser may hold: with the scope `links:write` alone, it may call createLink and nothing else.",
  });

export const BoundShape = z
  .strictObject({
    domains: anyOf(plainText(300).toLowerCase(), "Links on any of these domains, by host or id."),
    folders: anyOf(plainText(100), "Links in any of these folders, by name or id."),
    tags: anyOf(
      plainText(100).trim().normalize("NFC"),
      "Links that have any of these tags, by name or id. A renamed tag stays.",
    ),
    ownLinks: z.literal(true).optional().openapi({
      description: "Links that it made itself: a key, or one that it replaced; a member, or a key of theirs.",
    }),
    createOnly: CreateOnlyShape.optional(),
  })
  .refine(
    (bound) => Object.keys(bound).length > 0,
    "say nothing: name domains, folders or tags, or own links",
  )
  .openapi("Bounds", {
    description:
      "The links that exist for it, with their clicks: each part that is given has to let a link through. What is about the whole workspace is refused: `out_of_bounds`. An empty list, also of what is gone since, lets nothing through.",
    example: { domains: ["go.example.com"], ownLinks: true },
  });

type Shown = z.infer<typeof BoundShape>;

/** Lists that can be changed, as answers' types ask for. */
export function toBound(bound: NamedBound | null): Shown | null {
  const { domains, folders, tags, ownLinks, createOnly } = bound ?? {};
  return (
    bound && {
      ...(domains === undefined ? {} : { domains: [...domains] }),
      ...(folders === undefined ? {} : { folders: [...folders] }),
      ...(tags === undefined ? {} : { tags: [...tags] }),
      ...(ownLinks === undefined ? {} : { ownLinks }),
      ...(createOnly === undefined
        ? {}
        : {
            createOnly: {
              ...createOnly,
              origins: [...createOnly.origins],
              destinationHosts: [...createOnly.destinationHosts],
            },
          }),
    }
  );
}
