/**
 * Loads that are under way in this isolate, by key, so that concurrent misses become one load.
 *
 * A request that is cut off leaves a promise here that never settles (workerd drops its work, `finally` included), so
 * a flight is trusted for a bounded time only and swept out afterwards. Shared promises must resolve to plain data:
 * another request may not touch a Response or a stream (workerd: "Cannot perform I/O on behalf of a different request").
 */

export interface Flight<T> {
  readonly landing: Promise<T>;
  /** Epoch milliseconds. After this nobody waits for it any longer; it may be put off meanwhile. */
  readonly untilMs: number;
}

/** Epoch milliseconds. */
export type Life = { readonly nowMs: number; readonly untilMs: number };

export interface Flights<T> {
  find(key: string, nowMs: number): Flight<T> | undefined;
  /** Registers `work` under `key`, in place of any other, until it settles. */
  start(key: string, work: Promise<T>, life: Life): Flight<T>;
  /** Has others wait for it until then. */
  putOff(flight: Flight<T>, untilMs: number): void;
  /** Forgets this flight, and no other, of `key`. */
  abandon(key: string, flight: Flight<T>): void;
  readonly size: number;
}

type OpenFlight<T> = { readonly landing: Promise<T>; untilMs: number };

export function createFlights<T>(): Flights<T> {
  // In the order of their start, and so nearly in the order in which they run out.
  const flights = new Map<string, OpenFlight<T>>();

  function abandon(key: string, flight: Flight<T>): void {
    if (flights.get(key) === flight) {
      flights.delete(key);
    }
  }

  function sweep(nowMs: number): void {
    for (const [key, flight] of flights) {
      if (nowMs < flight.untilMs) {
        return;
      }
      flights.delete(key);
    }
  }

  return {
    find(key, nowMs) {
      const flight = flights.get(key);
      return flight !== undefined && nowMs < flight.untilMs ? flight : undefined;
    },
    start(key, work, { nowMs, untilMs }) {
      sweep(nowMs);
      const flight: OpenFlight<T> = { landing: work, untilMs };
      const land = (): void => abandon(key, flight);
      // The first to wait for it, so that it is forgotten before anybody goes on.
      work.then(land, land);
      flights.delete(key);
      flights.set(key, flight);
      return flight;
    },
    putOff(flight: OpenFlight<T>, untilMs) {
      flight.untilMs = untilMs;
    },
    abandon,
    get size() {
      return flights.size;
    },
  };
}
