/** `pnpm run cost [--check]`: writes the tables of docs/capacity-and-cost.md; with --check says whether they are in step. */
import { readFile, writeFile } from "node:fs/promises";

import { writeCosts } from "../cost/render-costs.ts";
import { Failure } from "@hopline/testkit/console/failure";
import { consoleProgress, runCommand } from "@hopline/testkit/console/progress";
import { readFlags, rejectPositionals } from "@hopline/testkit/console/read-flags";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

const USAGE = "pnpm run cost [--check]";
const PATH = "docs/capacity-and-cost.md";

await runCommand(async () => {
  const { values, positionals } = readFlags({ check: { type: "boolean", default: false } }, USAGE);
  rejectPositionals(positionals, USAGE);
  const page = await readFile(inWorkspace(PATH), "utf8");
  const written = writeCosts(page);
  if (written === null) {
    throw new Failure(`${PATH} has lost the marks between which the tables stand.`);
  }
  if (values.check && written !== page) {
    throw new Failure(`${PATH} does not say what the prices say: run \`pnpm run cost\`.`);
  }
  await (values.check ? Promise.resolve() : writeFile(inWorkspace(PATH), written));
  consoleProgress().line(values.check ? `${PATH} is in step.` : `${PATH} is written.`);
  return 0;
});
