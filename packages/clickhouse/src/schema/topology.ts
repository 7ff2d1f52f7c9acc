/**
 * How the tables are laid out over servers, from CLICKHOUSE_CLUSTER: empty for one server and for ClickHouse Cloud, which
 * replicates by itself; `replicated:NAME` for a cluster of replicas; `distributed:NAME` for one of several shards.
 *
 * Only the first is run by our tests. The statements of the others are compared with golden files.
 */
export type Topology =
  | { readonly kind: "single" }
  | { readonly kind: "replicated" | "distributed"; readonly cluster: string };

/** `null` for a text of another form. */
export function parseTopology(text: string): Topology | null {
  if (text === "") {
    return { kind: "single" };
  }
  const [, kind, cluster] = /^(replicated|distributed):([A-Za-z_][\w.-]*)$/.exec(text) ?? [];
  return (kind === "replicated" || kind === "distributed") && cluster !== undefined
    ? { kind, cluster }
    : null;
}

/** The statements of a migration's file, in order, without comments. */
export function toStatements(file: string, topology: Topology): readonly string[] {
  return file
    .split(/;\s*$/m)
    .filter((text) => !/^-- \[distributed\]$/m.test(text) || topology.kind === "distributed")
    .map((text) => fillIn(text.replaceAll(/^\s*--.*\n/gm, ""), topology).trim())
    .filter((text) => text !== "");
}

function fillIn(text: string, topology: Topology): string {
  const isSingle = topology.kind === "single";
  const cluster = isSingle ? "" : topology.cluster;
  return text
    .replaceAll("$local", topology.kind === "distributed" ? "_local" : "")
    .replaceAll(/ ?\$on_cluster/g, isSingle ? "" : ` ON CLUSTER '${cluster}'`)
    .replaceAll("$cluster", cluster)
    .replaceAll("$replicated", isSingle ? "" : "Replicated");
}
