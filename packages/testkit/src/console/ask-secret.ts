import { isCancel, password } from "@clack/prompts";

import { Failure } from "./failure.ts";

/** Asks for a secret on the terminal, masked; without the spaces around it. Ctrl-C is a `Failure`. */
export async function askSecret(name: string): Promise<string> {
  const answer = await password({ message: name });
  if (isCancel(answer)) {
    throw new Failure(`${name} was not given: nothing more was done.`);
  }
  return answer.trim();
}
