/** The person of a request, and what the frame has to know of people to find them. */
import type { SQL } from "drizzle-orm";
import type { Role } from "./roles.ts";

export type SignedIn = {
  readonly personId: string;
  readonly sessionId: string;
  /** So shortly after signing in, no other person is at the keyboard. */
  readonly isFresh: boolean;
  /** In the workspace that the request names; `null` if it names none, or the person is not in it. */
  readonly role: Role | null;
};

export type Sessions = {
  /** The token of a request's session; `null` if it has none, or none that counts here. */
  readonly readToken: (request: Request) => Promise<string | null>;
  /** Selects the caller of a session; no row when it has ended. */
  readonly select: (token: string, wantedWorkspaceId: string | null) => SQL;
  /** The column `person` of that statement; `null` where the caller is no person. */
  readonly read: (value: unknown) => SignedIn | null;
};
