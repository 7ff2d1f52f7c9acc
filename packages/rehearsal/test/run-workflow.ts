/** Runs a workflow of this repository as a runner does: each job in a clean clone, each step with its own variables alone. */
import { readFile } from "node:fs/promises";

import {
  objectAt,
  objectsAt,
  textAt,
  textsAt,
  toJsonObject,
  type JsonObject,
} from "@hopline/ops/deploy/json-object";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { parse } from "yaml";

import type { Clone } from "../src/open-clone.ts";

export type Job = {
  readonly name: string;
  readonly needs: readonly string[];
  /** Of GitHub, which has the secrets. */
  readonly environment: string;
  readonly steps: readonly Step[];
};
type Step = { readonly run: string; readonly env: Readonly<Record<string, string>> };

/** What `${{ … }}` stands for. */
export type Expressions = Readonly<Record<string, string>>;

/** The jobs of a workflow that have steps of their own; those of actions in this repository are among them. */
export async function readJobs(path: string): Promise<readonly Job[]> {
  const jobs = Object.entries(objectAt(await readYaml(path), "jobs"));
  return Promise.all(
    jobs.map(async ([name, value]) => {
      const job = toJsonObject(value);
      const steps = await Promise.all(objectsAt(job, "steps").map(readStep));
      const needs = [textAt(job, "needs") ?? [], textsAt(job, "needs")].flat();
      return { name, needs, environment: textAt(job, "environment") ?? "", steps: steps.flat() };
    }),
  );
}

/** Resolves to what the steps have printed; rejects where one fails. */
export async function runJob(
  { name, steps }: Job,
  {
    clone,
    expressions,
    variables,
  }: { readonly clone: Clone; readonly expressions: Expressions; readonly variables: Expressions },
): Promise<string> {
  let output = "";
  for (const { run, env } of steps) {
    const given = Object.entries(env).map(([key, value]) => [key, evaluate(value, expressions)]);
    const ended = await clone.run(run, { variables: { ...variables, ...Object.fromEntries(given) } });
    output += ended.output;
    if (ended.exitCode !== 0) {
      throw new Error(`${name}: ${run} ended with ${ended.exitCode}:\n${ended.output}`);
    }
  }
  return output;
}

export function evaluate(text: string, expressions: Expressions): string {
  return text.replaceAll(/\$\{\{ *(.*?) *\}\}/g, (_, expression: string) => {
    const value = expressions[expression];
    if (value === undefined) {
      throw new Error(`${expression} is not known here`);
    }
    return value;
  });
}

async function readStep(step: JsonObject): Promise<readonly Step[]> {
  const action = textAt(step, "uses");
  if (action !== null) {
    // Actions of others check out and restore caches: a clean clone needs neither.
    return action.startsWith("./") ? readAction(action) : [];
  }
  const env = Object.entries(objectAt(step, "env")).map(([key, value]) => [key, String(value)]);
  return [{ run: textAt(step, "run") ?? "", env: Object.fromEntries(env) }];
}

async function readAction(path: string): Promise<readonly Step[]> {
  const steps = objectsAt(objectAt(await readYaml(`${path}/action.yml`), "runs"), "steps");
  return (await Promise.all(steps.map(readStep))).flat();
}

async function readYaml(path: string): Promise<JsonObject> {
  return toJsonObject(parse(await readFile(inWorkspace(path), "utf8")));
}
