/** The UUID behind an id of any kind, as Postgres writes it. */
export function toUuid(publicId = ""): string {
  return publicId.slice(publicId.indexOf("_") + 1).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
