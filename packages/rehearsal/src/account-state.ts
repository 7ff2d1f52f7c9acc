/** What an account holds. The routes change it, the rules judge by it, and tests read it. */
import type { Plan, Refusal } from "./refusals.ts";

export type Binding = { readonly type: string; readonly name: string; readonly [key: string]: unknown };

export type Module = { readonly name: string; readonly type: string; readonly bytes: Uint8Array };

export type Version = {
  readonly id: string;
  readonly number: number;
  readonly createdAt: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** Inherited ones are resolved; secrets with their values, which no answer contains. */
  readonly bindings: readonly Binding[];
  readonly modules: readonly Module[];
  readonly mainModule: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  /** Names of what the main module exports. */
  readonly exported: readonly string[];
  readonly assets: unknown;
};

export type Share = { readonly version_id: string; readonly percentage: number };

export type Deployment = {
  readonly id: string;
  readonly createdAt: string;
  readonly versions: readonly Share[];
};

export type FakeWorker = {
  readonly versions: Version[];
  /** Newest first, as the API lists them. */
  readonly deployments: Deployment[];
  crons: readonly string[];
  migrationTag: string | null;
  /** Classes of Durable Objects that migrations have made. */
  readonly classes: Set<string>;
  subdomain: { readonly enabled: boolean; readonly previews_enabled: boolean };
  settings: Readonly<Record<string, unknown>>;
  lastDeployedFrom: "api" | "wrangler";
};

export type Consumer = { readonly consumer_id: string; readonly script: string; readonly body: unknown };
export type Queue = {
  readonly queue_id: string;
  readonly queue_name: string;
  readonly consumers: Consumer[];
  backlog: number;
};
export type Namespace = { readonly id: string; readonly title: string };
export type Host = { readonly id: string; readonly hostname: string; readonly service: string };

/** A request that does not go as it should. `request`: its kind, such as `POST /queues`. */
export type Fault = {
  readonly request: string;
  /** What is answered instead; null: the connection breaks. */
  readonly answer: Refusal | null;
  /** Whether the request has had its effect all the same. */
  readonly hasEffect?: boolean;
};

export class FakeAccount {
  readonly plan: Plan;
  subdomain: string | null;
  /** What the token may edit; null: everything. */
  permissions: ReadonlySet<string> | null = null;
  readonly zones = new Set<string>();
  /** Hosts that have a DNS record which leads to something else than a Worker. */
  readonly dnsRecords = new Set<string>();
  readonly namespaces: Namespace[] = [];
  /** Id of a namespace to its keys. */
  readonly keys = new Map<string, readonly string[]>();
  readonly queues: Queue[] = [];
  readonly workers = new Map<string, FakeWorker>();
  readonly hosts: Host[] = [];
  /** Hash of a file to its content, base64. */
  readonly assets = new Map<string, string>();
  readonly assetManifests = new Map<string, Readonly<Record<string, string>>>();

  readonly faults: Fault[] = [];
  /** Kinds of the requests in their order. */
  readonly requests: string[] = [];
  /** Requests that the fake has no answer for, and calls of ours that the published description does not allow. */
  readonly wrong: string[] = [];
  /** Lists leave out what was made within this many requests before. */
  visibleAfter = 0;
  /** Called before (false) and after (true) a request has its effect; true: the caller is dead, and gets no answer. */
  onRequest: (request: { readonly kind: string; readonly token: string }, isDone: boolean) => boolean = () =>
    false;
  readonly #madeAt = new Map<string, number>();
  #count = 0;
  baseUrl = "";

  constructor({
    plan = "free",
    subdomain = null,
  }: { readonly plan?: Plan; readonly subdomain?: string | null } = {}) {
    this.plan = plan;
    this.subdomain = subdomain;
  }

  /** Another account that holds the same; what then happens to one is not seen in the other. */
  copy(): FakeAccount {
    const copied = new FakeAccount();
    const held = Object.entries(this).filter(([name]) => name !== "onRequest");
    Object.assign(copied, structuredClone(Object.fromEntries(held)));
    copied.#count = this.#count;
    return copied;
  }

  /** A new id; deterministic, so that two rehearsals can be compared. */
  nextId(): string {
    this.#count += 1;
    return `11111111-2222-4333-8444-${String(this.#count).padStart(12, "0")}`;
  }

  /** A moment later than the one before. */
  nextInstant(): string {
    this.#count += 1;
    return new Date(Date.UTC(2026, 10, 21) + this.#count * 1000).toISOString();
  }

  noteMade(key: string): void {
    this.#madeAt.set(key, this.requests.length);
  }

  isVisible(key: string): boolean {
    const madeAt = this.#madeAt.get(key);
    return madeAt === undefined || this.requests.length - madeAt > this.visibleAfter;
  }

  addWorker(name: string): FakeWorker {
    const worker: FakeWorker = {
      versions: [],
      deployments: [],
      crons: [],
      migrationTag: null,
      classes: new Set(),
      subdomain: { enabled: false, previews_enabled: false },
      settings: {},
      lastDeployedFrom: "api",
    };
    this.workers.set(name, worker);
    return worker;
  }
}
