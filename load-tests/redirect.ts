/**
 * k6: asks for known short links at a steady rate and checks every answer. Runs on k6 1.8:
 *
 *   k6 run -e BASE_URL=http://127.0.0.1:8787 -e SLUGS=docs,spring load-tests/redirect.ts
 *
 * RATE (redirects a second, 50) and DURATION (10s) may be given too. The exit code is the verdict.
 */
import { check } from "k6";
import http from "k6/http";
import type { Options } from "k6/options";

const baseUrl = __ENV["BASE_URL"] ?? "http://127.0.0.1:8787";
const slugs = (__ENV["SLUGS"] ?? "docs").split(",");

export const options: Options = {
  discardResponseBodies: true,
  scenarios: {
    steady: {
      executor: "constant-arrival-rate",
      rate: Number(__ENV["RATE"] ?? "50"),
      timeUnit: "1s",
      duration: __ENV["DURATION"] ?? "10s",
      preAllocatedVUs: 20,
      maxVUs: 200,
    },
  },
  thresholds: {
    checks: ["rate==1"],
    dropped_iterations: ["count==0"],
  },
};

export default function redirect(): void {
  const slug = slugs[Math.floor(Math.random() * slugs.length)] ?? "docs";
  const response = http.get(`${baseUrl}/${slug}`, { redirects: 0 });
  check(response, {
    "is a 302": ({ status }) => status === 302,
    "names a destination": ({ headers }) => (headers["Location"] ?? "") !== "",
  });
}
