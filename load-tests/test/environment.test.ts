import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseLoadZones, readCloudOptions, zoneThresholds } from "../script/load-zones.ts";
import { parseDurationSeconds, readSettings } from "../script/settings.ts";

describe("LOAD_ZONES", () => {
  it("names zones with their shares", () => {
    expect(parseLoadZones("amazon:us:ashburn=50, amazon:br:sao paulo=50")).toEqual({
      "amazon:us:ashburn": { loadZone: "amazon:us:ashburn", percent: 50 },
      "amazon:br:sao paulo": { loadZone: "amazon:br:sao paulo", percent: 50 },
    });
  });

  it.each([
    ["amazon:us:ashburn", "should read like"],
    ["amazon:us:ashburn=half", "should read like"],
    ["ashburn=100", "should read like"],
    ["amazon:us:ashburn=100,", "should read like"],
    ["amazon:us:ashburn=50,amazon:us:ashburn=50", "twice"],
    ["amazon:us:ashburn=50,amazon:de:frankfurt=40", "add up to 90 %"],
    ["amazon:us:ashburn=0", "add up to 0 %"],
  ])("%s is refused", (text, reason) => {
    expect(() => parseLoadZones(text)).toThrow(reason);
  });
});

describe("the cloud options", () => {
  it("leave project and zones to k6 where the environment names none", () => {
    expect(readCloudOptions({}, "redirect")).toEqual({ name: "Hopline redirect" });
  });

  it("take both from the environment", () => {
    const environment = { K6_CLOUD_PROJECT_ID: "123", LOAD_ZONES: "amazon:de:frankfurt=100" };
    expect(readCloudOptions(environment, "burst")).toEqual({
      name: "Hopline burst",
      projectID: 123,
      distribution: { "amazon:de:frankfurt": { loadZone: "amazon:de:frankfurt", percent: 100 } },
    });
  });

  it("come from addresses that a firewall can be told, if asked to", () => {
    expect(readCloudOptions({ STATIC_IPS: "1" }, "redirect")).toMatchObject({ staticIPs: true });
  });

  it("have bars for each zone, and stop a run that one of them answers wrongly", () => {
    const cloud = readCloudOptions({ LOAD_ZONES: "amazon:us:ashburn=50,amazon:de:frankfurt=50" }, "redirect");
    const bars = zoneThresholds(cloud, { p95Ms: 100, p99Ms: 300 });
    expect(Object.keys(bars)).toHaveLength(4);
    expect(bars["http_req_duration{scenario:steady,load_zone:amazon:us:ashburn}"]).toEqual([
      "p(95)<100",
      "p(99)<300",
    ]);
    expect(bars["checks{load_zone:amazon:de:frankfurt}"]).toEqual([
      "rate>0.999",
      { threshold: "rate>0.9", abortOnFail: true, delayAbortEval: "60s" },
    ]);
    expect(zoneThresholds(readCloudOptions({}, "redirect"), { p95Ms: 100, p99Ms: 300 })).toEqual({});
  });

  // k6 itself reads what it is given, without a request.
  const k6 = ["k6", join(homedir(), "go/bin/k6")].find((path) => spawnSync(path, ["version"]).status === 0);
  it.skipIf(k6 === undefined).each(["redirect", "burst", "scan", "mixed", "soak"])(
    "of %s are what k6 understands",
    (script) => {
      const path = fileURLToPath(new URL(`../${script}.ts`, import.meta.url));
      const set = {
        LOAD_ZONES: "amazon:us:ashburn=50,amazon:de:frankfurt=50",
        STATIC_IPS: "1",
        K6_CLOUD_PROJECT_ID: "7",
      };
      const env = Object.entries(set).flatMap(([name, text]) => ["-e", `${name}=${text}`]);
      const { status, stdout, stderr } = spawnSync(
        k6 ?? "",
        ["inspect", "--execution-requirements", ...env, path],
        {
          encoding: "utf8",
        },
      );
      expect(status, stderr).toBe(0);
      const options = JSON.parse(stdout);
      expect(options.cloud).toMatchObject({ projectID: 7, staticIPs: true });
      expect(Object.values(options.cloud.distribution)).toHaveLength(2);
      const zones = Object.keys(options.thresholds).filter((metric) => metric.includes("load_zone:amazon:"));
      expect(zones).toHaveLength(4);
      const steady = ["p(95)<100", "p(99)<300", "p(99.9)<500"];
      expect(options.thresholds).toMatchObject(
        script === "redirect" ? { "http_req_duration{scenario:steady}": steady } : {},
      );
    },
  );

  it("refuse a project that is no number", () => {
    expect(() => readCloudOptions({ K6_CLOUD_PROJECT_ID: "mine" }, "redirect")).toThrow(
      "K6_CLOUD_PROJECT_ID",
    );
  });
});

describe("the settings", () => {
  const defaults = { rate: 200, duration: "60s", p95Ms: 100 };

  it("are the script's own where the environment has no value, or an empty one", () => {
    const settings = readSettings({ RATE: "" }, defaults);
    expect(settings).toMatchObject({ baseUrl: "http://127.0.0.1:8787", rate: 200, durationSeconds: 60 });
    expect(settings).toMatchObject({ linkCount: 20_000, isLocalEdge: false, p95Ms: 100, apiKey: null });
  });

  it("come from the environment", () => {
    const environment = {
      BASE_URL: "https://go.example.com/",
      RATE: "1500",
      DURATION: "5m",
      LOCAL_EDGE: "1",
    };
    expect(readSettings(environment, defaults)).toMatchObject({
      baseUrl: "https://go.example.com",
      rate: 1_500,
      durationSeconds: 300,
      isLocalEdge: true,
    });
  });

  it("have the slower bar of a ramp where links are warm", () => {
    expect(readSettings({ WARM: "1" }, defaults)).toMatchObject({ isWarm: true, p95Ms: 500 });
    expect(readSettings({ WARM: "1", P95_MS: "80" }, defaults).p95Ms).toBe(80);
  });

  it.each([
    [{ RATE: "0" }, "RATE"],
    [{ RATE: "12.5" }, "RATE"],
    [{ RATE: "fast" }, "RATE"],
    [{ LINKS: "100001" }, "LINKS"],
    [{ DURATION: "60" }, "DURATION"],
    [{ DURATION: "0s" }, "DURATION"],
    [{ BASE_URL: "go.example.com" }, "BASE_URL"],
    [{ BASE_URL: "https://go.example.com/path" }, "BASE_URL"],
  ])("stop the script at %j", (environment, name) => {
    expect(() => readSettings(environment, defaults)).toThrow(name);
  });

  it.each([
    ["90s", 90],
    ["1m30s", 90],
    ["2h", 7_200],
    ["1h1m1s", 3_661],
  ])("read %s as %i seconds", (text, seconds) => {
    expect(parseDurationSeconds(text)).toBe(seconds);
  });
});
