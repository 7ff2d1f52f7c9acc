/** The problem of a domain that is not proved: names the record that proves it. */
import { toPublicId } from "../http/entity-id.ts";
import { type FieldError, ProblemError } from "../http/problem.ts";
import { proofRecordOf } from "./proof.ts";

type Pending = { readonly id: string; readonly host: string; readonly proofToken: string };

export function pendingDomain(domain: Pending, path: string): ProblemError {
  return new ProblemError("domain_pending", [pendingDomainError(domain, path)]);
}

export function pendingDomainError(domain: Pending, path: string): FieldError {
  const { name, value } = proofRecordOf(domain);
  const verify = `POST to /api/v1/domains/${toPublicId("dom", domain.id)}/verify`;
  return {
    path,
    message: `${domain.host} is not proved yet: add a TXT record ${name} with the value ${value}, then ${verify}`,
  };
}
