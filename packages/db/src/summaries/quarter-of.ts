/** SQL for the quarter of an hour that a click is in, counted from `start` (a timestamptz): a smallint. */
export function quarterOf(start: string): string {
  return `floor(extract(epoch FROM clicked_at - ${start}) / 900)::smallint`;
}
