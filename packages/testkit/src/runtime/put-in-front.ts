/** A small module in front of a Worker's production bundle: it hands the bundle what a test has changed of its bindings and batches. */
import { dirname, join } from "node:path";
import type { WorkerRuntimeOptions } from "./worker-runtime.ts";

type Arrange = NonNullable<WorkerRuntimeOptions["arrange"]>;
type Worker = Parameters<Arrange>[0];

/**
 * The Worker with its entry in front of its bundle, `./index.js`; as it was where it has none.
 *
 * @param entries source code by the Worker's name. @param askFaults what the entry gets from `env.FAULTS`.
 */
export function putInFront(
  worker: Worker,
  entries: Readonly<Record<string, string>>,
  askFaults: (url: URL) => Response | Promise<Response>,
): ReturnType<Arrange> {
  const entry = entries[worker.name];
  const modules = Array.isArray(worker.modules) ? worker.modules : [];
  const [bundle] = modules;
  if (entry === undefined || bundle === undefined) {
    return worker;
  }
  const path = join(dirname(bundle.path), "entry-with-faults.js");
  return {
    ...worker,
    modules: [{ type: "ESModule", path, contents: entry }, ...modules],
    serviceBindings: { ...worker.serviceBindings, FAULTS: ({ url }) => askFaults(new URL(url)) },
  };
}
