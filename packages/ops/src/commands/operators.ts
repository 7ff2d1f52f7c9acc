/**
 * `pnpm operators`: who may see what is of the whole deployment. It writes to the database that DATABASE_URL names, because no
 * role in a workspace may give this one.
 */
import { consoleProgress } from "@hopline/testkit/console/progress";
import { defineCommand } from "citty";

import { readDatabaseUrl } from "../operate/direct-sql.ts";
import { listOperators, setOperator } from "../operate/operators.ts";

export const example = "DATABASE_URL=… pnpm operators add ada@example.com";

const email = {
  type: "positional",
  required: true,
  description: "The address of their account",
} as const;

export default defineCommand({
  meta: { name: "pnpm operators", description: "Shows and says who may see the integrity of the deployment" },
  subCommands: {
    list: defineCommand({
      meta: { name: "list", description: "Lists operators" },
      async run() {
        const operators = await listOperators(readDatabaseUrl());
        const lines = operators.map(({ email, name }) => `${email}  ${name}`);
        const progress = consoleProgress();
        (lines.length === 0 ? ["There is no operator."] : lines).forEach((line) => progress.line(line));
      },
    }),
    add: defineCommand({
      meta: { name: "add", description: "Makes a person an operator" },
      args: { email },
      run: ({ args }) => change(args.email, true),
    }),
    remove: defineCommand({
      meta: { name: "remove", description: "Takes the role from a person" },
      args: { email },
      run: ({ args }) => change(args.email, false),
    }),
  },
});

async function change(address: string, isOperator: boolean): Promise<void> {
  await setOperator(readDatabaseUrl(), address, isOperator);
  consoleProgress().line(`${address} is ${isOperator ? "an operator" : "no operator any more"}.`);
}
