/**
 * Cloudflare's custom hostnames: how a host in a customer's zone reaches this deployment, with a certificate. Plain fetch
 * (https://developers.cloudflare.com/api/resources/custom_hostnames/): the SDK would add 660 KB to the Worker for five calls.
 */
import { z } from "zod";

/** What Cloudflare says. Its words, not ours: `pending_validation`, `active`, `blocked` and many more. */
export type CustomHostname = {
  readonly hostname: string;
  readonly certificate: string | null;
  /** Why it is not active yet, in Cloudflare's words. */
  readonly errors: string[];
};

export type CustomHostnames = {
  /** Creates it where there is none; starts the validation again where it has timed out. */
  readonly ensure: (host: string, signal: AbortSignal) => Promise<CustomHostname>;
  /** Also where there is none. */
  readonly remove: (host: string, signal: AbortSignal) => Promise<void>;
};

/** The API refused, or could not be understood. Its name says with which codes; it is stored and logged. */
export class CloudflareError extends Error {
  constructor(status: number, codes: readonly number[]) {
    const name = ["cloudflare", status, ...codes].join("_");
    super(name);
    this.name = name;
  }
}

export type CustomHostnameSettings = {
  readonly apiUrl: string;
  readonly zoneId: string;
  readonly token: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
};

export type CustomHostnameVariables = {
  readonly CUSTOM_HOSTNAMES_ZONE_ID: string;
  /** A secret, and the only one that may be absent. */
  readonly CUSTOM_HOSTNAMES_TOKEN?: string | undefined;
};

export const CLOUDFLARE_API_URL = "https://api.cloudflare.com/client/v4";

/** `null` where none are configured, or only half of it: what is missing is then a fault, and all else works. */
export function readCustomHostnameAccess(
  variables: CustomHostnameVariables,
): Pick<CustomHostnameSettings, "zoneId" | "token"> | null {
  const { CUSTOM_HOSTNAMES_ZONE_ID: zoneId, CUSTOM_HOSTNAMES_TOKEN: token = "" } = variables;
  return zoneId === "" || token === "" ? null : { zoneId, token };
}

/** Half a configuration, in words; null for a whole one, and for none. */
export function findCustomHostnameFault(hasZone: boolean, hasToken: boolean): string | null {
  if (hasZone === hasToken) {
    return null;
  }
  const [given, missing] = hasZone
    ? ["CUSTOM_HOSTNAMES_ZONE_ID", "the secret CUSTOM_HOSTNAMES_TOKEN"]
    : ["the secret CUSTOM_HOSTNAMES_TOKEN", "CUSTOM_HOSTNAMES_ZONE_ID"];
  return `Custom hostnames are off: ${given} is set and ${missing} is not`;
}

/** By a file that Cloudflare itself serves once the host points to it: nothing to do for its owner. */
const SSL = { method: "http", type: "dv" } as const;

const Hostname = z.object({
  id: z.string(),
  hostname: z.string(),
  status: z.string().optional(),
  verification_errors: z.array(z.string()).optional(),
  ssl: z
    .object({
      status: z.string().optional(),
      validation_errors: z.array(z.object({ message: z.string().optional() })).optional(),
    })
    .optional(),
});
type Hostname = z.infer<typeof Hostname>;

const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number().int() })).optional(),
  result: z.unknown(),
});

export function createCustomHostnames(settings: CustomHostnameSettings): CustomHostnames {
  const find = async (host: string, signal: AbortSignal): Promise<Hostname | null> => {
    const query = new URLSearchParams({ hostname: host });
    const found = await call(settings, { path: `?${query.toString()}`, signal });
    const hostnames = z.array(Hostname).safeParse(found);
    if (!hostnames.success) {
      throw new CloudflareError(200, []);
    }
    return hostnames.data.find(({ hostname }) => hostname === host) ?? null;
  };
  return {
    async ensure(host, signal) {
      const found = await find(host, signal);
      if (found === null) {
        const body = { hostname: host, ssl: SSL };
        return toState(await call(settings, { method: "POST", path: "", body, signal }));
      }
      if (found.ssl?.status?.endsWith("_timed_out") === true) {
        const restart = { method: "PATCH", path: `/${found.id}`, body: { ssl: SSL }, signal };
        return toState(await call(settings, restart));
      }
      if (found.ssl?.status === "pending_validation") {
        // Cloudflare looks once; a host that points here only now is found when it is asked to look again.
        await call(settings, { method: "PATCH", path: `/${found.id}`, body: { ssl: SSL }, signal });
      }
      return toState(found);
    },

    async remove(host, signal) {
      const found = await find(host, signal);
      if (found !== null) {
        await call(settings, { method: "DELETE", path: `/${found.id}`, signal });
      }
    },
  };
}

type Call = {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
  readonly signal: AbortSignal;
};

async function call(
  { apiUrl, zoneId, token, fetch }: CustomHostnameSettings,
  { method = "GET", path, body, signal }: Call,
): Promise<unknown> {
  const response = await fetch(`${apiUrl}/zones/${encodeURIComponent(zoneId)}/custom_hostnames${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
  });
  const text = await response.text();
  if (method === "DELETE" && (response.ok || response.status === 404)) {
    return null;
  }
  const envelope = Envelope.safeParse(parse(text));
  if (!response.ok || envelope.data?.success !== true) {
    throw new CloudflareError(response.status, envelope.data?.errors?.map(({ code }) => code) ?? []);
  }
  return envelope.data.result;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy's page, for example: the status says more than its text.
    return null;
  }
}

function toState(value: unknown): CustomHostname {
  const { success, data } = Hostname.safeParse(value);
  if (!success) {
    throw new CloudflareError(200, []);
  }
  const { status = "unknown", ssl, verification_errors: errors = [] } = data;
  const certificateErrors = ssl?.validation_errors?.flatMap(({ message = "" }) => message || []) ?? [];
  return { hostname: status, certificate: ssl?.status ?? null, errors: [...errors, ...certificateErrors] };
}
