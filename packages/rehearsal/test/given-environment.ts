/** What environments.jsonc says in a test; `vi.mock` has to stand in the test's own file. */
import type * as environments from "@hopline/ops/deploy/environments";

export const given: { domains: readonly string[]; vars: object } = { domains: [], vars: {} };

export async function withGiven(
  importOriginal: () => Promise<typeof environments>,
): Promise<typeof environments> {
  const original = await importOriginal();
  return {
    ...original,
    readEnvironment: async (name: string) => {
      const { domains, vars } = given;
      const environment = await original.readEnvironment(name);
      return { ...environment, domains, vars: { ...environment.vars, ...vars } };
    },
  };
}
