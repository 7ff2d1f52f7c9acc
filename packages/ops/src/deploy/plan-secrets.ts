/**
 * Decides where the value of each missing secret comes from. Pure.
 *
 * An account never gives a secret back. So a value that one Worker has and another lacks cannot be made anew: two
 * Workers with different SEAL_KEYs could not read each other's sealed clicks. It has to be known here, or asked for.
 */
import type { ExistingResources, ProvisionPlan } from "./plan-provision.ts";

export type SecretsPlan = {
  /** Made here, of 32 random bytes. */
  readonly toGenerate: readonly string[];
  /** Only a person can say them. */
  readonly toAsk: readonly string[];
};

/** A key, a secret or a token is any 32 random bytes; everything else (DATABASE_URL) means something outside. */
const IS_RANDOM = /_(KEY|SECRET|TOKEN)$/;

/** `known`: names of secrets whose value is at hand, from the environment or from an earlier run. */
export function planSecrets(
  plan: ProvisionPlan,
  existing: ExistingResources,
  known: ReadonlySet<string>,
): SecretsPlan {
  const missing = [...new Set([...plan.secrets.values()].flat())].filter((name) => !known.has(name));
  const elsewhere = new Set([...existing.secrets.values()].flat());
  const canGenerate = (name: string): boolean => IS_RANDOM.test(name) && !elsewhere.has(name);
  return {
    toGenerate: missing.filter(canGenerate),
    toAsk: missing.filter((name) => !canGenerate(name)),
  };
}
