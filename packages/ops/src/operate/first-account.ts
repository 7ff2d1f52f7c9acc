/** The first account of a deployment, made where people make it: with a set-up link, at the dashboard. */
import { randomBytes } from "node:crypto";

import { createClient } from "@hopline/client/client";
import { HoplineError } from "@hopline/client/hopline-error";
import { Failure } from "@hopline/testkit/console/failure";

import { eventually } from "../deploy/prove.ts";
import { keepSecrets, readSecrets } from "../deploy/secrets.ts";
import type { Tools } from "../deploy/tools.ts";
import { createSetUpLink } from "./set-up-link.ts";

const NAME = "OWNER_PASSWORD";
/** 32 characters: the API takes none so long for a common one, whatever is stripped off its ends. */
const PASSWORD_BYTES = 24;

type FirstAccount = Pick<Tools, "fetch" | "wait"> & {
  readonly environment: string;
  readonly databaseUrl: string;
  readonly appOrigin: string;
  /** Null where there is an account already. */
  readonly email: string | null;
};

/** Whether the first owner's password is the one that is kept here. Rejects with a `Failure` where no account could be made. */
export async function ensureFirstAccount(options: FirstAccount): Promise<boolean> {
  const { appOrigin, databaseUrl, email, environment, fetch, wait } = options;
  const kept = (await readSecrets(environment, [NAME])).get(NAME);
  const link = email === null ? null : await createSetUpLink(databaseUrl, appOrigin);
  if (email === null || link === null) {
    return kept !== undefined;
  }
  const password = kept ?? randomBytes(PASSWORD_BYTES).toString("base64url");
  await keepSecrets(environment, new Map([[NAME, password]]));
  const token = new URL(link).searchParams.get("token") ?? "";
  const client = createClient({ baseUrl: appOrigin, fetch: toFetch(fetch) });
  const [name = ""] = email.split("@");
  let reason = "it does not answer";
  const isMade = await eventually(
    async () => {
      try {
        await client.setUp({ body: { token, email, name, password } }, { headers: { origin: appOrigin } });
        return true;
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
        // A new address takes a moment; what the API refuses, it goes on refusing.
        if (error instanceof HoplineError && error.status < 500) {
          throw new Failure(`${appOrigin} makes no account for ${email}: ${reason}`, { cause: error });
        }
        return false;
      }
    },
    { wait },
  );
  if (!isMade) {
    throw new Failure(`No account could be made at ${appOrigin}: ${reason}. Run this again.`);
  }
  return true;
}

/** The client's fetch, by what visits deployments. */
export function toFetch(visit: Tools["fetch"]): (request: Request) => Promise<Response> {
  return async (request) => {
    const body = request.body === null ? {} : { body: await request.text() };
    return visit(request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      redirect: "manual",
      ...body,
    });
  };
}
