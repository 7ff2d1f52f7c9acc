/** Why a row of a file was not imported, in words. Pure. */
import type { ImportReport } from "@hopline/client/openapi";
import { nameOfField } from "../audit/describe-fields.ts";

type Refusal = Pick<ImportReport["refusals"][number], "slug" | "code" | "errors">;

const REASONS: { readonly [code: string]: string } = {
  no_domain: "The workspace has no active domain",
  version_mismatch: "The link was edited meanwhile: import the row again",
  limit_reached: "The workspace has as many links as it may",
};

export function describeRefusal({ slug, code, errors }: Refusal): string {
  if (code === "slug_taken") {
    return slug === null ? "Its slug is already taken" : `The slug “${slug}” is already taken`;
  }
  const faults = errors.map(
    ({ path, message }) => `${path === "" ? "This row" : nameOfField(path)} ${message}`,
  );
  return faults.length > 0 ? faults.join("; ") : (REASONS[code] ?? `Refused (${code.replaceAll("_", " ")})`);
}
