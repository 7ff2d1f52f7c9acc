/** `pnpm run cost`: writes the tables of docs/capacity-and-cost.md from the prices and the recorded results of the bench. */
import { readFile, writeFile } from "node:fs/promises";

import { Failure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { defineCommand } from "citty";

import { readFigures } from "../cost/read-figures.ts";
import { writeCosts } from "../cost/render-costs.ts";
import { writePlans } from "../cost/render-plans.ts";

const PATH = "docs/capacity-and-cost.md";

export const example = "pnpm run cost";
export const exitCodes = { 1: "the page could not be written, or does not match prices and results" };

export default defineCommand({
  meta: { name: "pnpm run cost", description: `Writes the tables of ${PATH} from prices and results` },
  args: {
    check: {
      type: "boolean",
      default: false,
      description: "Only compare: fails when the page does not match",
    },
  },
  async run({ args }) {
    const page = await readFile(inWorkspace(PATH), "utf8");
    const priced = writeCosts(page);
    const written = priced === null ? null : writePlans(priced, readFigures());
    if (written === null) {
      throw new Failure(`${PATH} has lost one of the comments that enclose its tables.`);
    }
    if (args.check && written !== page) {
      throw new Failure(`${PATH} does not match prices and results: run \`pnpm run cost\`.`);
    }
    await (args.check ? Promise.resolve() : writeFile(inWorkspace(PATH), written));
    consoleProgress().line(args.check ? `${PATH} matches prices and results.` : `${PATH} is written.`);
  },
});
