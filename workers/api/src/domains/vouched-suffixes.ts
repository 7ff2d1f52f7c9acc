/** Hosts that need no proof, from a variable. Apart from host-name.ts, which knows all public suffixes and is loaded by few requests. */

/** Hosts that any workspace may have without proof, each with the hosts below it. From VOUCHED_SUFFIXES. */
export type VouchedSuffixes = readonly string[];

/** Throws for a variable that makes no sense, so that a deployment fails at its start. */
export function readVouchedSuffixes({
  VOUCHED_SUFFIXES: text,
}: {
  readonly VOUCHED_SUFFIXES: string;
}): VouchedSuffixes {
  const suffixes = text
    .split(",")
    .map((suffix) => suffix.trim())
    .filter((suffix) => suffix !== "");
  const wrong = suffixes.find((suffix) => !VOUCHABLE.test(suffix));
  if (wrong !== undefined) {
    throw new Error(
      `VOUCHED_SUFFIXES: "${wrong}" is not a host name: write it in lower case, as links.example.com.`,
    );
  }
  return suffixes;
}

/** A host name, maybe with a port. */
export const VOUCHABLE = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/;
