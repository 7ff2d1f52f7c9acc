/**
 * A real OpenID provider on this machine (https://github.com/panva/node-oidc-provider), for tests of signing in. Every
 * visitor is signed in there already, as the person that the test names, and agrees to everything.
 */
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export type ProvidedPerson = {
  /** Of the account there. */
  readonly subject: string;
  readonly email: string;
  readonly isVerified: boolean;
  readonly name: string;
};

export type IdentityProvider = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A browser that is sent to the provider, and back: the callback's address. */
  readonly visit: (location: string, person: ProvidedPerson) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/** @param redirectUris where it may send browsers to. */
export async function startIdentityProvider(redirectUris: readonly string[]): Promise<IdentityProvider> {
  const client = { clientId: "hopline", clientSecret: "the secret of a client, for tests only" };
  let visitor: ProvidedPerson | undefined;
  const people = new Map<string, ProvidedPerson>();
  // Its address is needed to make the provider that answers there.
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [...redirectUris],
        grant_types: ["authorization_code"],
        response_types: ["code"],
        id_token_signed_response_alg: "ES256",
      },
    ],
    cookies: { keys: ["for tests only"] },
    jwks: { keys: [privateKey.export({ format: "jwk" })] },
    ttl: { Interaction: 60, Grant: 60, Session: 60, AccessToken: 60, IdToken: 60, AuthorizationCode: 60 },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, subject) => {
      const person = people.get(subject);
      return person === undefined
        ? undefined
        : {
            accountId: subject,
            claims: () => ({
              sub: subject,
              email: person.email,
              email_verified: person.isVerified,
              name: person.name,
            }),
          };
    },
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({
        clientId: client.clientId,
        accountId: oidc.session?.accountId ?? "",
      });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();

  async function handle(...[request, response]: Parameters<typeof answer>): Promise<void> {
    if (request.url?.startsWith("/interaction/") !== true) {
      await answer(request, response);
      return;
    }
    const accountId = visitor?.subject ?? "";
    await provider.interactionFinished(request, response, { login: { accountId } });
  }

  return {
    issuer,
    ...client,
    async visit(location, person) {
      visitor = person;
      people.set(person.subject, person);
      const cookies = new Map<string, string>();
      let at = location;
      // Its own pages: the way in, the interaction, the way on.
      while (at.startsWith(issuer)) {
        const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ");
        const response = await fetch(at, { redirect: "manual", headers: { cookie } });
        for (const set of response.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          cookies.set(name, value);
        }
        const next = response.headers.get("location");
        if (next === null) {
          throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
        }
        at = new URL(next, at).href;
      }
      return at;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
