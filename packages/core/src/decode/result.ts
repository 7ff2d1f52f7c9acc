/**
 * The outcome of work that the world may spoil. A failure is data with a tag, not an exception: the caller must
 * look at it, and the nearest shell decides (next tier, 503, retry, dead letter).
 */
export type Result<Value, Failure> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Failure };

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function fail<Failure>(error: Failure): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error };
}
