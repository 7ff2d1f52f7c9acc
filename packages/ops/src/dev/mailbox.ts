/** Where the local stack's emails go: a webhook on this machine that prints them, with the link to click. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Mailbox = { readonly url: string; readonly stop: () => Promise<void> };

export async function openMailbox(onLine: (line: string) => void): Promise<Mailbox> {
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

/** None for what is no email. */
function toLines(body: string): readonly string[] {
  try {
    const email: unknown = JSON.parse(body);
    if (typeof email === "object" && email !== null && "to" in email && "text" in email) {
      const subject = "subject" in email ? String(email.subject) : "";
      const text = String(email.text).trimEnd();
      return [
        `    Email to ${String(email.to)}: ${subject}`,
        ...text.split("\n").map((line) => `      ${line}`),
      ];
    }
  } catch {
    // Answered with 400.
  }
  return [];
}
