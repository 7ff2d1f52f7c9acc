/** Italian. */
import type { Words } from "../words.ts";

export const it: Words = {
  lang: "it",
  pages: {
    link_unknown: [
      "Questo link non esiste",
      "A questo indirizzo non è salvato nulla. Controlli che non manchi o non sia sbagliata una lettera.",
    ],
    no_slug: ["Qui non c’è nulla", "Questo sito serve link brevi. Aggiunga la parte che segue la barra."],
    link_gone: ["Questo link è terminato", "Il proprietario lo ha disattivato."],
    link_expired: ["Questo link è terminato", "Era aperto solo per un certo periodo."],
    link_used_up: ["Questo link è terminato", "Si poteva aprire solo un numero limitato di volte."],
    link_blocked: [
      "Non disponibile qui",
      "Il proprietario di questo link non lo apre per la sua area, il suo dispositivo o il suo browser.",
    ],
    domain_suspended: [
      "Questi link sono disattivati",
      "Chi gestisce questo servizio ha sospeso tutti i link di questo indirizzo.",
    ],
    password_required: [
      "Questo link ha una password",
      "La inserisca per continuare. Chi le ha inviato il link dovrebbe conoscerla.",
    ],
    method_not_allowed: ["Non in questo modo", "Un link breve risponde solo a GET e HEAD."],
    too_many_unknown_links: [
      "Troppi link sconosciuti",
      "Dalla sua rete sono stati richiesti molti link che non esistono. Riprovi tra dieci secondi.",
    ],
    origin_unavailable: [
      "Un momento",
      "In questo momento non possiamo cercare questo link. È colpa nostra; riprovi tra qualche secondo.",
    ],
    api_unavailable: [
      "L’API non è raggiungibile",
      "I reindirizzamenti funzionano normalmente. Riprovi tra qualche secondo.",
    ],
    internal_error: ["È colpa nostra", "Qualcosa non ha funzionato. L’errore è stato registrato."],
  },
  complaints: {
    password_wrong: "Questa non è la password. Attenzione a maiuscole e minuscole.",
    too_many_passwords: "Qui sono state provate troppe password errate. Attenda un minuto.",
  },
  form: { password: "Password", open: "Apri il link" },
  links: {
    home: "Pagina iniziale",
    imprint: "Note legali",
    privacy: "Privacy",
    report: "Segnala questo link",
  },
  preview: { shortLink: "Un link breve", leadsTo: "Porta a" },
};
