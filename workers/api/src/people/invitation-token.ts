/** The token in an invitation's email. */
import { parsePublicId, toPublicId } from "../http/entity-id.ts";
import { readSignedId, signId } from "./signed-id.ts";

export const INVITATION_DAYS = 7;

export function toInvitationToken(invitationId: string, secret: string): Promise<string> {
  return signId("invitation", toPublicId("inv", invitationId), secret);
}

/** The invitation's id; `null` for a token that was not made here. */
export async function readInvitationToken(token: string, secrets: readonly string[]): Promise<string | null> {
  const id = await readSignedId("invitation", token, secrets);
  return id === null ? null : parsePublicId("inv", id);
}
