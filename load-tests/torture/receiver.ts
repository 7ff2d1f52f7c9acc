/** A webhook's receiver as a process of its own: writes the id of each click to a file before it answers, and may be killed at any moment. */
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";

type Click = { readonly id: string };
type Message = { readonly type: string; readonly data: Click & { readonly clicks?: readonly Click[] } };

const [path = "", port = "0"] = process.argv.slice(2);

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const { type, data } = JSON.parse(Buffer.concat(parts).toString()) as Message;
    const clicks = type === "click" ? [data] : (data.clicks ?? []);
    appendFileSync(path, clicks.map(({ id }) => `${id}\n`).join(""));
    response.end();
  });
});
server.listen(Number(port), "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : ""}\n`);
});
