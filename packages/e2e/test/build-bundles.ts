/** Builds the production bundles once, before the first system test: what is tested is what would be deployed. */
import { buildWorkers } from "@hopline/testkit/workspace/build-workers";
import { consoleProgress } from "@hopline/testkit/console/progress";

export default async function buildBundles(): Promise<void> {
  await buildWorkers(consoleProgress());
}
