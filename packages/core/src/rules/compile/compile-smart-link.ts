/**
 * Turns the rules, the split and the switch-over of a link, as an API client wrote them, into the form that is published.
 * All validation happens here, once, at write time; the redirect checks nothing. Every problem is reported, each with
 * the path of its field.
 */
import type { DestinationFault } from "../../link/destination-url.ts";
import { fail, ok, type Result } from "../../decode/result.ts";
import { compileConditions } from "./compile-conditions.ts";
import { parseInstant } from "./instant.ts";
import { type Problem, Problems } from "./problems.ts";
import {
  MAX_RULES,
  MAX_VARIANTS,
  type NextDestination,
  type RuleAction,
  type SmartLink,
  type SmartRule,
  type Variant,
} from "../rule.ts";
import type { NextInput, RuleInput, SmartLinkInput } from "./rule-input.ts";

export type CompileDeps = {
  /** `checkDestinationUrl` under the deployment's policy; returns the URL as it is published. */
  readonly checkUrl: (text: string) => Result<string, DestinationFault>;
};

export type CompiledSmartLink = Omit<SmartLink, "linkId">;

/** A weight above this says nothing that a smaller one could not. */
const MAX_WEIGHT = 1_000_000;
const IDENTIFIER = /^[A-Za-z0-9_-]{1,64}$/;

/** Compiles a link's destinations, or says everything that is wrong with them. Never throws. */
export function compileSmartLink(
  input: SmartLinkInput,
  deps: CompileDeps,
): Result<CompiledSmartLink, readonly Problem[]> {
  const context: Context = { checkUrl: deps.checkUrl, problems: new Problems() };
  const compiled: CompiledSmartLink = {
    url: compileUrl(input.url, "url", context),
    split: input.split === undefined ? undefined : compileSplit(input.split, "split", context),
    next: input.next === undefined ? undefined : compileNext(input.next, context),
    rules: compileRules(input.rules ?? [], context),
  };
  const problems = context.problems.all;
  return problems.length === 0 ? ok(compiled) : fail(problems);
}

type Context = CompileDeps & { readonly problems: Problems };

/** `undefined`: none is switched on. */
function compileRules(inputs: readonly RuleInput[], context: Context): readonly SmartRule[] | undefined {
  if (inputs.length > MAX_RULES) {
    context.problems.add("rules", `at most ${MAX_RULES} rules, got ${inputs.length}`);
    return undefined;
  }
  checkIds(inputs, "rules", context);
  const compiled = inputs.map((input, index) => ({
    id: input.id,
    when: compileConditions(input.when, `rules[${index}].when`, context.problems),
    to: compileAction(input.to, `rules[${index}].to`, context),
  }));
  const published = compiled.filter((_rule, index) => inputs[index]?.enabled !== false);
  return published.length === 0 ? undefined : published;
}

function compileAction(input: RuleAction, path: string, context: Context): RuleAction {
  if ("url" in input) {
    return { url: compileUrl(input.url, `${path}.url`, context) };
  }
  return "split" in input ? { split: compileSplit(input.split, `${path}.split`, context) } : { block: true };
}

function compileSplit(inputs: readonly Variant[], path: string, context: Context): readonly Variant[] {
  if (inputs.length === 0) {
    context.problems.add(path, "must not be empty");
  }
  if (inputs.length > MAX_VARIANTS) {
    context.problems.add(path, `at most ${MAX_VARIANTS} variants, got ${inputs.length}`);
    return [];
  }
  checkIds(inputs, path, context);
  return inputs.map(({ id, url, weight }, index) => {
    if (!Number.isInteger(weight) || weight < 1 || weight > MAX_WEIGHT) {
      context.problems.add(
        `${path}[${index}].weight`,
        `must be a whole number from 1 to ${MAX_WEIGHT}, got ${weight}`,
      );
    }
    return { id, url: compileUrl(url, `${path}[${index}].url`, context), weight };
  });
}

function compileNext(input: NextInput, context: Context): NextDestination {
  const activateAtMs = parseInstant(input.activateAt);
  if (activateAtMs === null) {
    context.problems.add(
      "next.activateAt",
      `${JSON.stringify(input.activateAt)} is not a valid RFC 3339 instant`,
    );
  }
  return { url: compileUrl(input.url, "next.url", context), activateAtMs: activateAtMs ?? 0 };
}

function compileUrl(text: string, path: string, context: Context): string {
  const checked = context.checkUrl(text);
  if (checked.ok) {
    return checked.value;
  }
  context.problems.add(path, checked.error.message);
  return "";
}

function checkIds(items: readonly { readonly id: string }[], path: string, { problems }: Context): void {
  const seen = new Set<string>();
  items.forEach(({ id }, index) => {
    if (!IDENTIFIER.test(id)) {
      problems.add(`${path}[${index}].id`, "must be 1 to 64 letters, digits, - or _");
    } else if (seen.has(id)) {
      problems.add(`${path}[${index}].id`, `duplicate id ${JSON.stringify(id)}`);
    }
    seen.add(id);
  });
}
