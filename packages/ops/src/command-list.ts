/** Every command by name. A module is imported only when its command is called, so that each of them starts quickly. */
import { type CommandModule, describeCommand } from "@hopline/testkit/console/command-line";

export const COMMANDS: Readonly<Record<string, () => Promise<CommandModule>>> = {
  start: () => import("./commands/start.ts"),
  dev: () => import("./commands/dev.ts"),
  check: () => import("./commands/check.ts"),
  build: () => import("./commands/build.ts"),
  types: () => import("./commands/types.ts"),
  lines: () => import("./commands/lines.ts"),
  migrate: () => import("./commands/migrate.ts"),
  keys: () => import("./commands/keys.ts"),
  operators: () => import("./commands/operators.ts"),
  "publish-again": () => import("./commands/publish-again.ts"),
  reconcile: () => import("./commands/reconcile.ts"),
  clickhouse: () => import("./commands/clickhouse.ts"),
  "dead-letters": () => import("./commands/dead-letters.ts"),
  shards: () => import("./commands/shards.ts"),
  cost: () => import("./commands/cost.ts"),
  provision: () => import("./commands/provision.ts"),
  deploy: () => import("./commands/deploy.ts"),
  doctor: () => import("./commands/doctor.ts"),
  rollout: () => import("./commands/rollout.ts"),
  teardown: () => import("./commands/teardown.ts"),
  backup: () => import("./commands/backup.ts"),
  restore: () => import("./commands/restore.ts"),
  release: () => import("./commands/release.ts"),
};

/** One line for each command: what to type, and what it does. */
export async function describeCommands(): Promise<readonly string[]> {
  const modules = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const metas = await Promise.all(modules.map((module) => describeCommand(module)));
  return metas.map(({ name = "", description = "" }) => `  ${name.padEnd(22)} ${description}`);
}
