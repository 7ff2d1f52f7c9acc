/** Dutch. */
import type { Words } from "../words.ts";

export const nl: Words = {
  lang: "nl",
  pages: {
    link_unknown: [
      "Deze link bestaat niet",
      "Op dit adres is niets opgeslagen. Controleer of er een letter ontbreekt of verkeerd is.",
    ],
    no_slug: [
      "Hier is niets",
      "Op dit adres staan korte links. Voeg het deel toe dat na de schuine streep komt.",
    ],
    link_gone: ["Deze link is beëindigd", "De eigenaar heeft hem uitgeschakeld."],
    link_expired: ["Deze link is beëindigd", "Hij was maar een bepaalde tijd open."],
    link_used_up: ["Deze link is beëindigd", "Hij kon maar een beperkt aantal keren worden geopend."],
    link_blocked: [
      "Hier niet beschikbaar",
      "De eigenaar van deze link opent hem niet voor uw regio, apparaat of browser.",
    ],
    domain_suspended: [
      "Deze links zijn uitgeschakeld",
      "De beheerder van deze dienst heeft alle links van dit adres geblokkeerd.",
    ],
    password_required: [
      "Deze link heeft een wachtwoord",
      "Voer het in om verder te gaan. De afzender van de link hoort het te kennen.",
    ],
    method_not_allowed: ["Zo niet", "Een korte link beantwoordt alleen GET en HEAD."],
    too_many_unknown_links: [
      "Te veel onbekende links",
      "Vanuit uw netwerk zijn veel links opgevraagd die niet bestaan. Probeer het over tien seconden opnieuw.",
    ],
    origin_unavailable: [
      "Een ogenblik",
      "We kunnen deze link nu niet opzoeken. Dat ligt aan ons; probeer het over enkele seconden opnieuw.",
    ],
    api_unavailable: [
      "De API is niet bereikbaar",
      "Doorverwijzingen werken gewoon. Probeer het over enkele seconden opnieuw.",
    ],
    internal_error: ["Dat ligt aan ons", "Er ging iets mis. De fout is vastgelegd."],
  },
  complaints: {
    password_wrong: "Dat is niet het wachtwoord. Let op hoofdletters en kleine letters.",
    too_many_passwords: "Hier zijn te veel verkeerde wachtwoorden geprobeerd. Wacht een minuut.",
  },
  form: { password: "Wachtwoord", open: "Link openen" },
  links: {
    home: "Startpagina",
    imprint: "Colofon",
    privacy: "Privacy",
    report: "Deze link melden",
  },
  preview: { shortLink: "Een korte link", leadsTo: "Leidt naar" },
};
