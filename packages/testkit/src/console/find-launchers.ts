/**
 * The processes between `npx pnpm …` and what it runs. A signal to npx ends it and the shell below it; pnpm hears nothing and goes
 * on, and so would the command.
 */
import { readFileSync } from "node:fs";
import { execaSync } from "execa";

const BETWEEN = /^(?:sh -c|(?:\S*node )?\S*pnpm\S*) /;
const NPX = /^npm exec /;

/** From `pid` up to npx, which is the last one; none if there is no npx above it, or something else in between. */
export function findLaunchers(pid: number): readonly number[] {
  const found = readProcess(pid);
  if (found === null || NPX.test(found.command)) {
    return found === null ? [] : [pid];
  }
  const above = BETWEEN.test(found.command) ? findLaunchers(found.parent) : [];
  return above.length === 0 ? [] : [pid, ...above];
}

/** Slim Linux images have no `ps`, macOS has no /proc. */
function readProcess(pid: number): { readonly parent: number; readonly command: string } | null {
  try {
    if (process.platform === "linux") {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      // The name before it, in brackets, may hold anything.
      return { parent: Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]), command };
    }
    const { stdout } = execaSync("ps", ["-wwo", "ppid=,command=", "-p", `${pid}`]);
    const [, parent, command = ""] = /^\s*(\d+)\s+(.*)$/.exec(stdout) ?? [];
    return { parent: Number(parent), command };
  } catch {
    return null;
  }
}
