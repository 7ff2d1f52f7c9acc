/**
 * Compiles the smart fields of a request into changes of the published record and of the columns, or lists every problem with
 * the path of its field. All validation happens here; the redirect does none.
 */
import { toUtmQuery } from "@hopline/core/link/destination";
import { checkDestinationUrl, type DestinationPolicy } from "@hopline/core/link/destination-url";
import type { LinkExtras } from "@hopline/core/link/link-extras";
import { type CompileDeps, compileSmartLink } from "@hopline/core/rules/compile/compile-smart-link";
import { parseInstant } from "@hopline/core/rules/compile/instant";
import { fail, ok, type Result } from "@hopline/core/decode/result";
import { Problems } from "@hopline/core/rules/compile/problems";
import { faultOfFixedUrl } from "@hopline/core/link/placeholders";
import { hashPassword } from "@hopline/sealing/password";
import { findPasswordFault } from "../passwords/find-password-fault.ts";
import type { AppSchemes } from "../api-deps.ts";
import type { Database } from "../database.ts";
import { type FieldError, ProblemError } from "../http/problem.ts";
import { withoutFinalDot } from "../destination.ts";
import type { SmartInput, WrittenSmart } from "./smart-shape.ts";
import { findShortHosts } from "./store/link-store.ts";

/** `undefined` in `extras` removes a field of the record; a field that is not in it stays. */
export type SmartChange = {
  readonly extras: LinkExtras;
  /** For `links.smart`; `null` removes a field. */
  readonly written: { readonly [Field in keyof WrittenSmart]: WrittenSmart[Field] | null };
  /** Absent: stays. */
  readonly cap?: CapInput | null;
};

export type CapInput = NonNullable<SmartInput["cap"]>;

export type SmartContext = {
  /** The link's destination, already checked. */
  readonly url: string;
  /** Uses that already count. */
  readonly used: number;
};

export type SmartDeps = { readonly database: Database; readonly appSchemes: AppSchemes };

/** Throws `ProblemError` with all problems. */
export async function compileSmartChange(
  input: SmartInput,
  context: SmartContext,
  { database, appSchemes }: SmartDeps,
): Promise<SmartChange> {
  const ownHosts = await findShortHosts(database, hostsIn(input));
  const compiled = await compileSmart(input, context, { ownHosts, appSchemes });
  if (!compiled.ok) {
    throw new ProblemError("invalid", compiled.error);
  }
  return compiled.value;
}

/** The same, with a policy that knows which of `hostsIn` the input are short domains. */
export async function compileSmart(
  input: SmartInput,
  { url, used }: SmartContext,
  policy: DestinationPolicy,
): Promise<Result<SmartChange, readonly FieldError[]>> {
  const checkUrl: CompileDeps["checkUrl"] = (text) => checkDestinationUrl(text, policy);
  const problems = new Problems();
  const { rules, split, next } = input;
  const compiled = compileSmartLink(
    { url, rules: rules ?? undefined, split: split ?? undefined, next: next ?? undefined },
    { checkUrl },
  );
  if (!compiled.ok) {
    compiled.error
      .filter(({ path }) => path !== "url")
      .forEach(({ path, message }) => problems.add(path, message));
  }
  const limits = await compileLimits(input, used, { checkUrl, problems });
  const found = problems.all;
  if (found.length > 0) {
    return fail(found);
  }
  const smart: Pick<LinkExtras, "rules" | "split" | "next"> = compiled.ok ? compiled.value : {};
  return ok({
    extras: {
      ...pick(input.rules, { rules: smart.rules }),
      ...pick(input.split, { split: smart.split }),
      ...pick(input.next, { next: smart.next }),
      ...limits,
    },
    written: toWritten(input),
    ...(input.cap === undefined ? {} : { cap: input.cap }),
  });
}

type Checks = CompileDeps & { readonly problems: Problems };

async function compileLimits(input: SmartInput, used: number, checks: Checks): Promise<LinkExtras> {
  const { cap, forwardQuery, utm, openGraph, password } = input;
  const forward = forwardQuery === "none" || forwardQuery === null ? undefined : forwardQuery;
  const image =
    openGraph?.image === undefined ? undefined : readUrl(openGraph.image, "openGraph.image", checks);
  if (openGraph !== undefined && openGraph !== null && Object.keys(openGraph).length === 0) {
    checks.problems.add("openGraph", "is empty: give a title, a description or an image");
  }
  const fault = typeof password === "string" ? await findPasswordFault(password, []) : null;
  if (fault !== null) {
    checks.problems.add("password", fault);
  }
  return {
    ...pick(input.startsAt, { startsAtMs: readInstant(input.startsAt, "startsAt", checks.problems) }),
    ...pick(input.expiresAt, { expiresAtMs: readInstant(input.expiresAt, "expiresAt", checks.problems) }),
    ...pick(input.expiredUrl, {
      endedUrl:
        typeof input.expiredUrl === "string" ? readUrl(input.expiredUrl, "expiredUrl", checks) : undefined,
    }),
    ...pick(password, {
      password: typeof password === "string" && fault === null ? await hashPassword(password) : undefined,
    }),
    ...pick(cap, {
      cap:
        cap === null || cap === undefined ? undefined : { mode: cap.mode, isUsedUp: used >= cap.maxClicks },
    }),
    ...pick(forwardQuery, { forward }),
    ...pick(utm, { utmQuery: toUtmQuery(utm ?? {}) || undefined }),
    ...pick(openGraph, {
      openGraph: openGraph === null || openGraph === undefined ? undefined : { ...openGraph, image },
    }),
  };
}

/** `part` if the request has the field, even as `null`. */
function pick<Part extends object>(named: unknown, part: Part): Part | object {
  return named === undefined ? {} : part;
}

function readUrl(text: string, path: string, { checkUrl, problems }: Checks): string | undefined {
  const checked = checkUrl(text);
  const fault = checked.ok ? faultOfFixedUrl(checked.value) : checked.error.message;
  if (fault !== null) {
    problems.add(path, fault);
  }
  return checked.ok ? checked.value : undefined;
}

function readInstant(text: string | null | undefined, path: string, problems: Problems): number | undefined {
  if (text === null || text === undefined) {
    return undefined;
  }
  const atMs = parseInstant(text);
  if (atMs === null) {
    problems.add(
      path,
      `${JSON.stringify(text)} is not an RFC 3339 instant: write it as 2027-01-01T00:00:00Z`,
    );
  }
  return atMs ?? undefined;
}

function toWritten(input: SmartInput): SmartChange["written"] {
  const { rules, split, next, expiredUrl, forwardQuery, utm, openGraph, qr } = input;
  const written = { rules, split, next, expiredUrl, forwardQuery, utm, openGraph, qr };
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined));
}

/** The host of every URL in the request, with and without its port, without the dot that may end it. */
export function hostsIn(input: SmartInput): readonly string[] {
  const hosts = urlsIn(input).flatMap((text) => {
    const url = URL.parse(text.trim());
    return url === null ? [] : [url.host, url.hostname].map(withoutFinalDot);
  });
  return [...new Set(hosts)];
}

/** Where the link may lead beside its destination. Not checked yet. */
export function urlsIn({ rules, split, next, expiredUrl }: SmartInput): readonly string[] {
  return [
    ...(rules ?? []).flatMap(({ to }) =>
      "url" in to ? [to.url] : "split" in to ? to.split.map((variant) => variant.url) : [],
    ),
    ...(split ?? []).map((variant) => variant.url),
    ...(next ? [next.url] : []),
    ...(typeof expiredUrl === "string" ? [expiredUrl] : []),
  ];
}
