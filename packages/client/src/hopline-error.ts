/** What a call rejects with when the API refuses it. */
import type { Problem } from "./openapi.ts";

/** A closed set, and `unknown` where the answer is not one of the API: from a proxy, say. */
export type ErrorCode = Problem["code"] | "unknown";

export class HoplineError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  /** The problem as it came; `null` where the answer is not one of the API. */
  readonly problem: Problem | null;
  /** The API's logs have it too; `null` where the answer is not one of the API. */
  readonly requestId: string | null;
  /** The answer's headers. Its body has been read. */
  readonly headers: Headers;

  constructor(response: Response, problem: Problem | null) {
    super(describe(response.status, problem));
    this.name = "HoplineError";
    this.status = response.status;
    this.code = problem?.code ?? "unknown";
    this.problem = problem;
    this.requestId = problem?.requestId ?? null;
    this.headers = response.headers;
  }
}

/** `422 invalid: url is not an absolute URL: start with https://` */
function describe(status: number, problem: Problem | null): string {
  return problem === null
    ? `${status}: the answer is not one of the API.`
    : `${status} ${problem.code}: ${problem.detail}`;
}

/** Reads an answer that is not a success. */
export async function toHoplineError(response: Response): Promise<HoplineError> {
  const isProblem = /^application\/problem\+json\b/i.test(response.headers.get("content-type") ?? "");
  const body: unknown = await (isProblem ? response.json() : response.text()).catch(() => null);
  const isOurs = isProblem && typeof body === "object" && body !== null && "code" in body;
  return new HoplineError(response, isOurs ? (body as Problem) : null);
}
