/**
 * That keys changed, and in which version: the last 300,000 changes, by hash, 12 bytes each and a quarter of a megabyte to find
 * them. A ring in the order of their arrival; changes of one bucket are chained from the newest to the oldest. Pure state.
 */

export const MAX_CHANGES = 300_000;
const BUCKETS = 65_536;

/** Times are kept for so many changes at once, that of their last. */
const CHANGES_PER_TIME = 1_000;

export interface ChangeVersions {
  add(change: { readonly hash: number; readonly version: number }, announcedAtMs: number): void;
  /** The newest version that is remembered under this hash; 0: none. */
  find(hash: number): number;
  /** When the newest change was announced that had to make room for another, epoch milliseconds. */
  forgottenAtMs(): number;
  readonly sizeBytes: number;
}

export function createChangeVersions(): ChangeVersions {
  const hashes = new Uint32Array(MAX_CHANGES);
  const versions = new Uint32Array(MAX_CHANGES);
  /** The number of the change before in the same bucket, counted from 1; 0: none. */
  const earlier = new Uint32Array(MAX_CHANGES);
  const latest = new Uint32Array(BUCKETS);
  const times = new Float64Array(MAX_CHANGES / CHANGES_PER_TIME);
  let added = 0;
  let forgottenAtMs = -Infinity;
  return {
    add({ hash, version }, announcedAtMs) {
      const place = added % MAX_CHANGES;
      const time = Math.floor(place / CHANGES_PER_TIME);
      if (added >= MAX_CHANGES && place % CHANGES_PER_TIME === 0) {
        forgottenAtMs = Math.max(forgottenAtMs, times[time] ?? 0);
        times[time] = 0;
      }
      added += 1;
      hashes[place] = hash;
      versions[place] = version;
      earlier[place] = latest[hash % BUCKETS] ?? 0;
      latest[hash % BUCKETS] = added;
      times[time] = Math.max(times[time] ?? 0, announcedAtMs);
    },
    find(hash) {
      let newest = 0;
      for (let number = latest[hash % BUCKETS] ?? 0; number > Math.max(0, added - MAX_CHANGES);) {
        const place = (number - 1) % MAX_CHANGES;
        newest = hashes[place] === hash ? Math.max(newest, versions[place] ?? 0) : newest;
        number = earlier[place] ?? 0;
      }
      return newest;
    },
    forgottenAtMs: () => forgottenAtMs,
    sizeBytes: [hashes, versions, earlier, latest, times].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    ),
  };
}
