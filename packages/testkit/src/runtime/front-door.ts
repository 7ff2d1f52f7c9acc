/**
 * What Cloudflare's edge adds to a request before a Worker sees it, in a Worker of its own: the visitor's address and
 * the `cf` object. A client may bring either, which is how tests come from another country.
 *
 * Miniflare's own entry does the same and more (it rewrites Accept-Encoding, compresses, answers /cdn-cgi) at about
 * 70 % of the throughput: 5,600-6,600 requests/s against 8,200-9,400 (wrk, 32 connections, constant 302, 2026-11).
 */

/** The request header whose JSON becomes `request.cf`: workerd reads it on every local port, the producer's own too. */
export const LOCAL_CF_HEADER = "MF-CF-Blob";

/** Somewhere in Berlin, in the form of the real thing: the fields that a redirect or a click may read. */
export const LOCAL_CF = {
  asOrganization: "Local network",
  asn: 64512,
  city: "Berlin",
  clientTcpRtt: 1,
  colo: "TXL",
  continent: "EU",
  country: "DE",
  httpProtocol: "HTTP/1.1",
  isEUCountry: "1",
  latitude: "52.52000",
  longitude: "13.40500",
  postalCode: "10115",
  region: "Land Berlin",
  regionCode: "BE",
  timezone: "Europe/Berlin",
  tlsCipher: "AEAD-AES128-GCM-SHA256",
  tlsVersion: "TLSv1.3",
} as const;

/** The Worker's source: workerd runs JavaScript, and three statements need no bundler. Bindings: WORKER, CF. */
export const FRONT_DOOR_SCRIPT = `
export default {
  fetch(request, env) {
    const headers = new Headers(request.headers);
    if (!headers.has("cf-connecting-ip")) headers.set("cf-connecting-ip", "127.0.0.1");
    return env.WORKER.fetch(request, { headers, cf: request.cf ?? env.CF, redirect: "manual" });
  },
};
`;

/** Names the Worker, and the address under which it is asked for, to the side door. */
export const SIDE_DOOR_WORKER = "Hopline-Local-Worker";
export const SIDE_DOOR_ADDRESS = "Hopline-Local-Address";

/** Leads to any Worker, under any address: the header Host of a local request could not say https. Bindings: the Workers, by name. */
export const SIDE_DOOR_SCRIPT = `
export default {
  fetch(request, env) {
    const headers = new Headers(request.headers);
    const [worker, address] = ["${SIDE_DOOR_WORKER}", "${SIDE_DOOR_ADDRESS}"].map((name) => {
      const value = headers.get(name);
      headers.delete(name);
      return value;
    });
    if (!headers.has("cf-connecting-ip")) headers.set("cf-connecting-ip", "127.0.0.1");
    const { method, body } = request;
    return env[worker].fetch(new Request(address, { method, headers, body, cf: env.CF, redirect: "manual" }));
  },
};
`;
