import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.SECRET ?? "");
const seen = new Set<string>();

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const { type, data } = webhook.verify(body, headers) as {
    type: string;
    data: { clicks?: { id: string; country: string }[] };
  };
  for (const click of data.clicks?.filter(({ id }) => !seen.has(id)) ?? []) {
    seen.add(click.id);
    console.log(type, click.country);
  }
  response.writeHead(204).end();
}).listen(Number(process.env.PORT ?? 8080));
