/** Spanish. */
import type { Words } from "../words.ts";

export const es: Words = {
  lang: "es",
  pages: {
    link_unknown: [
      "Este enlace no existe",
      "No hay nada guardado en esta dirección. Compruebe si falta alguna letra o si alguna es incorrecta.",
    ],
    no_slug: ["Aquí no hay nada", "Este sitio sirve enlaces cortos. Añada la parte que sigue a la barra."],
    link_gone: ["Este enlace ha terminado", "Su propietario lo ha desactivado."],
    link_expired: ["Este enlace ha terminado", "Solo estuvo abierto durante un tiempo."],
    link_used_up: ["Este enlace ha terminado", "Solo se podía abrir un número limitado de veces."],
    link_blocked: [
      "No disponible aquí",
      "El propietario de este enlace no lo abre para su región, dispositivo o navegador.",
    ],
    domain_suspended: [
      "Estos enlaces están desactivados",
      "Quien gestiona este servicio ha suspendido todos los enlaces de esta dirección.",
    ],
    password_required: [
      "Este enlace tiene contraseña",
      "Introdúzcala para continuar. Quien le envió el enlace debería conocerla.",
    ],
    method_not_allowed: ["Así no", "Un enlace corto solo responde a GET y HEAD."],
    too_many_unknown_links: [
      "Demasiados enlaces desconocidos",
      "Desde su red se han pedido muchos enlaces que no existen. Vuelva a intentarlo dentro de diez segundos.",
    ],
    origin_unavailable: [
      "Un momento",
      "Ahora mismo no podemos consultar este enlace. Es culpa nuestra; vuelva a intentarlo dentro de unos segundos.",
    ],
    api_unavailable: [
      "No se puede acceder a la API",
      "Las redirecciones no se ven afectadas. Vuelva a intentarlo dentro de unos segundos.",
    ],
    internal_error: ["Es culpa nuestra", "Algo ha fallado. El error ha quedado registrado."],
  },
  complaints: {
    password_wrong: "Esa no es la contraseña. Tenga en cuenta las mayúsculas y minúsculas.",
    too_many_passwords: "Se han probado demasiadas contraseñas incorrectas. Espere un minuto.",
  },
  form: { password: "Contraseña", open: "Abrir el enlace" },
  links: {
    home: "Página principal",
    imprint: "Aviso legal",
    privacy: "Privacidad",
    report: "Denunciar este enlace",
  },
  preview: { shortLink: "Un enlace corto", leadsTo: "Lleva a" },
};
