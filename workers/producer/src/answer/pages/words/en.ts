/** English. */
import type { Words } from "../words.ts";

export const en: Words = {
  lang: "en",
  pages: {
    link_unknown: [
      "No such link",
      "Nothing is stored under this address. Check it for a missing or a wrong letter.",
    ],
    no_slug: ["Nothing here", "This host serves short links. Add the part that follows the slash."],
    link_gone: ["This link has ended", "Its owner has switched it off."],
    link_expired: ["This link has ended", "It was only open for a time."],
    link_used_up: ["This link has ended", "It could be opened a limited number of times."],
    link_blocked: [
      "Not available here",
      "The owner of this link does not open it for your region, device or browser.",
    ],
    domain_suspended: [
      "These links are switched off",
      "Who runs this service has suspended all links of this address.",
    ],
    password_required: [
      "This link has a password",
      "Enter it to go on. The sender of the link should know it.",
    ],
    method_not_allowed: ["Not this way", "A short link answers GET and HEAD only."],
    too_many_unknown_links: [
      "Too many unknown links",
      "Your network has asked for many links that do not exist. Please try again in ten seconds.",
    ],
    origin_unavailable: [
      "Just a moment",
      "We can't look this link up right now. That is our fault; please try again in a few seconds.",
    ],
    api_unavailable: [
      "The API can't be reached",
      "Redirects are not affected. Please try again in a few seconds.",
    ],
    internal_error: ["That is our fault", "Something broke. It has been noted."],
  },
  complaints: {
    password_wrong: "That is not the password. Mind upper and lower case.",
    too_many_passwords: "Too many wrong passwords were tried here. Please wait a minute.",
  },
  form: { password: "Password", open: "Open the link" },
  links: {
    home: "Home page",
    imprint: "Imprint",
    privacy: "Privacy",
    report: "Report this link",
  },
  preview: { shortLink: "A short link", leadsTo: "Leads to" },
};
