/** A way to Postgres that breaks at one message of the client, before Postgres gets it or once it has had its effect. */
import { once } from "node:events";
import { connect, createServer } from "node:net";

export type Cut = { readonly message: number; readonly isDone: boolean };

export async function openCutConnection(databaseUrl: string, { message, isDone }: Cut) {
  const url = new URL(databaseUrl);
  const target = { host: url.hostname, port: Number(url.port || 5432) };
  let seen = 0;
  const server = createServer((client) => {
    const postgres = connect(target);
    let isLast = false;
    const breakOff = (): void => {
      client.destroy();
      postgres.destroy();
    };
    client.on("data", (chunk) => {
      isLast = seen === message;
      seen += 1;
      if (isLast && !isDone) {
        breakOff();
      } else {
        postgres.write(chunk);
      }
    });
    postgres.on("data", (chunk) => (isLast ? breakOff() : client.write(chunk)));
    [client, postgres].forEach((socket) => socket.on("error", breakOff).on("close", breakOff));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  url.hostname = "127.0.0.1";
  url.port = String(typeof address === "object" && address !== null ? address.port : 0);
  return {
    url: url.href,
    /** Whether the client has sent as many messages. */
    wasCut: (): boolean => seen > message,
    stop: async (): Promise<void> => {
      await once(server.close(), "close");
    },
  };
}
