/** Workers: uploads, versions, deployments, secrets, crons, and what only wrangler asks for. */
import type { Context, Hono } from "hono";

import {
  isJsonObject,
  type JsonObject,
  objectAt,
  objectsAt,
  parseJsonObject,
  textAt,
  textsAt,
} from "@hopline/ops/deploy/json-object";
import type { FakeAccount, FakeWorker, Module, Share, Version } from "./account-state.ts";
import { ok, readObject, readObjects, refuse } from "./answers.ts";
import { checkUpload, resolveBindings } from "./check-upload.ts";
import * as refusals from "./refusals.ts";

/** Of the real calendar: compatibility dates of the future are refused. */
const today = (): string => new Date().toISOString().slice(0, 10);

export function addScriptRoutes(api: Hono, account: FakeAccount): void {
  const script = "/accounts/:account/workers/scripts/:worker";
  const nameOf = (c: Context): string => c.req.param("worker") ?? "";
  /** Answers for a Worker that is there. */
  const withWorker =
    (answer: (c: Context, worker: FakeWorker) => Response | Promise<Response>) =>
    (c: Context): Response | Promise<Response> => {
      const worker = account.workers.get(nameOf(c));
      return worker === undefined ? refuse(refusals.NO_SUCH_WORKER) : answer(c, worker);
    };

  api.put(script, (c) => upload(account, c, "deploy"));
  api.post(`${script}/versions`, (c) => upload(account, c, "version"));
  api.delete(
    script,
    withWorker((c) => remove(account, c)),
  );
  api.get("/accounts/:account/workers/services/:worker", (c) => {
    const worker = account.workers.get(nameOf(c));
    if (worker === undefined) {
      return refuse(refusals.NO_SUCH_SERVICE);
    }
    const script = {
      last_deployed_from: worker.lastDeployedFrom,
      ...(worker.migrationTag === null ? {} : { migration_tag: worker.migrationTag }),
    };
    return ok(c, { id: nameOf(c), default_environment: { environment: "production", script } });
  });
  api.on(
    ["GET", "PATCH"],
    "/accounts/:account/workers/workers/:worker",
    withWorker((c, worker) => ok(c, { id: nameOf(c), name: nameOf(c), subdomain: worker.subdomain })),
  );
  api.get(
    `${script}/settings`,
    withWorker((c, worker) => ok(c, { bindings: worker.versions.at(-1)?.bindings.map(hideSecret) })),
  );
  api.get(
    `${script}/versions`,
    withWorker((c, worker) => {
      const seen = worker.versions.filter(({ id }) => account.isVisible(id));
      return ok(c, { items: seen.toReversed().slice(0, 10).map(toVersionAnswer) });
    }),
  );
  api.get(
    `${script}/versions/:version`,
    withWorker((c, worker) => {
      const version = worker.versions.find(({ id }) => id === c.req.param("version"));
      return version === undefined ? refuse(refusals.NO_SUCH_VERSION) : ok(c, toVersionAnswer(version));
    }),
  );
  api.get(
    `${script}/deployments`,
    withWorker((c, worker) =>
      ok(c, {
        deployments: worker.deployments.map(({ id, createdAt, versions }) => ({
          id,
          created_on: createdAt,
          strategy: "percentage",
          versions,
        })),
      }),
    ),
  );
  api.post(
    `${script}/deployments`,
    withWorker(async (c, worker) => {
      const versions = objectsAt(await readObject(c), "versions").map((share): Share => ({
        version_id: textAt(share, "version_id") ?? "",
        percentage: Number(share["percentage"]),
      }));
      const isKnown = versions.every(({ version_id }) => worker.versions.some(({ id }) => id === version_id));
      const sum = versions.reduce((total, { percentage }) => total + percentage, 0);
      if (!isKnown || sum !== 100 || versions.length > 2) {
        return refuse(refusals.NO_SUCH_VERSION);
      }
      return ok(c, { id: deployShares(account, worker, versions) });
    }),
  );
  api.get(
    `${script}/secrets`,
    withWorker((c, worker) => ok(c, listSecrets(worker))),
  );
  // `wrangler secret put` and `wrangler secret delete`: one at a time.
  api.put(
    `${script}/secrets`,
    withWorker(async (c, worker) => {
      const body = await readObject(c);
      return changeSecrets(account, c, { worker, secrets: { [textAt(body, "name") ?? ""]: body } });
    }),
  );
  api.delete(
    `${script}/secrets/:secret`,
    withWorker((c, worker) =>
      changeSecrets(account, c, { worker, secrets: { [c.req.param("secret") ?? ""]: null } }),
    ),
  );
  api.patch(
    `${script}/secrets-bulk`,
    withWorker((c, worker) => setSecrets(account, c, worker)),
  );
  api.patch(
    `${script}/script-settings`,
    withWorker(async (c, worker) => {
      worker.settings = { ...worker.settings, ...(await readObject(c)) };
      return ok(c, worker.settings);
    }),
  );
  api.put(
    `${script}/schedules`,
    withWorker(async (c, worker) => {
      const crons = (await readObjects(c)).flatMap((entry) => textAt(entry, "cron") ?? []);
      const others = [...account.workers].flatMap(([name, other]) => (name === nameOf(c) ? [] : other.crons));
      const limit = refusals.LIMITS[account.plan].crons;
      if (others.length + crons.length > limit) {
        return refuse(refusals.tooManyCrons(limit));
      }
      worker.crons = crons;
      return ok(c, { schedules: crons.map((cron) => ({ cron })) });
    }),
  );
  api.get(
    `${script}/subdomain`,
    withWorker((c, worker) => ok(c, worker.subdomain)),
  );
  api.post(
    `${script}/subdomain`,
    withWorker(async (c, worker) => {
      const { enabled, previews_enabled } = await readObject(c);
      worker.subdomain = { enabled: enabled === true, previews_enabled: previews_enabled === true };
      return ok(c, worker.subdomain);
    }),
  );
}

/** Makes a version of a Worker from a form with metadata and modules, or refuses it. */
async function upload(account: FakeAccount, c: Context, kind: "deploy" | "version"): Promise<Response> {
  const name = c.req.param("worker") ?? "";
  const existing = account.workers.get(name);
  const form = await c.req.formData();
  const given = form.get("metadata");
  const metadata = parseJsonObject(typeof given === "string" ? given : "{}", "metadata");
  const modules = await readModules(form);
  const exported = listExported(modules, textAt(metadata, "main_module") ?? "");
  if (kind === "version" && existing === undefined) {
    return refuse(refusals.NO_SUCH_WORKER);
  }
  if (kind === "version" && isJsonObject(metadata["migrations"])) {
    return refuse(refusals.MIGRATION_NEEDS_DEPLOY);
  }
  const refusal = checkUpload(account, { name, metadata, modules, exported }, today());
  if (refusal !== null) {
    return refuse(refusal);
  }
  const bindings = resolveBindings(existing, metadata);
  const worker = existing ?? account.addWorker(name);
  const version = addVersion(account, worker, {
    annotations: textsOf(objectAt(metadata, "annotations")),
    bindings,
    modules,
    exported,
    mainModule: textAt(metadata, "main_module") ?? "",
    compatibilityDate: textAt(metadata, "compatibility_date") ?? "",
    compatibilityFlags: textsAt(metadata, "compatibility_flags"),
    assets: metadata["assets"],
  });
  // Wrangler names itself in every upload's metadata annotations only by this header.
  worker.lastDeployedFrom = c.req.header("user-agent")?.startsWith("wrangler/") === true ? "wrangler" : "api";
  if (kind === "deploy") {
    applyMigrations(worker, objectAt(metadata, "migrations"));
    // Of no version: `wrangler versions upload` sends it, too, and it has no effect there.
    worker.settings = { ...worker.settings, observability: metadata["observability"] };
    deployShares(account, worker, [{ version_id: version.id, percentage: 100 }]);
  }
  const id = { id: version.id, deployment_id: version.id.replaceAll("-", "") };
  return ok(c, { ...toVersionAnswer(version), ...id, startup_time_ms: 1 });
}

async function readModules(form: FormData): Promise<readonly Module[]> {
  const parts = [...form].filter((entry): entry is [string, File] => entry[1] instanceof File);
  return Promise.all(
    parts.map(async ([name, part]) => ({
      name,
      type: part.type,
      bytes: new Uint8Array(await part.arrayBuffer()),
    })),
  );
}

/** A bundle has one `export { a as Name, b as default }`. */
function listExported(modules: readonly Module[], mainModule: string): readonly string[] {
  const main = modules.find(({ name }) => name === mainModule);
  const text = Buffer.from(main?.bytes ?? []).toString();
  const lists = [...text.matchAll(/export\s*\{([^}]*)\}/g)].flatMap(([, list = ""]) => list.split(","));
  return lists.map((part) => part.trim().split(" as ").at(-1) ?? "");
}

function addVersion(
  account: FakeAccount,
  worker: FakeWorker,
  parts: Omit<Version, "id" | "number" | "createdAt">,
): Version {
  const version = {
    ...parts,
    id: account.nextId(),
    number: worker.versions.length + 1,
    createdAt: account.nextInstant(),
  };
  worker.versions.push(version);
  account.noteMade(version.id);
  return version;
}

function deployShares(account: FakeAccount, worker: FakeWorker, versions: readonly Share[]): string {
  const id = account.nextId();
  worker.deployments.unshift({ id, createdAt: account.nextInstant(), versions });
  return id;
}

function applyMigrations(worker: FakeWorker, migrations: JsonObject): void {
  for (const step of objectsAt(migrations, "steps")) {
    for (const name of [...textsAt(step, "new_sqlite_classes"), ...textsAt(step, "new_classes")]) {
      worker.classes.add(name);
    }
    textsAt(step, "deleted_classes").forEach((name) => worker.classes.delete(name));
    for (const { from, to } of objectsAt(step, "renamed_classes")) {
      worker.classes.delete(String(from));
      worker.classes.add(String(to));
    }
  }
  worker.migrationTag = textAt(migrations, "new_tag") ?? worker.migrationTag;
}

/** Secrets are bindings: to set one is to make a version with it, which answers at once. */
async function setSecrets(account: FakeAccount, c: Context, worker: FakeWorker): Promise<Response> {
  if (c.req.header("content-type") !== "application/merge-patch+json") {
    return refuse({ ...refusals.UNKNOWN_REQUEST, status: 415 });
  }
  return changeSecrets(account, c, { worker, secrets: objectAt(await readObject(c), "secrets") });
}

type SecretsChange = {
  readonly worker: FakeWorker;
  /** By name; null removes one. */
  readonly secrets: JsonObject;
};

function changeSecrets(account: FakeAccount, c: Context, { worker, secrets }: SecretsChange): Response {
  const [newest] = worker.versions.slice(-1);
  if (
    newest === undefined ||
    worker.deployments[0]?.versions[0]?.version_id !== newest.id ||
    worker.deployments[0].versions.length > 1
  ) {
    return refuse(refusals.NEWEST_NOT_DEPLOYED);
  }
  const bindings = new Map(newest.bindings.map((binding) => [binding.name, binding]));
  for (const [name, value] of Object.entries(secrets)) {
    bindings.delete(name);
    if (isJsonObject(value)) {
      bindings.set(name, { type: "secret_text", name, text: textAt(value, "text") ?? "" });
    }
  }
  const version = addVersion(account, worker, {
    ...newest,
    bindings: [...bindings.values()],
    annotations: { "workers/triggered_by": "secret" },
  });
  deployShares(account, worker, [{ version_id: version.id, percentage: 100 }]);
  return ok(c, {});
}

function listSecrets(worker: FakeWorker) {
  const bindings = worker.versions.at(-1)?.bindings ?? [];
  return bindings.filter(({ type }) => type === "secret_text").map(hideSecret);
}

function remove(account: FakeAccount, c: Context): Response {
  const name = c.req.param("worker") ?? "";
  const isConsumer = account.queues.some(({ consumers }) => consumers.some(({ script }) => script === name));
  const isCalled = [...account.workers].some(
    ([other, { versions }]) =>
      other !== name &&
      versions
        .at(-1)
        ?.bindings.some((binding) => binding["service"] === name || binding["script_name"] === name) === true,
  );
  if ((isConsumer || isCalled) && c.req.query("force") !== "true") {
    return refuse(refusals.STILL_IN_USE);
  }
  account.workers.delete(name);
  account.hosts.splice(0, account.hosts.length, ...account.hosts.filter(({ service }) => service !== name));
  account.queues.forEach(({ consumers }) =>
    consumers.splice(0, consumers.length, ...consumers.filter(({ script }) => script !== name)),
  );
  return ok(c, null);
}

function hideSecret({ type, name, ...rest }: Version["bindings"][number]) {
  return type === "secret_text" ? { type, name } : { type, name, ...rest };
}

function toVersionAnswer({ id, number, createdAt, annotations, bindings, exported }: Version) {
  const script = { etag: id, handlers: ["fetch"], named_handlers: exported.map((name) => ({ name })) };
  return {
    id,
    number,
    metadata: { created_on: createdAt },
    annotations,
    resources: { script, bindings: bindings.map(hideSecret) },
  };
}

function textsOf(object: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, String(value)]));
}
