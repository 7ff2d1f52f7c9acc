/**
 * Tells whether the process that once had a number is still the same process.
 *
 * A process id alone proves nothing: containers reuse small numbers within seconds. The start time settles it. Linux
 * has it in /proc/<pid>/stat (field 22, man proc_pid_stat), and slim images have no `ps`; macOS has only `ps`.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

export type ProcessIdentity = {
  readonly pid: number;
  /** Opaque; equal for the same process on the same boot. */
  readonly startedAt: string;
  /** The command line, arguments separated by blanks. */
  readonly command: string;
};

/** The live process with this number, or null when there is none (a zombie counts as none). */
export function findProcess(pid: number): ProcessIdentity | null {
  return process.platform === "linux" ? readProc(pid) : readPs(pid);
}

function readProc(pid: number): ProcessIdentity | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Field 2 is the name in brackets and may hold blanks and brackets itself: count from the last one.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const state = fields[0];
    const startedAt = fields[19];
    if (startedAt === undefined || state === "Z" || state === "X") {
      return null;
    }
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return { pid, startedAt, command };
  } catch {
    return null;
  }
}

function readPs(pid: number): ProcessIdentity | null {
  try {
    const ask = (column: string) =>
      execFileSync("ps", ["-ww", "-o", `${column}=`, "-p", String(pid)], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }).trim();
    const startedAt = ask("lstart");
    const command = ask("command");
    return startedAt === "" ? null : { pid, startedAt, command };
  } catch {
    return null;
  }
}
