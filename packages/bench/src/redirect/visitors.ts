/**
 * What a request brings when it reaches a Worker on Cloudflare: a browser's headers, those that the edge adds, and the
 * `cf` object. Values are invented (documentation addresses and networks); their number and lengths are those of a
 * real navigation from a Chrome, a Safari, a Firefox and an in-app browser.
 */

/** The header that carries `cf` as JSON; workerd turns it into `request.cf` and hides it from the Worker. */
export const CF_HEADER = "bench-cf-blob";

export const BENCH_HOST = "go.example.com";

type Browser = { readonly userAgent: string; readonly accept: string; readonly language: string };

const HTML =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";

const BROWSERS: readonly Browser[] = [
  {
    userAgent:
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    accept: HTML,
    language: "en-US,en;q=0.9",
  },
  {
    userAgent:
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
    accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    language: "de-DE,de;q=0.9",
  },
  {
    userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
    accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    language: "fr-FR,fr;q=0.8,en-US;q=0.5,en;q=0.3",
  },
  {
    userAgent:
      "Mozilla/5.0 (Linux; Android 15; SM-S921B Build/AP3A.240905.015.A2; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/141.0.7390.122 Mobile Safari/537.36 Instagram 402.0.0.48.75 Android",
    accept: HTML,
    language: "pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7",
  },
];

const PLACES = [
  { country: "US", continent: "NA", city: "Portland", region: "Oregon", regionCode: "OR", colo: "PDX" },
  { country: "DE", continent: "EU", city: "Hamburg", region: "Hamburg", regionCode: "HH", colo: "HAM" },
  {
    country: "FR",
    continent: "EU",
    city: "Lyon",
    region: "Auvergne-Rhône-Alpes",
    regionCode: "ARA",
    colo: "LYS",
  },
  { country: "BR", continent: "SA", city: "Recife", region: "Pernambuco", regionCode: "PE", colo: "REC" },
] as const;

/** The same index is the same visitor. */
function visitorHeaders(index: number): Readonly<Record<string, string>> {
  const browser = BROWSERS[index % BROWSERS.length] ?? BROWSERS[0];
  if (browser === undefined) {
    throw new Error("invariant: there is a browser");
  }
  const address = `198.51.${100 + (index % 4)}.${1 + index}`;
  return {
    host: BENCH_HOST,
    accept: browser.accept,
    "accept-encoding": "gzip, br",
    "accept-language": browser.language,
    "cdn-loop": "cloudflare; loops=1",
    "cf-connecting-ip": address,
    "cf-ipcountry": PLACES[index % PLACES.length]?.country ?? "US",
    "cf-ray": `8f0c1d2e3f4a5b${(index % 256).toString(16).padStart(2, "0")}`,
    "cf-visitor": '{"scheme":"https"}',
    priority: "u=0, i",
    referer: `https://www.example.org/articles/${2_000 + index}?utm_medium=social`,
    "sec-fetch-dest": "document",
    "sec-fetch-mode": "navigate",
    "sec-fetch-site": "cross-site",
    "upgrade-insecure-requests": "1",
    "user-agent": browser.userAgent,
    "x-forwarded-for": address,
    "x-forwarded-proto": "https",
    "x-real-ip": address,
    [CF_HEADER]: asciiJson(cfObject(index)),
  };
}

/** The fields that a zone without Bot Management shows to a Worker, about 1.6 KB as on Cloudflare. */
function cfObject(index: number): object {
  const place = PLACES[index % PLACES.length];
  return {
    clientTcpRtt: 12 + index,
    longitude: (-70.12345 + index).toFixed(5),
    latitude: (40.54321 + index / 10).toFixed(5),
    tlsCipher: "AEAD-AES128-GCM-SHA256",
    continent: place?.continent,
    asn: 64_496 + (index % 16),
    country: place?.country,
    isEUCountry: place?.continent === "EU" ? "1" : undefined,
    tlsClientAuth: TLS_CLIENT_AUTH,
    verifiedBotCategory: "",
    tlsVersion: "TLSv1.3",
    tlsExportedAuthenticator: {
      clientFinished: "7d0fcd1c64f9df7a66d0b3d2e7a9b1c4f5e6d7c8b9a0918273645546372819aa",
      clientHandshake: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809",
      serverHandshake: "99aabbccddeeff00112233445566778899aabbccddeeff001122334455667788",
      serverFinished: "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
    },
    tlsClientCiphersSha1: "kXrN3VEKDdzz2cPKTQaKzpxVTxQ=",
    tlsClientExtensionsSha1: "1ldd3vOHV6aXQSBLvRwq3cgWTj8=",
    tlsClientExtensionsSha1Le: "6e+q3vPm88rSgMTN/h7WTTxQ2wQ=",
    tlsClientHelloLength: "1781",
    tlsClientRandom: "Yp2pLPiuQ1v8vhqPt0nWvk8qYz1xkXw8n0o5hYcQ2mE=",
    asOrganization: "Documentation Network",
    city: place?.city,
    region: place?.region,
    regionCode: place?.regionCode,
    postalCode: "97201",
    metroCode: "820",
    timezone: "America/Los_Angeles",
    colo: place?.colo,
    edgeRequestKeepAliveStatus: 1,
    requestPriority: "weight=256;exclusive=1",
    httpProtocol: "HTTP/2",
    edgeL4: { deliveryRate: 1_250_000 },
  };
}

const TLS_CLIENT_AUTH = {
  certIssuerDNLegacy: "",
  certIssuerSKI: "",
  certSubjectDNRFC2253: "",
  certSubjectDNLegacy: "",
  certFingerprintSHA256: "",
  certNotBefore: "",
  certSKI: "",
  certSerial: "",
  certIssuerDN: "",
  certVerified: "NONE",
  certNotAfter: "",
  certSubjectDN: "",
  certPresented: "0",
  certRevoked: "0",
  certIssuerSerial: "",
  certIssuerDNRFC2253: "",
  certFingerprintSHA1: "",
};

/** Header values are bytes to HTTP: anything beyond ASCII travels as a JSON escape. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replaceAll(
    /[^\u0020-\u007e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const VISITORS = 64;

/** Names and values in turn, as undici takes them, for each visitor. */
export const VISITOR_HEADERS: readonly (readonly string[])[] = Array.from({ length: VISITORS }, (_, index) =>
  Object.entries(visitorHeaders(index)).flat(),
);
