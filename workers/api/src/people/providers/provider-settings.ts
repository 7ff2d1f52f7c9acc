/**
 * With which identity providers people may sign in, from the secret SIGN_IN_PROVIDERS: a JSON list, because each has a secret.
 * Google and GitHub need an id and their client; every other provider that speaks OpenID Connect needs a name and its issuer.
 */
import { z } from "@hono/zod-openapi";

export type ProviderSettings = {
  /** In the addresses of this deployment: `google`. */
  readonly id: string;
  /** For people: `Google`. */
  readonly name: string;
  /**
   * Who vouches for the people. Stored with each account, so that another provider under the same id gets no account.
   */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
};

/** GitHub is no OpenID provider: what it is asked instead is in provider-client.ts. */
export const GITHUB_ISSUER = "https://github.com";

const KNOWN: { readonly [id: string]: Pick<ProviderSettings, "name" | "issuer"> } = {
  google: { name: "Google", issuer: "https://accounts.google.com" },
  github: { name: "GitHub", issuer: GITHUB_ISSUER },
};

const Provider = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{1,32}$/),
  name: z.string().min(1).max(50).optional(),
  issuer: z.string().refine(isUsableIssuer).optional(),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
});

const Providers = z.array(Provider).max(20);

/** Empty: none. Throws for a text that makes no sense, and quotes none of it. */
export function parseProviders(text: string): readonly ProviderSettings[] {
  if (text.trim() === "") {
    return [];
  }
  const { success, data } = Providers.safeParse(parseJson(text));
  const providers = success ? data.map(complete) : [null];
  const whole = providers.filter((provider) => provider !== null);
  const isUnique = new Set(whole.map(({ id }) => id)).size === providers.length;
  if (whole.length < providers.length || !isUnique) {
    throw new Error(
      'SIGN_IN_PROVIDERS is not usable: set it to a JSON list such as [{"id":"google","clientId":"…","clientSecret":"…"}]; a provider other than google and github also needs "name" and its https "issuer".',
    );
  }
  return whole;
}

function complete({ name, issuer, ...provider }: z.infer<typeof Provider>): ProviderSettings | null {
  const known = KNOWN[provider.id];
  if (known !== undefined) {
    return name === undefined && issuer === undefined ? { ...known, ...provider } : null;
  }
  return name === undefined || issuer === undefined ? null : { name, issuer, ...provider };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isUsableIssuer(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "https:" || isLocal(text)) && url.search === "" && url.hash === "";
}

/** Only a developer's own machine may be asked without https. */
export function isLocal(issuer: string): boolean {
  const url = URL.parse(issuer);
  return url?.protocol === "http:" && (url.hostname === "localhost" || url.hostname === "127.0.0.1");
}
