/** Judges the Workers' variables for one environment, by the code that will read them there. Pure. */
import { parseAppSchemes } from "@hopline/core/link/app-schemes";

import type { Environment } from "../deploy/environments.ts";
import { objectAt, textAt } from "../deploy/json-object.ts";
import type { WorkerConfig } from "../deploy/worker-config.ts";
import { fault, type Finding, good } from "./finding.ts";

const APP_SCHEMES = "APP_SCHEMES";

export function judgeVariables(
  configs: readonly WorkerConfig[],
  environment: Environment,
): readonly Finding[] {
  return configs
    .filter(({ source }) => source.name === "api")
    .map(({ raw, source }) => {
      const own = textAt(objectAt(environment.vars, source.name), APP_SCHEMES);
      return own === null
        ? judgeAppSchemes(textAt(objectAt(raw, "vars"), APP_SCHEMES) ?? "", source.configPath)
        : judgeAppSchemes(own, `environments.jsonc, ${environment.name}`);
    });
}

function judgeAppSchemes(text: string, where: string): Finding {
  const schemes = parseAppSchemes(text);
  if (!schemes.ok) {
    const what = `${APP_SCHEMES}: ${schemes.error.join("; ")}`;
    return fault("configuration", where, what, "Correct it: with it the API does not start.");
  }
  const allowed = ["http", "https", ...schemes.value].join(", ");
  return good("configuration", where, `links may lead to ${allowed}`);
}
