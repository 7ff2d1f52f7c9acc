/** Judges the tools: Node, and one workerd for everything that runs or tests a Worker. Pure. */
import { fault, type Finding, good } from "./finding.ts";

export type ToolVersions = {
  /** Of the Node that runs this command: `24.21.0`. */
  readonly node: string;
  readonly wrangler: string;
  /** Every workerd of the lock file: `1.20261102.1`. */
  readonly workerds: readonly string[];
  /** `2026-10-20` */
  readonly compatibilityDate: string;
};

/** The commands are TypeScript that Node runs as it stands. */
const MIN_NODE_MAJOR = 24;

/** workerd takes a compatibility date up to a week past its own build. */
const DAYS_AHEAD = 7;
const DAY_MS = 86_400_000;
const WORKERD = /^ {2}workerd@(\d+\.\d+\.\d+):$/gm;

export function judgeVersions(tools: ToolVersions): readonly Finding[] {
  return [judgeNode(tools), judgeWorkerds(tools), ...judgeDate(tools)];
}

/** The versions of workerd that a pnpm-lock.yaml names. */
export function readWorkerds(lockFile: string): readonly string[] {
  return [...new Set([...lockFile.matchAll(WORKERD)].map((match) => match[1] ?? ""))];
}

function judgeNode({ node }: ToolVersions): Finding {
  return Number(node.split(".")[0]) >= MIN_NODE_MAJOR
    ? good("versions", "Node", node)
    : fault(
        "versions",
        "Node",
        `${node} is older than ${MIN_NODE_MAJOR}`,
        "Run the command through pnpm, which brings its own.",
      );
}

function judgeWorkerds({ workerds, wrangler }: ToolVersions): Finding {
  return workerds.length === 1
    ? good("versions", "pnpm-lock.yaml", `wrangler ${wrangler}, one workerd: ${workerds.join()}`)
    : fault(
        "versions",
        "pnpm-lock.yaml",
        `${workerds.length} versions of workerd (${workerds.join(", ")}): tests and deployment do not run the same`,
        "Move wrangler, miniflare and the Vitest pool together in pnpm-workspace.yaml.",
      );
}

function judgeDate({ workerds, compatibilityDate }: ToolVersions): readonly Finding[] {
  const latestMs = Math.min(...workerds.map(toLatestDateMs));
  return Date.parse(compatibilityDate) > latestMs
    ? [
        fault(
          "versions",
          "wrangler.jsonc",
          `compatibility date ${compatibilityDate} is past what the installed workerd takes`,
          `Use ${new Date(latestMs).toISOString().slice(0, 10)} at most.`,
        ),
      ]
    : [];
}

function toLatestDateMs(workerd: string): number {
  const [, year = "", month = "", day = ""] = /\.(\d{4})(\d{2})(\d{2})\./.exec(workerd) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) + DAYS_AHEAD * DAY_MS;
}
