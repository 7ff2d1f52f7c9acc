/** Polish. */
import type { Words } from "../words.ts";

export const pl: Words = {
  lang: "pl",
  pages: {
    link_unknown: [
      "Nie ma takiego linku",
      "Pod tym adresem nic nie zapisano. Sprawdź, czy nie brakuje litery i czy żadna nie jest błędna.",
    ],
    no_slug: [
      "Tu nic nie ma",
      "Ten serwis obsługuje krótkie linki. Dodaj część, która następuje po ukośniku.",
    ],
    link_gone: ["Ten link został zakończony", "Jego właściciel go wyłączył."],
    link_expired: ["Ten link został zakończony", "Był otwarty tylko przez pewien czas."],
    link_used_up: ["Ten link został zakończony", "Można go było otworzyć ograniczoną liczbę razy."],
    link_blocked: [
      "Tutaj niedostępne",
      "Właściciel tego linku nie udostępnia go w tym regionie, na tym urządzeniu lub w tej przeglądarce.",
    ],
    domain_suspended: [
      "Te linki są wyłączone",
      "Operator tej usługi zawiesił wszystkie linki pod tym adresem.",
    ],
    password_required: ["Ten link ma hasło", "Wpisz je, aby przejść dalej. Nadawca linku powinien je znać."],
    method_not_allowed: ["Nie w ten sposób", "Krótki link odpowiada tylko na GET i HEAD."],
    too_many_unknown_links: [
      "Za dużo nieznanych linków",
      "Z tej sieci zapytano o wiele linków, które nie istnieją. Spróbuj ponownie za dziesięć sekund.",
    ],
    origin_unavailable: [
      "Chwileczkę",
      "Nie możemy teraz odszukać tego linku. To nasza wina; spróbuj ponownie za kilka sekund.",
    ],
    api_unavailable: ["API jest nieosiągalne", "Przekierowania działają. Spróbuj ponownie za kilka sekund."],
    internal_error: ["To nasza wina", "Coś się zepsuło. Błąd został odnotowany."],
  },
  complaints: {
    password_wrong: "To nie jest hasło. Zwróć uwagę na wielkie i małe litery.",
    too_many_passwords: "Wypróbowano tu zbyt wiele błędnych haseł. Poczekaj minutę.",
  },
  form: { password: "Hasło", open: "Otwórz link" },
  links: {
    home: "Strona główna",
    imprint: "Nota prawna",
    privacy: "Prywatność",
    report: "Zgłoś ten link",
  },
  preview: { shortLink: "Krótki link", leadsTo: "Prowadzi do" },
};
