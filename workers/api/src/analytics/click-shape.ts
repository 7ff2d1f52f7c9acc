/** The shape of a single click: in JSON, and as a line of CSV. */
import { z } from "@hono/zod-openapi";
import { v5 as uuidv5 } from "uuid";
import { toCsvLine } from "@hopline/core/csv/csv-line";
import { toInstant } from "../instant.ts";
import { toPublicValue } from "./public-value.ts";
import type { ListedClick } from "@hopline/analytics/engine";
import { CLICK_DIMENSIONS, type ClickDimension } from "@hopline/analytics/dimension";

const US_PER_MS = 1_000;

/** The namespace of clicks' public ids. */
const CLICK_IDS = "3f0e2a54-6a0b-5b6e-9d0c-6a6f1d0e7c21";

/**
 * A click's id for the outside: a hash of its event id (64 random bits are in there), always the same. The event id itself
 * numbers the clicks of all workspaces.
 */
export function toPublicClickId(eventId: string): string {
  return uuidv5(eventId, CLICK_IDS);
}

export const ClickBody = z
  .object({
    id: z.string(),
    at: z.iso.datetime(),
    ...(Object.fromEntries(CLICK_DIMENSIONS.map((dimension) => [dimension, z.string().nullable()])) as {
      [Name in ClickDimension]: z.ZodNullable<z.ZodString>;
    }),
  })
  .openapi("Click", { description: "`null`: unknown. Addresses and user agents are not stored." });

export function toClick({ eventId, atUs, values }: ListedClick): z.infer<typeof ClickBody> {
  const shown = CLICK_DIMENSIONS.map(
    (dimension) => [dimension, toPublicValue(dimension, values.get(dimension) ?? null)] as const,
  );
  return {
    id: toPublicClickId(eventId),
    at: toInstant(Number(atUs) / US_PER_MS),
    ...(Object.fromEntries(shown) as { [Name in ClickDimension]: string | null }),
  };
}

/** `shortUrl`: `null` once the link is deleted. */
export type ExportedClick = ListedClick & { readonly shortUrl: string | null };

export const CSV_HEADER = toCsvLine(["id", "at", ...CLICK_DIMENSIONS, "shortUrl"]);

export function toCsv(listed: ExportedClick): string {
  const click = toClick(listed);
  const cells = CLICK_DIMENSIONS.map((dimension) => click[dimension] ?? "");
  return toCsvLine([click.id, click.at, ...cells, listed.shortUrl ?? ""]);
}
