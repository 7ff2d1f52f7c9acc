/** The shape of a single click: in JSON, and as a line of CSV. */
import { z } from "@hono/zod-openapi";
import { toPublicId } from "../http/entity-id.ts";
import { toCsvLine, toHarmlessText } from "../imports/csv.ts";
import { toInstant } from "../instant.ts";
import { CLICK_DIMENSIONS, type ListedClick } from "./click-list.ts";

const US_PER_MS = 1_000;

export const ClickBody = z
  .object({
    id: z.string(),
    at: z.iso.datetime(),
    ...(Object.fromEntries(CLICK_DIMENSIONS.map((dimension) => [dimension, z.string().nullable()])) as {
      [Name in (typeof CLICK_DIMENSIONS)[number]]: z.ZodNullable<z.ZodString>;
    }),
  })
  .openapi("Click", { description: "`null`: unknown. Addresses and user agents are not stored." });

export function toClick(click: ListedClick): z.infer<typeof ClickBody> {
  const values = CLICK_DIMENSIONS.map((dimension) => [dimension, publicValue(click, dimension)] as const);
  return {
    id: click.eventId,
    at: toInstant(Number(click.atUs) / US_PER_MS),
    ...(Object.fromEntries(values) as Omit<z.infer<typeof ClickBody>, "id" | "at">),
  };
}

export const CSV_HEADER = toCsvLine(["id", "at", ...CLICK_DIMENSIONS]);

/** Visitors control referrers and UTM values, so a cell may begin like a formula. */
export function toCsv(click: ListedClick): string {
  return toCsvLine([
    click.eventId,
    toInstant(Number(click.atUs) / US_PER_MS),
    ...CLICK_DIMENSIONS.map((dimension) => toHarmlessText(publicValue(click, dimension) ?? "")),
  ]);
}

function publicValue(click: ListedClick, dimension: (typeof CLICK_DIMENSIONS)[number]): string | null {
  const value = click.values.get(dimension) ?? null;
  if (value === null) {
    return null;
  }
  return dimension === "link"
    ? toPublicId("lnk", value)
    : dimension === "domain"
      ? toPublicId("dom", value)
      : value;
}
