/** Whether people can sign in, where and how, and who may make an account, from the Worker's variables. */
import { parseProviders, type ProviderSettings } from "./providers/provider-settings.ts";

export type PeopleSettings = {
  /** The only origin on which sessions count: `https://app.example.com`, without a slash at the end. */
  readonly appOrigin: string;
  /** The first one signs; all of them are accepted, so that it can be rotated. */
  readonly secrets: readonly [string, ...string[]];
  readonly signUp: SignUp;
  /** With which people may sign in. */
  readonly providers: readonly ProviderSettings[];
};

export type SignUp =
  /** Only the set-up link makes an account. */
  | { readonly kind: "closed" }
  /** And people who are invited to a workspace. */
  | { readonly kind: "invited" }
  /** And people with an email address at one of these domains. Lower case, without @. */
  | { readonly kind: "domains"; readonly domains: readonly string[] }
  | { readonly kind: "open" };

export type PeopleVariables = {
  /** Empty: people can't sign in. */
  readonly APP_ORIGIN: string;
  /** `closed`, `invited`, `open`, or domains separated by commas: `@example.com,@example.org`. */
  readonly SIGN_UP: string;
  /** One secret or several, separated by commas, the newest first. */
  readonly AUTH_SECRET: string;
  /** JSON: providers/provider-settings.ts. */
  readonly SIGN_IN_PROVIDERS?: string;
};

const MIN_SECRET_LENGTH = 32;

/** `null` where people can't sign in. Throws for variables that make no sense, never quoting the secret. */
export function readPeopleSettings(variables: PeopleVariables): PeopleSettings | null {
  const { APP_ORIGIN: appOrigin, AUTH_SECRET: secretList, SIGN_UP: signUp } = variables;
  if (appOrigin === "") {
    return null;
  }
  const [secret = "", ...older] = secretList.split(",").map((text) => text.trim());
  if (!isUsableOrigin(appOrigin)) {
    throw new Error(
      "APP_ORIGIN is not usable: set it to an https origin such as https://app.example.com, or http://localhost:8787.",
    );
  }
  if ([secret, ...older].some((text) => text.length < MIN_SECRET_LENGTH)) {
    throw new Error(`AUTH_SECRET is missing or too short: set it to ${MIN_SECRET_LENGTH} random characters.`);
  }
  return {
    appOrigin,
    secrets: [secret, ...older],
    signUp: parseSignUp(signUp),
    providers: parseProviders(variables.SIGN_IN_PROVIDERS ?? ""),
  };
}

/** Cookies are only safe over https; browsers treat localhost like it, but no address. */
function isUsableOrigin(text: string): boolean {
  const url = URL.parse(text);
  const isLocal = url?.protocol === "http:" && url.hostname === "localhost";
  return url !== null && url.origin === text && (url.protocol === "https:" || isLocal);
}

function parseSignUp(text: string): SignUp {
  if (text === "closed" || text === "invited" || text === "open") {
    return { kind: text };
  }
  const domains = text.split(",").map((part) => part.trim().toLowerCase());
  if (domains.some((domain) => !/^@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(domain))) {
    throw new Error(
      "SIGN_UP is not usable: set it to closed, invited, open, or to domains such as @example.com,@example.org.",
    );
  }
  return { kind: "domains", domains: domains.map((domain) => domain.slice(1)) };
}

/** Whether this address may make an account. `isInvited`: an invitation waits for it. */
export function maySignUp(signUp: SignUp, { email, isInvited }: NewPerson): boolean {
  switch (signUp.kind) {
    case "closed":
      return false;
    case "invited":
      return isInvited;
    case "domains":
      return isInvited || signUp.domains.includes(email.slice(email.lastIndexOf("@") + 1));
    case "open":
      return true;
  }
}

type NewPerson = { readonly email: string; readonly isInvited: boolean };
