/** German. */
import type { Words } from "../words.ts";

export const de: Words = {
  lang: "de",
  pages: {
    link_unknown: [
      "Diesen Link gibt es nicht",
      "Unter dieser Adresse ist nichts gespeichert. Prüfen Sie, ob ein Buchstabe fehlt oder falsch ist.",
    ],
    no_slug: [
      "Hier ist nichts",
      "Unter dieser Adresse liegen Kurzlinks. Ergänzen Sie den Teil, der nach dem Schrägstrich kommt.",
    ],
    link_gone: ["Dieser Link ist beendet", "Sein Besitzer hat ihn abgeschaltet."],
    link_expired: ["Dieser Link ist beendet", "Er war nur eine Zeit lang offen."],
    link_used_up: ["Dieser Link ist beendet", "Er konnte nur eine begrenzte Zahl von Malen geöffnet werden."],
    link_blocked: [
      "Hier nicht verfügbar",
      "Der Besitzer dieses Links öffnet ihn nicht für Ihre Region, Ihr Gerät oder Ihren Browser.",
    ],
    domain_suspended: [
      "Diese Links sind abgeschaltet",
      "Der Betreiber dieses Dienstes hat alle Links dieser Adresse gesperrt.",
    ],
    password_required: [
      "Dieser Link hat ein Passwort",
      "Geben Sie es ein, um fortzufahren. Wer den Link geschickt hat, sollte es kennen.",
    ],
    method_not_allowed: ["So geht es nicht", "Ein Kurzlink beantwortet nur GET und HEAD."],
    too_many_unknown_links: [
      "Zu viele unbekannte Links",
      "Aus Ihrem Netz wurden viele Links aufgerufen, die es nicht gibt. Bitte versuchen Sie es in zehn Sekunden noch einmal.",
    ],
    origin_unavailable: [
      "Einen Moment bitte",
      "Wir können diesen Link gerade nicht nachschlagen. Das liegt an uns; bitte versuchen Sie es in einigen Sekunden noch einmal.",
    ],
    api_unavailable: [
      "Die API ist nicht erreichbar",
      "Weiterleitungen sind nicht betroffen. Bitte versuchen Sie es in einigen Sekunden noch einmal.",
    ],
    internal_error: ["Das liegt an uns", "Etwas ist schiefgegangen. Der Fehler wurde festgehalten."],
  },
  complaints: {
    password_wrong: "Das ist nicht das Passwort. Achten Sie auf Groß- und Kleinschreibung.",
    too_many_passwords: "Hier wurden zu viele falsche Passwörter versucht. Bitte warten Sie eine Minute.",
  },
  form: { password: "Passwort", open: "Link öffnen" },
  links: {
    home: "Startseite",
    imprint: "Impressum",
    privacy: "Datenschutz",
    report: "Diesen Link melden",
  },
  preview: { shortLink: "Ein Kurzlink", leadsTo: "Führt zu" },
};
