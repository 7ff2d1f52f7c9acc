/** RFC 3339 in UTC, as every answer writes an instant. */
export function toInstant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
