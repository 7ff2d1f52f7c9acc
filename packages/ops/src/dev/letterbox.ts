/** Where the local stack's letters go: a webhook on this machine that prints them, with the link to click. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Letterbox = { readonly url: string; readonly stop: () => Promise<void> };

export async function openLetterbox(onLine: (line: string) => void): Promise<Letterbox> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const lines = toLines(Buffer.concat(chunks).toString());
      lines.forEach(onLine);
      response.writeHead(lines.length === 0 ? 400 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** None for what is no letter. */
function toLines(body: string): readonly string[] {
  try {
    const letter: unknown = JSON.parse(body);
    if (typeof letter === "object" && letter !== null && "to" in letter && "text" in letter) {
      const subject = "subject" in letter ? String(letter.subject) : "";
      const text = String(letter.text).trimEnd();
      return [
        `    Letter to ${String(letter.to)}: ${subject}`,
        ...text.split("\n").map((line) => `      ${line}`),
      ];
    }
  } catch {
    // Answered with 400.
  }
  return [];
}
