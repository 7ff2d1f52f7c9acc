/** Sets an entry of a map that must not grow without bound, as its latest; beyond `maxEntries` the oldest are forgotten. */
export function setLatest<K, V>(entries: Map<K, V>, [key, value]: readonly [K, V], maxEntries: number): void {
  entries.delete(key);
  entries.set(key, value);
  for (const oldest of entries.keys()) {
    if (entries.size <= maxEntries) {
      break;
    }
    entries.delete(oldest);
  }
}
