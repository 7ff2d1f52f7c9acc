/** Visitors who never stop: several at a time, over several links and isolates, each answer written down. */
import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { visitIsolate } from "../visit-isolate.ts";

export type VisitorsOptions = {
  /** `http://host:port` of each isolate. */
  readonly origins: readonly string[];
  readonly host: string;
  readonly slugs: readonly string[];
  readonly visitorsAtOnce: number;
  /** Between two visits of one visitor. */
  readonly pauseMs: number;
  /** The headers of visit number `visit`, from 0. */
  readonly headersOf: (visit: number) => Readonly<Record<string, string>>;
};

export type Visitors = {
  /** Visits with this answer so far: a status, or the name of what went wrong with the connection. */
  answers(): Readonly<Record<string, number>>;
  redirects(): number;
  /** Resolves with the last answer. */
  stop(): Promise<void>;
};

export function startVisitors(options: VisitorsOptions): Visitors {
  const agent = new Agent({ keepAlive: true });
  const answers: Record<string, number> = {};
  let visits = 0;
  let isOver = false;
  const visitUntilOver = async (): Promise<void> => {
    while (!isOver) {
      const number = visits;
      visits += 1;
      const answer = await visit(options, number, agent).catch((error: Error) => error.name);
      answers[answer] = (answers[answer] ?? 0) + 1;
      await delay(options.pauseMs);
    }
  };
  const visitors = Array.from({ length: options.visitorsAtOnce }, visitUntilOver);
  return {
    answers: () => ({ ...answers }),
    redirects: () => answers["302"] ?? 0,
    async stop() {
      isOver = true;
      await Promise.all(visitors);
      agent.destroy();
    },
  };
}

async function visit(options: VisitorsOptions, number: number, agent: Agent): Promise<string> {
  const { origins, slugs, host, headersOf } = options;
  const origin = origins[number % origins.length] ?? "";
  const path = `/${encodeURIComponent(slugs[Math.floor(number / origins.length) % slugs.length] ?? "")}`;
  return String((await visitIsolate({ origin, host, path, headers: headersOf(number), agent })).status);
}
