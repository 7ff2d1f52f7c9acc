/** Builds the production bundles before the first system test: what is tested is what would be deployed. */
import { consoleProgress } from "../console/progress.ts";
import { buildWorkers } from "../workspace/build-workers.ts";

export default async function provideBundles(): Promise<void> {
  await buildWorkers(consoleProgress());
}
