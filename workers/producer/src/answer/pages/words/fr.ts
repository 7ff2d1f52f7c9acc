/** French. */
import type { Words } from "../words.ts";

export const fr: Words = {
  lang: "fr",
  pages: {
    link_unknown: [
      "Ce lien n’existe pas",
      "Rien n’est enregistré à cette adresse. Vérifiez qu’il n’y manque pas une lettre et qu’aucune n’est fausse.",
    ],
    no_slug: ["Rien ici", "Ce site sert des liens courts. Ajoutez la partie qui suit la barre oblique."],
    link_gone: ["Ce lien a pris fin", "Son propriétaire l’a désactivé."],
    link_expired: ["Ce lien a pris fin", "Il n’était ouvert que pour un temps."],
    link_used_up: ["Ce lien a pris fin", "Il ne pouvait être ouvert qu’un nombre limité de fois."],
    link_blocked: [
      "Indisponible ici",
      "Le propriétaire de ce lien ne l’ouvre pas pour votre région, votre appareil ou votre navigateur.",
    ],
    domain_suspended: [
      "Ces liens sont désactivés",
      "L’exploitant de ce service a suspendu tous les liens de cette adresse.",
    ],
    password_required: [
      "Ce lien a un mot de passe",
      "Saisissez-le pour continuer. La personne qui vous a envoyé le lien devrait le connaître.",
    ],
    method_not_allowed: ["Pas de cette façon", "Un lien court ne répond qu’à GET et HEAD."],
    too_many_unknown_links: [
      "Trop de liens inconnus",
      "Votre réseau a demandé beaucoup de liens qui n’existent pas. Veuillez réessayer dans dix secondes.",
    ],
    origin_unavailable: [
      "Un instant",
      "Nous ne pouvons pas consulter ce lien pour le moment. C’est notre faute ; veuillez réessayer dans quelques secondes.",
    ],
    api_unavailable: [
      "L’API est inaccessible",
      "Les redirections ne sont pas touchées. Veuillez réessayer dans quelques secondes.",
    ],
    internal_error: ["C’est notre faute", "Quelque chose n’a pas fonctionné. L’erreur a été consignée."],
  },
  complaints: {
    password_wrong: "Ce n’est pas le mot de passe. Attention aux majuscules et aux minuscules.",
    too_many_passwords: "Trop de mots de passe erronés ont été essayés ici. Veuillez attendre une minute.",
  },
  form: { password: "Mot de passe", open: "Ouvrir le lien" },
  links: {
    home: "Page d’accueil",
    imprint: "Mentions légales",
    privacy: "Confidentialité",
    report: "Signaler ce lien",
  },
  preview: { shortLink: "Un lien court", leadsTo: "Mène à" },
};
