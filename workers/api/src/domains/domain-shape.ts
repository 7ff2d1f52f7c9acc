/** The shapes of short domains in requests and answers. */
import { z } from "@hono/zod-openapi";
import { MAX_DESTINATION_LENGTH } from "@hopline/core/link/destination-url";
import { RedirectStatusBody } from "../redirect-status-shape.ts";
import { entityIdParam, toPublicId } from "../http/entity-id.ts";
import { flagParam } from "../http/query-parameters.ts";
import { orNull } from "../http/or-null.ts";
import { plainText } from "../http/text-shape.ts";
import { toInstant, toInstantOrNull } from "../instant.ts";
import { DefaultsField, readDefaults } from "../link-defaults-shape.ts";
import { ClicksField } from "../removed-clicks.ts";
import { type StoredSuspension, SuspensionBody, toSuspension } from "./suspension.ts";
import type { StoredDomain } from "./domain-store.ts";
import { GRACE_MS, proofRecordOf, SEEN } from "./proof.ts";

/** host-name.ts says what is wrong with a long one. */
const MAX_HOST_TEXT_LENGTH = 1_000;
const MAX_TITLE_LENGTH = 100;

export const DomainParams = z.object({ domainId: entityIdParam("dom") });

export const DeleteDomainQuery = z.object({
  links: flagParam("Delete its links as well."),
  clicks: ClicksField,
});

/** A URL that a domain redirects to. change-domain.ts checks it. */
const DomainUrl = z.string().max(MAX_DESTINATION_LENGTH).openapi({ format: "uri" });

const settingFields = {
  rootUrl: DomainUrl.nullable().openapi({ description: "Where `/` redirects." }),
  notFoundUrl: DomainUrl.nullable().openapi({
    description: "Where an unknown link redirects; a 404 page without it.",
  }),
  endedUrl: DomainUrl.nullable().openapi({
    description: "Where an ended link without a fallback of its own redirects; a 410 page without it.",
  }),
  ignoresCase: z.boolean().openapi({
    description:
      "Slugs are stored in lower case and found in any case. Can't be turned on while a slug has capitals.",
  }),
  redirectStatus: RedirectStatusBody.nullable().openapi({
    description: "For links without a status of their own, existing ones included.",
  }),
  title: plainText(MAX_TITLE_LENGTH)
    .min(1)
    .nullable()
    .openapi({ description: "Your name on the domain's pages." }),
  homeUrl: DomainUrl.nullable().openapi({ description: "The link on the domain's pages." }),
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, "must be a colour such as #0b7a75")
    .nullable()
    .openapi({
      example: "#0b7a75",
      description: "The colour of the domain's pages; their text stays readable on any.",
    }),
  imprintUrl: DomainUrl.nullable().openapi({ description: "Who runs the domain: on its pages." }),
  privacyUrl: DomainUrl.nullable().openapi({ description: "What becomes of visitors' data: on its pages." }),
  reportUrl: DomainUrl.nullable().openapi({ description: "Where visitors report a link: on its pages." }),
  hasPublicQr: z.boolean().openapi({
    description: "Whether everybody may load the QR codes of its links, from `/api/qr/{host}/{slug}`.",
  }),
  defaults: DefaultsField.refine((defaults) => (defaults?.redirectStatus ?? null) === null, {
    path: ["redirectStatus"],
    message: "is not a default of domains: set the domain's own redirectStatus, which its links follow",
  }),
};

export const DomainSettings = z.object(settingFields);
export type DomainSettings = z.infer<typeof DomainSettings>;

const NO_SETTINGS: DomainSettings = {
  rootUrl: null,
  notFoundUrl: null,
  endedUrl: null,
  ignoresCase: false,
  redirectStatus: null,
  title: null,
  homeUrl: null,
  color: null,
  imprintUrl: null,
  privacyUrl: null,
  reportUrl: null,
  hasPublicQr: true,
  defaults: null,
};

/** What `domains.settings` holds. Settings that do not have this shape count as none. */
export function readSettings(value: unknown): DomainSettings {
  const { defaults, ...settings }: Partial<DomainSettings> = Object(value);
  const parsed = DomainSettings.safeParse({ ...NO_SETTINGS, ...settings });
  return parsed.success ? { ...parsed.data, defaults: readDefaults(defaults) } : NO_SETTINGS;
}

export const CreateDomainBody = z
  .strictObject({
    host: z.string().max(MAX_HOST_TEXT_LENGTH).openapi({
      example: "go.example.com",
      description: "Stored in lower case, in the ASCII form of internationalised names.",
    }),
  })
  .openapi("CreateDomain");

const ProofBody = z
  .object({
    record: z.object({ type: z.literal("TXT"), name: z.string(), value: z.string() }).openapi({
      description: "Add this to the DNS of the host. It has to stay there: it is looked up every day.",
      example: {
        type: "TXT",
        name: "_hopline.go.example.com",
        value: "hopline=8d0f6a3c5b1e47f29a6c0d4e8b7f1a23",
      },
    }),
    by: z.enum(["dns", "operator"]).nullable().openapi({
      description: "`operator`: vouched for by the operator of this deployment; the record is not needed.",
    }),
    provedAt: z.iso.datetime().nullable(),
    checkedAt: z.iso.datetime().nullable().openapi({ description: "When the record was last looked up." }),
    seen: z.enum(SEEN).nullable().openapi({
      description:
        "What that saw. `wrong`: other texts, without this value. `unavailable`: DNS gave no answer, which changes nothing.",
    }),
    missingSince: z.iso.datetime().nullable(),
    endsAt: z.iso.datetime().nullable().openapi({
      description: "The record is gone. Unless it is back by then, the domain is `pending` again.",
    }),
    isTaken: z.boolean().openapi({
      description: "Another workspace has proved this host. This one can't have it while that lasts.",
    }),
  })
  .openapi("DomainProof");

const CustomHostnameBody = z
  .object({
    hostname: z.string().openapi({ example: "pending" }),
    certificate: z.string().nullable().openapi({ example: "pending_validation" }),
    errors: z.array(z.string()),
  })
  .openapi("CustomHostname", { description: "The host at Cloudflare, in Cloudflare's words." });

const LogoBody = z
  .object({ width: z.number().int(), height: z.number().int(), updatedAt: z.iso.datetime() })
  .openapi("DomainLogo", {
    description:
      "The picture in the QR codes of its links, in pixels as it is kept: `/domains/{domainId}/logo`.",
  });

export const DomainBody = z
  .object({
    id: z.string().openapi({ example: "dom_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    host: z.string(),
    status: z.enum(["pending", "active"]).openapi({
      description: "`pending`: not proved. It takes no links and no settings, and visitors get a 404.",
    }),
    proof: ProofBody,
    customHostname: orNull(CustomHostnameBody).openapi({
      description: "`null` for hosts that Cloudflare was not asked about: see the deployment's operator.",
    }),
    rootUrl: z.string().nullable(),
    notFoundUrl: z.string().nullable(),
    endedUrl: z.string().nullable(),
    ignoresCase: z.boolean(),
    redirectStatus: RedirectStatusBody.nullable(),
    title: z.string().nullable(),
    homeUrl: z.string().nullable(),
    color: z.string().nullable(),
    imprintUrl: z.string().nullable(),
    privacyUrl: z.string().nullable(),
    reportUrl: z.string().nullable(),
    hasPublicQr: z.boolean(),
    defaults: DefaultsField,
    logo: orNull(LogoBody),
    suspension: orNull(SuspensionBody),
    createdAt: z.iso.datetime(),
  })
  .openapi("Domain");

/** As messages show it: from its own row, as that was when it happened. */
export const AnnouncedDomainBody = DomainBody.omit({ logo: true, suspension: true, defaults: true }).openapi(
  "AnnouncedDomain",
);

export const changeableDomain = DomainSettings.partial();
export type UpdateDomain = z.infer<typeof changeableDomain>;

/** These move on with each look at DNS and at Cloudflare, and with another logo. */
export const MOVING = [
  ...["by", "provedAt", "checkedAt", "seen", "missingSince", "endsAt", "isTaken"].map(
    (name) => `proof.${name}`,
  ),
  "customHostname",
  "logo",
  "suspension",
];

export function toDomain(stored: StoredDomain) {
  const { defaults } = readSettings(stored.settings);
  return {
    ...toAnnouncedDomain(stored),
    defaults,
    logo: toLogo(stored.logo),
    suspension: toSuspension(stored),
  };
}

export function toAnnouncedDomain(stored: Omit<StoredDomain, "logo" | keyof StoredSuspension>) {
  const { defaults: _ofNewLinks, ...settings } = readSettings(stored.settings);
  return {
    id: toPublicId("dom", stored.id),
    host: stored.host,
    status: stored.proof === "pending" ? ("pending" as const) : ("active" as const),
    proof: toProof(stored),
    customHostname: CustomHostnameBody.safeParse(stored.customHostname).data ?? null,
    ...settings,
    createdAt: toInstant(stored.createdAtMs),
  };
}

function toLogo(stored: StoredDomain["logo"]) {
  if (stored === null) {
    return null;
  }
  const { updatedAtMs, ...size } = stored;
  return { ...size, updatedAt: toInstant(updatedAtMs) };
}

const PROVED_BY = { pending: null, dns: "dns", vouched: "operator" } as const;

function toProof(stored: Omit<StoredDomain, "logo" | keyof StoredSuspension>) {
  const { missingSinceMs } = stored;
  return {
    record: { type: "TXT" as const, ...proofRecordOf(stored) },
    by: PROVED_BY[stored.proof],
    provedAt: toInstantOrNull(stored.provedAtMs),
    checkedAt: toInstantOrNull(stored.checkedAtMs),
    seen: stored.seen,
    missingSince: toInstantOrNull(missingSinceMs),
    endsAt: toInstantOrNull(missingSinceMs === null ? null : missingSinceMs + GRACE_MS),
    isTaken: stored.isTaken,
  };
}

export const VerificationBody = z
  .object({
    domain: DomainBody,
    seen: z.enum(SEEN),
    pointing: z
      .object({
        target: z.string().nullable().openapi({
          description: "Where the host must lead, by a CNAME; `null` if the operator has not said it.",
          example: "origin.hopline.example",
        }),
        seen: z.enum(SEEN).nullable().openapi({
          description: "`wrong`: it leads elsewhere. `null`: there is no target to compare with.",
        }),
        found: z
          .array(z.string())
          .openapi({ description: "Names and addresses that it leads to: up to 10." }),
      })
      .openapi({ description: "Where the host itself leads." }),
    texts: z.array(z.string()).openapi({ description: "What is at the record's name: up to 10 texts." }),
    reason: z.string().nullable().openapi({
      description: "Why DNS gave no answer.",
      example: "the resolver did not answer in time",
    }),
  })
  .openapi("DomainVerification");
