/** What the front door says instead of redirecting. */
import type { Page } from "./page.ts";

export const UNKNOWN: Page = {
  status: 404,
  code: "link_unknown",
  title: "No such link",
  message: "Nothing is stored under this address. Check it for a missing or a wrong letter.",
};

export const NO_SLUG: Page = {
  status: 404,
  code: "no_slug",
  title: "Nothing here",
  message: "This host serves short links. Add the part that follows the slash.",
};

export const DISABLED: Page = {
  status: 410,
  code: "link_gone",
  title: "This link has ended",
  message: "Its owner has switched it off.",
};

export const EXPIRED: Page = {
  status: 410,
  code: "link_expired",
  title: "This link has ended",
  message: "It was only open for a time.",
};

export const USED_UP: Page = {
  status: 410,
  code: "link_used_up",
  title: "This link has ended",
  message: "It could be opened a limited number of times.",
};

export const BLOCKED: Page = {
  status: 403,
  code: "link_blocked",
  title: "Not available here",
  message: "The owner of this link does not open it for your region, device or browser.",
};

function makePasswordPage(status: number, code: string, complaint: string): Page {
  const marks = complaint === "" ? "" : ' aria-invalid="true" aria-describedby="complaint"';
  return {
    status,
    code,
    title: "This link has a password",
    message: "Enter it to go on. The sender of the link should know it.",
    form: `<form method="post"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="256" required autofocus${marks}>
${complaint === "" ? "" : `<p class="bad" id="complaint" role="alert">${complaint}</p>`}<button>Open the link</button></form>`,
  };
}

export const PASSWORD_NEEDED: Page = makePasswordPage(401, "password_required", "");
export const PASSWORD_WRONG: Page = makePasswordPage(
  401,
  "password_wrong",
  "That is not the password. Mind upper and lower case.",
);
export const TOO_MANY_TRIES: Page = makePasswordPage(
  429,
  "too_many_passwords",
  "Too many wrong passwords were tried here. Please wait a minute.",
);

export const METHOD_NOT_ALLOWED: Page = {
  status: 405,
  code: "method_not_allowed",
  title: "Not this way",
  message: "A short link answers GET and HEAD only.",
};

export const TOO_MANY_MISSES: Page = {
  status: 429,
  code: "too_many_unknown_links",
  title: "Too many unknown links",
  message: "Your network has asked for many links that do not exist. Please try again in ten seconds.",
};

export const UNAVAILABLE: Page = {
  status: 503,
  code: "origin_unavailable",
  title: "Just a moment",
  message: "We can't look this link up right now. That is our fault; please try again in a few seconds.",
};

export const API_UNAVAILABLE: Page = {
  status: 503,
  code: "api_unavailable",
  title: "The API can't be reached",
  message: "Redirects are not affected. Please try again in a few seconds.",
};

export const CRASHED: Page = {
  status: 500,
  code: "internal_error",
  title: "That is our fault",
  message: "Something broke. It has been noted.",
};
