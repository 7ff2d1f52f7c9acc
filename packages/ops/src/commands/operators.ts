/**
 * `pnpm operators`: lists, adds and removes operators in the database that DATABASE_URL names, because no role in a workspace may
 * grant this; and does from the command line what the operators' console does.
 */
import { UsageFailure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { defineCommand } from "citty";

import { readEnvironment } from "../deploy/environments.ts";
import { readDatabaseUrlOf } from "../deploy/secrets.ts";
import {
  actAsOperator,
  changeLimits,
  type LimitChange,
  type OperatorPlace,
  setSuspension,
} from "../operate/act-as-operator.ts";
import { WORKSPACE_ID } from "../operate/create-key.ts";
import { readDatabaseUrl } from "../operate/direct-sql.ts";
import { listOperators, setOperator } from "../operate/operators.ts";

export const example = "DATABASE_URL=… pnpm operators add ada@example.com";

const email = {
  type: "positional",
  required: true,
  description: "The address of their account",
} as const;

const placeArgs = {
  env: {
    type: "string",
    description: "An environment of environments.jsonc, whose database this machine knows",
  },
  api: { type: "string", description: "Without it: the first host of --env. As in https://go.example.com" },
  reason: { type: "string", required: true, description: "For the audit log of the workspace" },
} as const;

const target = {
  type: "positional",
  required: true,
  description: "A host, or the id of a workspace, ws_…",
} as const;

export default defineCommand({
  meta: {
    name: "pnpm operators",
    description: "Lists, adds and removes operators, and does what they may",
  },
  subCommands: {
    list: defineCommand({
      meta: { name: "list", description: "Lists operators" },
      async run() {
        const operators = await listOperators(readDatabaseUrl());
        const lines = operators.map(({ email: address, name }) => `${address}  ${name}`);
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
    find: defineCommand({
      meta: {
        name: "find",
        description: "Looks for the link at an address, or for a host, in all workspaces",
      },
      args: { url: { type: "positional", required: true, description: "The address" }, ...placeArgs },
      async run({ args: { url, reason, ...args } }) {
        const { link, domain, workspace } = await actAsOperator(
          await readPlace(args),
          reason,
          async (hopline) => hopline.lookUpLink({ body: { address: url, reason } }),
        );
        const progress = consoleProgress();
        progress.line(
          link === null
            ? "No link is there."
            : `It leads to ${link.url}, made at ${link.createdAt} as ${link.id}.`,
        );
        progress.line(`Workspace ${workspace.id} "${workspace.name}".`);
        const state = domain.suspension === null ? "not suspended" : `suspended: ${domain.suspension.reason}`;
        progress.line(`Domain ${domain.host}, ${state}.`);
      },
    }),
    suspend: defineCommand({
      meta: {
        name: "suspend",
        description: "Has all links of a domain or a workspace answer a page that says so",
      },
      args: { target, ...placeArgs },
      run: ({ args }) => suspend(args, true),
    }),
    resume: defineCommand({
      meta: { name: "resume", description: "Has them lead where they led before" },
      args: { target, ...placeArgs },
      run: ({ args }) => suspend(args, false),
    }),
    limits: defineCommand({
      meta: { name: "limits", description: "Sets limits of a workspace; what is left out stays" },
      args: {
        workspace: { type: "positional", required: true, description: "Its id, ws_…" },
        links: { type: "string", description: 'How many in all, or "none"' },
        clicks: { type: "string", description: 'How many a month, or "none"' },
        requests: { type: "string", description: "The same, of its keys" },
        ...placeArgs,
      },
      async run({ args: { workspace: workspaceId, reason, ...args } }) {
        if (!WORKSPACE_ID.test(workspaceId)) {
          throw new UsageFailure(
            `"${workspaceId}" is not a workspace's id, ws_…: find and the console show it.`,
          );
        }
        const wanted = {
          ...readLimit("links", args),
          ...readLimit("clicks", args),
          ...readLimit("requests", args),
        };
        const { name, usage } = await changeLimits(await readPlace(args), {
          workspaceId,
          change: wanted,
          reason,
        });
        const progress = consoleProgress();
        progress.line(`Workspace ${workspaceId} "${name}":`);
        for (const what of ["links", "clicks", "requests"] as const) {
          progress.line(`  ${what}: ${usage[what].used} of ${usage[what].limit ?? "any number"}`);
        }
      },
    }),
  },
});

async function change(address: string, isOperator: boolean): Promise<void> {
  await setOperator(readDatabaseUrl(), address, isOperator);
  consoleProgress().line(`${address} is ${isOperator ? "an operator" : "no operator any more"}.`);
}

type PlaceArgs = { readonly env?: string | undefined; readonly api?: string | undefined };

async function suspend(
  { target: text, reason, ...args }: PlaceArgs & { readonly target: string; readonly reason: string },
  isSuspended: boolean,
): Promise<void> {
  await setSuspension(await readPlace(args), { target: text, reason, isSuspended });
  consoleProgress().line(
    `${text} is ${isSuspended ? "suspended" : "resumed"}, everywhere within two seconds.`,
  );
}

async function readPlace({ env, api }: PlaceArgs): Promise<OperatorPlace> {
  const environment = env === undefined ? null : await readEnvironment(env);
  const [host] = environment?.domains ?? [];
  const apiOrigin = URL.parse(api ?? `https://${host ?? ""}`)?.origin ?? "";
  // The token is worth something for a minute.
  if (!/^(?:https:|http:\/\/(?:127\.0\.0\.1|localhost)(?::|$))/.test(apiOrigin)) {
    throw new UsageFailure("Say where the API answers: --api https://go.example.com, or --env with a host.");
  }
  const databaseUrl = environment === null ? readDatabaseUrl() : await readDatabaseUrlOf(environment.name);
  return { databaseUrl, apiOrigin };
}

function readLimit(
  name: keyof LimitChange,
  args: { readonly [Name in keyof LimitChange]?: string | undefined },
): LimitChange {
  const text = args[name];
  if (text === undefined) {
    return {};
  }
  if (text !== "none" && !/^\d{1,15}$/.test(text)) {
    throw new UsageFailure(`--${name} must be a whole number or "none", not "${text}".`);
  }
  return { [name]: text === "none" ? null : Number(text) };
}
