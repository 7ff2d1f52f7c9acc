/** The shapes of a hypothetical visitor, and of what a link would answer and why. */
import { z } from "@hono/zod-openapi";
import { plainText } from "../http/text-shape.ts";

const text = (maxLength: number) => plainText(maxLength).nullable().default(null);

export const ResolveBody = z
  .strictObject({
    at: plainText(64).optional().openapi({ format: "date-time", description: "Now if left out." }),
    country: text(2).openapi({ description: "ISO 3166-1 alpha-2." }),
    continent: text(2),
    region: text(6).openapi({ description: "ISO 3166-2: US-CA." }),
    city: text(64),
    language: text(255).openapi({ description: "As in Accept-Language." }),
    referrer: text(2_048).openapi({ description: "The full address that the visitor comes from." }),
    userAgent: text(1_024).openapi({
      description: "Device, OS, browser and bot are read from it, unless they are given.",
    }),
    device: text(32),
    os: text(32),
    browser: text(32),
    isBot: z.boolean().optional(),
    query: plainText(4_096).default("").openapi({ description: "Without the question mark." }),
    path: plainText(2_048).default("").openapi({
      description: "What follows the slug, if the link forwards it: `intro/setup`, as in an address.",
    }),
    alias: text(250).openapi({
      description: "The alias of the link that the visitor comes through. Its slug if left out.",
    }),
    hasPassword: z
      .boolean()
      .default(false)
      .openapi({ description: "Whether the visitor enters the link's password." }),
    visitorKey: plainText(512).default("").openapi({
      description: "Any text that identifies the visitor: the same text always draws the same variant.",
    }),
  })
  .openapi("ResolveLink");

export type ResolveInput = z.infer<typeof ResolveBody>;

export const ResolutionBody = z
  .object({
    outcome: z.enum([
      "redirect",
      "blocked",
      "gone",
      "not-started",
      "password-required",
      "preview",
      "suspended",
      "unknown",
    ]),
    status: z.number().int().openapi({ description: "The HTTP status that the visitor would get." }),
    location: z.string().nullable(),
    alias: z.string().nullable().openapi({
      description: "The alias that the visitor comes through, which the click would say; `null`: the slug.",
    }),
    why: z.string().nullable().openapi({ description: "Why a link is gone." }),
    ruleId: z.string().nullable(),
    variantId: z.string().nullable(),
    missed: z
      .array(
        z.object({
          ruleId: z.string(),
          unmet: z.array(
            z.object({ field: z.string(), expected: z.array(z.string()), actual: z.string().nullable() }),
          ),
        }),
      )
      .openapi({ description: "The rules that were tried before, and the conditions that did not match." }),
    off: z.array(z.string()).openapi({ description: "The ids of rules that are switched off." }),
  })
  .openapi("Resolution");

export type Resolution = z.infer<typeof ResolutionBody>;
