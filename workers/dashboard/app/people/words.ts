/** What the pages of people say. */
/** Why an identity provider refused a sign-in, by the code of the API's problem. */
export const FAILURES: { readonly [code: string]: string } = {
  sign_in_interrupted:
    "This sign-in was finished before, took too long, or began in another browser: start again.",
  provider_unavailable:
    "The identity provider can't be reached right now: try again, or sign in another way.",
  email_unverified:
    "The identity provider does not say that your email address is verified: verify it there, or sign in another way.",
  sign_up_closed: "Accounts here are by invitation: ask an admin for one.",
  rate_limited: "There were too many attempts: wait a minute, then start again.",
};
