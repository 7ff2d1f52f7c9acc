/** Asks for a secret on the terminal without showing what is typed. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/** Resolves with the line that was typed, without the spaces around it. */
export async function askSecret(name: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  process.stdout.write(`  ${name} (not shown): `);
  try {
    return (await lines.question("")).trim();
  } finally {
    lines.close();
    process.stdout.write("\n");
  }
}
