/** The recorded results of the bench: of each figure the one measured last. */
import { readdirSync, readFileSync } from "node:fs";

import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { objectsAt, parseJsonObject } from "../deploy/json-object.ts";

const RESULTS = "load-tests/results";

export function readFigures(): ReadonlyMap<string, number> {
  const results = readdirSync(inWorkspace(RESULTS))
    .filter((name) => /-bench[\w-]*\.json$/.test(name))
    .map((name) => parseJsonObject(readFileSync(inWorkspace(`${RESULTS}/${name}`), "utf8"), name));
  return new Map(
    results
      .toSorted((one, other) => String(one["date"]).localeCompare(String(other["date"])))
      .flatMap((run) => objectsAt(run, "figures"))
      .map(({ name, value }) => [String(name), Number(value)]),
  );
}
