/**
 * Loads a part of the Worker with the first request that needs it. The part is in the same file and comes from memory;
 * until then an isolate has not run it. Later requests find it at hand and wait for nothing.
 */

/** Hands the part to `use`, and on what that returns: a promise only until the part is there. */
export type Use<Part> = <Result>(use: (part: Part) => Result | Promise<Result>) => Result | Promise<Result>;

export function loadOnce<Part>(load: () => Promise<Part>): Use<Part> {
  let atHand: Part | undefined;
  return (use) =>
    atHand === undefined
      ? // The promise is not kept: it belongs to one request, and another must not wait for it.
        load().then((part) => {
          atHand = part;
          return use(part);
        })
      : use(atHand);
}
