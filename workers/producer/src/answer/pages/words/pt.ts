/** Portuguese. */
import type { Words } from "../words.ts";

export const pt: Words = {
  lang: "pt",
  pages: {
    link_unknown: [
      "Este link não existe",
      "Não há nada guardado neste endereço. Verifique se falta ou está errada alguma letra.",
    ],
    no_slug: [
      "Não há nada aqui",
      "Este site serve links curtos. Acrescente a parte que vem depois da barra.",
    ],
    link_gone: ["Este link terminou", "O proprietário desativou-o."],
    link_expired: ["Este link terminou", "Só esteve aberto por algum tempo."],
    link_used_up: ["Este link terminou", "Só podia ser aberto um número limitado de vezes."],
    link_blocked: [
      "Não disponível aqui",
      "O proprietário deste link não o abre para a sua região, dispositivo ou navegador.",
    ],
    domain_suspended: [
      "Estes links estão desativados",
      "Quem opera este serviço suspendeu todos os links deste endereço.",
    ],
    password_required: [
      "Este link tem uma senha",
      "Introduza-a para continuar. Quem enviou o link deve conhecê-la.",
    ],
    method_not_allowed: ["Assim não", "Um link curto só responde a GET e HEAD."],
    too_many_unknown_links: [
      "Demasiados links desconhecidos",
      "Da sua rede foram pedidos muitos links que não existem. Tente de novo dentro de dez segundos.",
    ],
    origin_unavailable: [
      "Um momento",
      "Não conseguimos consultar este link agora. A culpa é nossa; tente de novo dentro de alguns segundos.",
    ],
    api_unavailable: [
      "A API não está acessível",
      "Os redirecionamentos não são afetados. Tente de novo dentro de alguns segundos.",
    ],
    internal_error: ["A culpa é nossa", "Algo falhou. O erro ficou registado."],
  },
  complaints: {
    password_wrong: "Essa não é a senha. Atenção às maiúsculas e minúsculas.",
    too_many_passwords: "Foram tentadas demasiadas senhas erradas. Aguarde um minuto.",
  },
  form: { password: "Senha", open: "Abrir o link" },
  links: {
    home: "Página inicial",
    imprint: "Informação legal",
    privacy: "Privacidade",
    report: "Denunciar este link",
  },
  preview: { shortLink: "Um link curto", leadsTo: "Leva a" },
};
