/** What operations on people are built with. */
import type { SendEmail } from "./email/email-message.ts";
import type { LoadAuth } from "./load-auth.ts";
import type { Passwords } from "./password-hash.ts";
import type { PeopleSettings } from "./people-settings.ts";
import type { LoadProviders } from "./providers/load-providers.ts";

export type PeopleDeps = {
  readonly settings: PeopleSettings;
  readonly loadAuth: LoadAuth;
  readonly loadProviders: LoadProviders;
  readonly passwords: Passwords;
  /** `null`: this deployment can't send email. */
  readonly sendEmail: SendEmail | null;
  /** Sends the emails that wait, behind the response. Never rejects: what fails stays for the job. */
  readonly sendWaitingEmails: () => void;
};

/** Where `APP_ORIGIN` is not set there are no people: their routes answer 404 before they run. */
export function requirePeople(people: PeopleDeps | null): PeopleDeps {
  if (people === null) {
    throw new Error("invariant: without APP_ORIGIN there is no session");
  }
  return people;
}
