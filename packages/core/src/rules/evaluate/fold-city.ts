/** The form in which cities are compared: Cloudflare writes Zurich and Zürich, and people type either. */
export function foldCity(name: string): string {
  return name.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
