/**
 * Compiles what a rule asks of a visitor: every value is brought to the one form in which the matcher compares it, and every
 * value that no visitor can ever have is an error here rather than a rule that silently never matches.
 */
import { compileTime } from "./compile-time.ts";
import { isCountryCode } from "./country-codes.ts";
import { BROWSER_NAMES, DEVICE_CLASSES, OS_NAMES } from "../device-names.ts";
import { foldCity } from "../evaluate/fold-city.ts";
import type { Problems } from "./problems.ts";
import { CONTINENTS, type Conditions, type QueryCondition } from "../rule.ts";
import type { ConditionsInput } from "./rule-input.ts";

/** A click keeps as much of it (workers/producer/src/clicks/read-click.ts). */
const MAX_CITY_LENGTH = 64;

/** The compiled conditions; where `problems` has grown they are not to be used. */
export function compileConditions(input: ConditionsInput, path: string, problems: Problems): Conditions {
  if (Object.values(input).every((value) => value === undefined)) {
    problems.add(path, "must hold a condition: for all visitors, set the default destination");
  }
  if (input.city !== undefined && input.country === undefined && input.region === undefined) {
    problems.add(`${path}.city`, "needs a country or a region beside it: there is a Paris in Texas");
  }
  function list<Value>(
    field: keyof ConditionsInput,
    items: readonly string[] | undefined,
    compile: CompileItem<Value>,
  ): readonly Value[] | undefined {
    return items === undefined ? undefined : compileList(items, `${path}.${field}`, { compile, problems });
  }
  return {
    country: list("country", input.country, compileCountry),
    continent: list("continent", input.continent, (text) => oneOf(CONTINENTS, text, "continent")),
    region: list("region", input.region, compileRegion),
    city: list("city", input.city, compileCity),
    time: input.time === undefined ? undefined : compileTime(input.time, `${path}.time`, problems),
    query: input.query === undefined ? undefined : compileQuery(input.query, `${path}.query`, problems),
    language: list("language", input.language, compileLanguage),
    referrer: list("referrer", input.referrer, compileReferrer),
    device: list("device", input.device, (text) => oneOf(DEVICE_CLASSES, text, "device class")),
    os: list("os", input.os, (text) => oneOf(OS_NAMES, text, "operating system")),
    browser: list("browser", input.browser, (text) => oneOf(BROWSER_NAMES, text, "browser")),
    visitor: input.visitor,
  };
}

type Compiled<Value> = { readonly value: Value } | { readonly message: string };
type CompileItem<Value> = (text: string) => Compiled<Value>;

function compileList<Value>(
  items: readonly string[],
  path: string,
  { compile, problems }: { readonly compile: CompileItem<Value>; readonly problems: Problems },
): readonly Value[] {
  if (items.length === 0) {
    problems.add(path, "must not be empty");
  }
  const values = new Set<Value>();
  items.forEach((item, index) => {
    const compiled = compile(item);
    if ("value" in compiled) {
      values.add(compiled.value);
    } else {
      problems.add(`${path}[${index}]`, compiled.message);
    }
  });
  return [...values];
}

function compileQuery(
  conditions: readonly QueryCondition[],
  path: string,
  problems: Problems,
): readonly QueryCondition[] {
  if (conditions.length === 0) {
    problems.add(path, "must not be empty");
  }
  return conditions.map(({ name, values }, index) => {
    if (name === "") {
      problems.add(`${path}[${index}].name`, "must not be empty");
    }
    if (values !== undefined && values.length === 0) {
      problems.add(`${path}[${index}].values`, "must not be empty; leave it out to ask only for presence");
    }
    return { name, values: values === undefined ? undefined : [...new Set(values)] };
  });
}

function oneOf<Name extends string>(names: readonly Name[], text: string, kind: string): Compiled<Name> {
  const name = names.find((known) => known.toLowerCase() === text.toLowerCase());
  return name === undefined
    ? { message: `unknown ${kind} ${JSON.stringify(text)}, expected one of ${names.join(", ")}` }
    : { value: name };
}

function compileCountry(text: string): Compiled<string> {
  const code = text.toUpperCase();
  return isCountryCode(code) ? { value: code } : { message: `unknown country ${JSON.stringify(text)}` };
}

function compileRegion(text: string): Compiled<string> {
  const code = text.toUpperCase();
  return /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(code) && isCountryCode(code.slice(0, 2))
    ? { value: code }
    : { message: `${JSON.stringify(text)} is not an ISO 3166-2 code such as "US-CA"` };
}

/** Any name: there is no list of Cloudflare's. */
function compileCity(text: string): Compiled<string> {
  const name = foldCity(text.trim());
  return name !== "" && name.length <= MAX_CITY_LENGTH
    ? { value: name }
    : { message: `must be the name of a city, of at most ${MAX_CITY_LENGTH} characters` };
}

function compileLanguage(text: string): Compiled<string> {
  return /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(text)
    ? { value: text.toLowerCase() }
    : { message: `${JSON.stringify(text)} is not a BCP-47 language such as "en" or "zh-Hant"` };
}

/** `*` may only be the whole first label. Names in other scripts become what a Referer header holds: punycode. */
function compileReferrer(text: string): Compiled<string> {
  const isWildcard = text.startsWith("*.");
  const host = isWildcard ? text.slice(2) : text;
  const malformed = {
    message: `${JSON.stringify(text)} is not a host such as "example.com" or "*.example.com"`,
  };
  if (
    host === "" ||
    host.length > 253 ||
    /[\s/?#@:*\\%[\]]|^\.|\.\.|\.$/.test(host) ||
    !URL.canParse(`http://${host}`)
  ) {
    return malformed;
  }
  const { hostname } = new URL(`http://${host}`);
  return { value: isWildcard ? `*.${hostname}` : hostname };
}
