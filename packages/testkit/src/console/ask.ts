/** Questions on the terminal; answers come without the spaces around them, and Ctrl-C is a `Failure`. */
import { isCancel, password, text } from "@clack/prompts";

import { Failure } from "./failure.ts";

/** Asks for a secret, masked. */
export async function askSecret(name: string): Promise<string> {
  return read(name, await password({ message: name }));
}

/** Asks for what may be seen. */
export async function askText(question: string): Promise<string> {
  return read(question, await text({ message: question }));
}

function read(question: string, answer: string | symbol): string {
  if (isCancel(answer) || typeof answer === "symbol") {
    throw new Failure(`${question} was not given: nothing more was done.`);
  }
  return answer.trim();
}
