/** Which URLs messages may go to. */
import { describe, expect, it } from "vitest";
import { checkEndpointUrl, isLocalStack } from "../../src/webhooks/endpoint-url.ts";

const OWN = ["go.example.com", "go.example.com:8443"];
const check = (url: string, isLocal = false) => checkEndpointUrl(url, { isLocal }, OWN);

describe("a deployment sends nothing near itself", () => {
  it.each([
    ["http://hooks.example.com/", "is not encrypted"],
    ["ftp://hooks.example.com/", "is not an absolute URL"],
    ["/hook", "is not an absolute URL"],
    ["https://", "is not an absolute URL"],
    ["https://user:password@hooks.example.com/", "has a user or a password"],
    ["https://user@hooks.example.com/", "has a user or a password"],
    ["https://hooks.example.com/#part", "has a fragment"],
    ["https://go.example.com/hook", "leads back to this deployment"],
    ["https://GO.example.com:443/hook", "leads back to this deployment"],
    ["https://go.example.com:8443/hook", "leads back to this deployment"],
    ["https://go.example.com:2053/hook", "leads back to this deployment"],
    ["https://go.example.com./hook", "leads back to this deployment"],
    ["https://go.example.com../hook", "leads back to this deployment"],
    ["https://127.0.0.1/", "does not name a public host"],
    ["https://2130706433/", "does not name a public host"],
    ["https://0x7f.1/", "does not name a public host"],
    ["https://169.254.169.254/latest/meta-data", "does not name a public host"],
    ["https://10.0.0.1.:443/", "does not name a public host"],
    ["https://[::1]/", "does not name a public host"],
    ["https://[fd00::1]/", "does not name a public host"],
    ["https://localhost/", "does not name a public host"],
    ["https://LOCALHOST./", "does not name a public host"],
    ["https://localhost../", "does not name a public host"],
    ["https://intranet./", "does not name a public host"],
    ["https://./", "does not name a public host"],
    ["https://\uff11\uff12\uff17.1/", "does not name a public host"],
    ["https://[::ffff:127.0.0.1]/", "does not name a public host"],
    ["https://a.localhost/", "does not name a public host"],
    ["https://printer.local/", "does not name a public host"],
    ["https://metadata.google.internal/", "does not name a public host"],
    ["https://router.home.arpa/", "does not name a public host"],
    ["https://intranet/", "does not name a public host"],
    [`https://hooks.example.com/${"a".repeat(2_000)}`, "is too long"],
  ])("%s", (url, reason) => {
    const checked = check(url);
    expect([checked.isAllowed, checked.isAllowed ? "" : checked.message]).toEqual([
      false,
      expect.stringContaining(reason),
    ]);
  });
});

it.each([
  ["https://hooks.example.com", "https://hooks.example.com/"],
  ["https://hooks.example.com:8443/a?token=b", "https://hooks.example.com:8443/a?token=b"],
  ["https://bücher.example/", "https://xn--bcher-kva.example/"],
  ["https://hooks.example.com./a", "https://hooks.example.com/a"],
])("%s is a receiver, as %s", (text, url) => {
  expect(check(text)).toEqual({ isAllowed: true, url });
});

it("the local stack has receivers on the same machine, and no other stack has", () => {
  expect(check("http://127.0.0.1:9000/hook", true)).toMatchObject({ isAllowed: true });
  expect(check("http://localhost:9000/hook", true)).toMatchObject({ isAllowed: true });
  expect(
    ["http://127.0.0.1:5432/sql", "http://localhost:1/sql", "", "https://ep-x.neon.tech/sql"].map(
      isLocalStack,
    ),
  ).toEqual([true, true, false, false]);
});
