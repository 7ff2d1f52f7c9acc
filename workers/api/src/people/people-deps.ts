/** What operations on people are built with. */
import type { SendLetter } from "./letters/letter.ts";
import type { LoadAuth } from "./load-auth.ts";
import type { Passwords } from "./password-hash.ts";
import type { PeopleSettings } from "./people-settings.ts";

export type PeopleDeps = {
  readonly settings: PeopleSettings;
  readonly loadAuth: LoadAuth;
  readonly passwords: Passwords;
  /** `null`: this deployment can't send e-mail. */
  readonly sendLetter: SendLetter | null;
  /** Sends the letters that wait, behind the response. Never rejects: what fails stays for the job. */
  readonly sendWaitingLetters: () => void;
};

/** Where `APP_ORIGIN` is not set there are no people: their routes answer 404 before they run. */
export function requirePeople(people: PeopleDeps | null): PeopleDeps {
  if (people === null) {
    throw new Error("invariant: without APP_ORIGIN nobody is signed in");
  }
  return people;
}
