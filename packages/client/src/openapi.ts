/**
 * Written by `pnpm types` from the API's routes. Not edited by hand: `pnpm check` compares.
 *
 * The operations of the API with their parameters, bodies and answers, and its schemas.
 */

/** Method and path by operation; `once`: it takes an Idempotency-Key, and sent again with the same one makes nothing twice. */
export const OPERATIONS = {
  createLink: "POST /api/v1/links once",
  listLinks: "GET /api/v1/links",
  upsertLink: "POST /api/v1/links/upsert once",
  createLinks: "POST /api/v1/links/bulk once",
  deleteLinks: "POST /api/v1/links/bulk/delete once",
  updateLinks: "POST /api/v1/links/bulk/update once",
  importLinks: "POST /api/v1/links/import once",
  exportLinks: "GET /api/v1/links/export",
  countLinks: "GET /api/v1/links/count",
  listTrash: "GET /api/v1/links/trash",
  restoreLinks: "POST /api/v1/links/bulk/restore once",
  checkSlug: "GET /api/v1/links/available",
  readVocabularies: "GET /api/v1/vocabularies",
  createTag: "POST /api/v1/tags once",
  listTags: "GET /api/v1/tags",
  createFolder: "POST /api/v1/folders once",
  listFolders: "GET /api/v1/folders",
  createDomain: "POST /api/v1/domains once",
  listDomains: "GET /api/v1/domains",
  createKey: "POST /api/v1/keys once",
  listKeys: "GET /api/v1/keys",
  createWebhook: "POST /api/v1/webhooks once",
  listWebhooks: "GET /api/v1/webhooks",
  readUsage: "GET /api/v1/usage",
  exportAuditLog: "GET /api/v1/audit-log.csv",
  listAuditLog: "GET /api/v1/audit-log",
  listOwnAuditLog: "GET /api/v1/me/audit-log",
  createWorkspace: "POST /api/v1/workspaces once",
  listWorkspaces: "GET /api/v1/workspaces",
  acceptInvitation: "POST /api/auth/invitation",
  readInvitationDetails: "POST /api/auth/invitation/details",
  deleteMe: "DELETE /api/v1/me",
  readMe: "GET /api/v1/me",
  updateMe: "PATCH /api/v1/me",
  setPassword: "PUT /api/v1/me/password",
  changeEmail: "POST /api/v1/me/email once",
  confirmEmail: "POST /api/v1/me/email/confirm",
  createPasskey: "POST /api/v1/me/passkeys",
  listPasskeys: "GET /api/v1/me/passkeys",
  createPasskeyOptions: "POST /api/v1/me/passkeys/options",
  requestPasskey: "POST /api/auth/passkey/options",
  signInWithPasskey: "POST /api/auth/passkey",
  listSignInMethods: "GET /api/v1/me/sign-in-methods",
  deleteOtherSessions: "DELETE /api/v1/sessions",
  listSessions: "GET /api/v1/sessions",
  openSignInLink: "POST /api/auth/link/open",
  requestSignInLink: "POST /api/auth/link",
  signIn: "POST /api/auth/sign-in",
  signOut: "POST /api/auth/sign-out",
  readSignInOptions: "GET /api/auth/options",
  startSignIn: "POST /api/auth/provider",
  setUp: "POST /api/auth/set-up",
  compareWithPeriodBefore: "GET /api/v1/analytics/compare",
  readTimeseries: "GET /api/v1/analytics/timeseries",
  readTotals: "GET /api/v1/analytics/totals",
  readBreakdown: "GET /api/v1/analytics/breakdown",
  readLines: "GET /api/v1/analytics/lines",
  suggestValues: "GET /api/v1/analytics/values",
  listClicks: "GET /api/v1/analytics/events",
  exportClicks: "GET /api/v1/analytics/events.csv",
  readOverview: "GET /api/v1/analytics/overview",
  streamLiveClicks: "GET /api/v1/analytics/live",
  readIntegrity: "GET /api/v1/integrity",
  listAnyWorkspaces: "GET /api/v1/operators/workspaces",
  lookUpLink: "POST /api/v1/operators/look-ups once",
  readHealth: "GET /api/health",
  readMetrics: "GET /api/metrics",
  deleteLink: "DELETE /api/v1/links/{linkId}",
  readLink: "GET /api/v1/links/{linkId}",
  updateLink: "PATCH /api/v1/links/{linkId}",
  listAliases: "GET /api/v1/links/{linkId}/aliases",
  listLinkHistory: "GET /api/v1/links/{linkId}/history",
  copyRules: "POST /api/v1/links/{linkId}/rules/copy once",
  publishLink: "POST /api/v1/links/{linkId}/publish once",
  readCacheStatus: "GET /api/v1/links/{linkId}/cache-status",
  resolveLink: "POST /api/v1/links/{linkId}/resolve once",
  readQrCode: "GET /api/v1/links/{linkId}/qr",
  deleteTag: "DELETE /api/v1/tags/{tag}",
  readTag: "GET /api/v1/tags/{tag}",
  updateTag: "PATCH /api/v1/tags/{tag}",
  deleteFolder: "DELETE /api/v1/folders/{folderId}",
  readFolder: "GET /api/v1/folders/{folderId}",
  updateFolder: "PATCH /api/v1/folders/{folderId}",
  deleteDomain: "DELETE /api/v1/domains/{domainId}",
  readDomain: "GET /api/v1/domains/{domainId}",
  updateDomain: "PATCH /api/v1/domains/{domainId}",
  verifyDomain: "POST /api/v1/domains/{domainId}/verify once",
  readMissedVisits: "GET /api/v1/domains/{domainId}/missed-visits",
  deleteDomainLogo: "DELETE /api/v1/domains/{domainId}/logo",
  readDomainLogo: "GET /api/v1/domains/{domainId}/logo",
  setDomainLogo: "PUT /api/v1/domains/{domainId}/logo",
  readKey: "GET /api/v1/keys/{keyId}",
  revokeKey: "DELETE /api/v1/keys/{keyId}",
  updateKey: "PATCH /api/v1/keys/{keyId}",
  rotateKey: "POST /api/v1/keys/{keyId}/rotate once",
  deleteWebhook: "DELETE /api/v1/webhooks/{webhookId}",
  readWebhook: "GET /api/v1/webhooks/{webhookId}",
  updateWebhook: "PATCH /api/v1/webhooks/{webhookId}",
  readWebhookStats: "GET /api/v1/webhooks/{webhookId}/stats",
  rotateWebhookSecret: "POST /api/v1/webhooks/{webhookId}/rotate once",
  testWebhook: "POST /api/v1/webhooks/{webhookId}/test once",
  listWebhookDeliveries: "GET /api/v1/webhooks/{webhookId}/deliveries",
  replayWebhook: "POST /api/v1/webhooks/{webhookId}/replay once",
  deleteWorkspace: "DELETE /api/v1/workspaces/{workspaceId}",
  readWorkspace: "GET /api/v1/workspaces/{workspaceId}",
  updateWorkspace: "PATCH /api/v1/workspaces/{workspaceId}",
  leaveWorkspace: "POST /api/v1/workspaces/{workspaceId}/leave",
  listMembers: "GET /api/v1/workspaces/{workspaceId}/members",
  createInvitation: "POST /api/v1/workspaces/{workspaceId}/invitations once",
  listInvitations: "GET /api/v1/workspaces/{workspaceId}/invitations",
  deletePasskey: "DELETE /api/v1/me/passkeys/{passkeyId}",
  readPasskey: "GET /api/v1/me/passkeys/{passkeyId}",
  updatePasskey: "PATCH /api/v1/me/passkeys/{passkeyId}",
  deleteSignInMethod: "DELETE /api/v1/me/sign-in-methods/{accountId}",
  deleteSession: "DELETE /api/v1/sessions/{sessionId}",
  readAnyWorkspace: "GET /api/v1/operators/workspaces/{workspaceId}",
  setLimits: "PUT /api/v1/operators/workspaces/{workspaceId}/limits",
  suspendDomain: "PUT /api/v1/operators/domains/{domainId}/suspension",
  suspendWorkspace: "PUT /api/v1/operators/workspaces/{workspaceId}/suspension",
  deleteAlias: "DELETE /api/v1/links/{linkId}/aliases/{alias}",
  revertLink: "POST /api/v1/links/{linkId}/history/{version}/revert once",
  readPublicQrCode: "GET /api/qr/{host}/{slug}",
  deleteMember: "DELETE /api/v1/workspaces/{workspaceId}/members/{memberId}",
  readMember: "GET /api/v1/workspaces/{workspaceId}/members/{memberId}",
  updateMember: "PATCH /api/v1/workspaces/{workspaceId}/members/{memberId}",
  deleteInvitation: "DELETE /api/v1/workspaces/{workspaceId}/invitations/{invitationId}",
  readInvitation: "GET /api/v1/workspaces/{workspaceId}/invitations/{invitationId}",
} as const satisfies { readonly [Name in keyof operations]: string };

export interface components {
    schemas: {
        Link: {
            /** @example lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            domain: string;
            /** @example dom_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            domainId: string;
            slug: string;
            /** Format: uri */
            shortUrl: string;
            url: string;
            /**
             * @description `live`, `disabled` and `archived` are set with PATCH. Of a live link, `scheduled` says that it has not started, `expired` and `used-up` that it has ended.
             * @enum {string}
             */
            status: "live" | "scheduled" | "disabled" | "archived" | "expired" | "used-up";
            /**
             * @description The status that visitors get.
             * @enum {integer}
             */
            redirectStatus: 301 | 302 | 307 | 308;
            /** @description If false, the link follows its domain's default. */
            hasOwnRedirectStatus: boolean;
            title: string | null;
            tags: string[];
            folderId: string | null;
            externalId: string | null;
            /** @description Former slugs of the link, oldest first. They lead to it and count its clicks until they are released, or the link is deleted. */
            aliases: string[];
            rules: components["schemas"]["Rule"][];
            split: components["schemas"]["Variant"][] | null;
            next: components["schemas"]["NextDestination"];
            /** Format: date-time */
            startsAt: string | null;
            /** Format: date-time */
            expiresAt: string | null;
            expiredUrl: string | null;
            hasPassword: boolean;
            cap: {
                /**
                 * @description `strict`: never more than `maxClicks` redirects. Each asks the database first, and none happens while the database is down. `fast`: no delay for visitors. Clicks are counted as they are stored, and the link ends when the count reaches `maxClicks`; the overshoot is at most the rate of visits times the delay of queue and change feed, usually some seconds.
                 * @enum {string}
                 */
                mode: "strict" | "fast";
                maxClicks: number;
                used: number;
            } | null;
            /** @enum {string} */
            forwardQuery: "none" | "visitor-wins" | "link-wins";
            utm: components["schemas"]["Utm"];
            openGraph: components["schemas"]["OpenGraph"];
            qr: components["schemas"]["QrDesign"];
            clicks: {
                human: number;
                total: number;
            };
            /** Format: date-time */
            lastClickedAt: string | null;
            version: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * @description Only in the answer to its creation: the fields that defaults filled, and whose defaults. They are the link's own from then on.
             * @example [
             *       {
             *         "field": "utm.source",
             *         "from": "folder"
             *       }
             *     ]
             */
            filled?: {
                field: string;
                /** @enum {string} */
                from: "workspace" | "domain" | "folder";
            }[];
        };
        Rule: {
            id: string;
            /** @description For people. */
            name?: string;
            /** @description `false`: switched off. It stays with the link, and no visitor is asked. */
            enabled?: boolean;
            when: components["schemas"]["RuleConditions"];
            to: {
                url: string;
            } | {
                split: components["schemas"]["Variant"][];
            } | {
                /** @enum {boolean} */
                block: true;
            };
        };
        /** @description All fields must match; of a list, any item. */
        RuleConditions: {
            country?: string[];
            continent?: string[];
            /** @description ISO 3166-2: `US-CA`. */
            region?: string[];
            /** @description As Cloudflare names them, in any case, with or without accents; with `country` or `region` beside it. Not known of who sends `Sec-GPC` or `DNT`. */
            city?: string[];
            language?: string[];
            referrer?: string[];
            device?: string[];
            os?: string[];
            browser?: string[];
            /** @enum {string} */
            visitor?: "bot" | "human";
            query?: {
                name: string;
                values?: string[];
            }[];
            /** @description From `start` (inclusive) to `end` (exclusive), local time of the IANA `zone`. A `start` after the `end` makes the range wrap midnight; the hours after midnight belong to the weekday on which it started. When clocks go forward, the skipped hour does not match; when they go back, the repeated hour matches twice. */
            time?: {
                zone?: string;
                days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                start?: string;
                end?: string;
                /**
                 * Format: date-time
                 * @example 2027-01-01T00:00:00Z
                 */
                from?: string;
                /**
                 * Format: date-time
                 * @example 2027-01-01T00:00:00Z
                 */
                until?: string;
            };
        };
        Variant: {
            id: string;
            url: string;
            weight: number;
        };
        NextDestination: {
            url: string;
            /**
             * Format: date-time
             * @example 2027-01-01T00:00:00Z
             */
            activateAt: string;
        } | null;
        Utm: {
            source?: string;
            medium?: string;
            campaign?: string;
            term?: string;
            content?: string;
            id?: string;
        } | null;
        /** @description Shown to social crawlers. People are redirected. */
        OpenGraph: {
            title?: string;
            description?: string;
            image?: string;
        } | null;
        /** @description How people want the link's QR code, by the parameters of its image. What is left out is as it is there. */
        QrDesign: {
            color?: string;
            background?: string;
            margin?: number;
            /** @enum {string} */
            dots?: "square" | "round";
            /** @enum {string} */
            eyes?: "square" | "round";
            logo?: boolean;
        } | null;
        AnnouncedDomain: {
            /** @example dom_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            host: string;
            /**
             * @description `pending`: not proved. It takes no links and no settings, and visitors get a 404.
             * @enum {string}
             */
            status: "pending" | "active";
            proof: components["schemas"]["DomainProof"];
            /** @description `null` for hosts that Cloudflare was not asked about: see the deployment's operator. */
            customHostname: components["schemas"]["CustomHostname"] | null;
            rootUrl: string | null;
            notFoundUrl: string | null;
            endedUrl: string | null;
            ignoresCase: boolean;
            /** @enum {integer|null} */
            redirectStatus: 301 | 302 | 307 | 308 | null;
            title: string | null;
            homeUrl: string | null;
            color: string | null;
            imprintUrl: string | null;
            privacyUrl: string | null;
            reportUrl: string | null;
            hasPublicQr: boolean;
            /** Format: date-time */
            createdAt: string;
        };
        DomainProof: {
            /**
             * @description Add this to the DNS of the host. It has to stay there: it is looked up every day.
             * @example {
             *       "type": "TXT",
             *       "name": "_hopline.go.example.com",
             *       "value": "hopline=8d0f6a3c5b1e47f29a6c0d4e8b7f1a23"
             *     }
             */
            record: {
                /** @enum {string} */
                type: "TXT";
                name: string;
                value: string;
            };
            /**
             * @description `operator`: vouched for by the operator of this deployment; the record is not needed.
             * @enum {string|null}
             */
            by: "dns" | "operator" | null;
            /** Format: date-time */
            provedAt: string | null;
            /**
             * Format: date-time
             * @description When the record was last looked up.
             */
            checkedAt: string | null;
            /**
             * @description What that saw. `wrong`: other texts, without this value. `unavailable`: DNS gave no answer, which changes nothing.
             * @enum {string|null}
             */
            seen: "found" | "missing" | "wrong" | "unavailable" | null;
            /** Format: date-time */
            missingSince: string | null;
            /**
             * Format: date-time
             * @description The record is gone. Unless it is back by then, the domain is `pending` again.
             */
            endsAt: string | null;
            /** @description Another workspace has proved this host. This one can't have it while that lasts. */
            isTaken: boolean;
        };
        /** @description The host at Cloudflare, in Cloudflare's words. */
        CustomHostname: {
            /** @example pending */
            hostname: string;
            /** @example pending_validation */
            certificate: string | null;
            errors: string[];
        };
        /** @description `null`: unknown. Addresses and user agents are not stored. */
        Click: {
            id: string;
            /** Format: date-time */
            at: string;
            link: string | null;
            domain: string | null;
            rule: string | null;
            variant: string | null;
            destination: string | null;
            source: string | null;
            referrer: string | null;
            country: string | null;
            region: string | null;
            city: string | null;
            continent: string | null;
            browser: string | null;
            os: string | null;
            device: string | null;
            language: string | null;
            colo: string | null;
            class: string | null;
            utmSource: string | null;
            utmMedium: string | null;
            utmCampaign: string | null;
            utmTerm: string | null;
            utmContent: string | null;
        };
        BulkUpdateItem: {
            /** @example lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            /** @description The change applies to this version of the link only; otherwise the item answers 412. */
            version?: number;
            /**
             * Format: uri
             * @description Behind the host may stand, 20 in all, `{path}` (what follows the slug), `{1}` to `{9}` (its parts), `{query.name}`, `{country}`, `{language}`, `{device}`; what is not known is empty.
             * @example https://example.com/spring
             */
            url?: string;
            /**
             * @description May have parts: `guide/intro`. One that ends in `/*` forwards what follows it: of `guide/*`, `/guide/intro` leads to where `{path}`, or a `*` at the end of the destination's path, is `intro`. A link at the very address goes first, then the longest match.
             * @example spring
             */
            slug?: string;
            /** @enum {string} */
            status?: "live" | "disabled" | "archived";
            /**
             * @description `null` makes the link follow its domain's default; so does the status that GET shows, sent together with `hasOwnRedirectStatus: false`.
             * @enum {integer|null}
             */
            redirectStatus?: 301 | 302 | 307 | 308 | null;
            title?: string | null;
            /**
             * @example [
             *       "newsletter"
             *     ]
             */
            tags?: string[];
            /**
             * @description Its name or its id (`fld_…`); `null` for none.
             * @example Spring campaign
             */
            folder?: string | null;
            /**
             * @description Your own name for the link, unique in the workspace.
             * @example product-4711
             */
            externalId?: string | null;
            rules?: components["schemas"]["Rule"][] | null;
            split?: components["schemas"]["Variant"][] | null;
            next?: components["schemas"]["NextDestination"];
            /**
             * Format: date-time
             * @example 2027-01-01T00:00:00Z
             */
            startsAt?: string | null;
            /**
             * Format: date-time
             * @example 2027-01-01T00:00:00Z
             */
            expiresAt?: string | null;
            expiredUrl?: string | null;
            password?: string | null;
            cap?: {
                /**
                 * @description `strict`: never more than `maxClicks` redirects. Each asks the database first, and none happens while the database is down. `fast`: no delay for visitors. Clicks are counted as they are stored, and the link ends when the count reaches `maxClicks`; the overshoot is at most the rate of visits times the delay of queue and change feed, usually some seconds.
                 * @enum {string}
                 */
                mode: "strict" | "fast";
                maxClicks: number;
                readonly used?: number;
            } | null;
            /** @enum {string|null} */
            forwardQuery?: "none" | "visitor-wins" | "link-wins" | null;
            utm?: components["schemas"]["Utm"];
            openGraph?: components["schemas"]["OpenGraph"];
            qr?: components["schemas"]["QrDesign"];
            /**
             * @example [
             *       "newsletter"
             *     ]
             */
            addTags?: string[];
            /**
             * @example [
             *       "newsletter"
             *     ]
             */
            removeTags?: string[];
        };
        BulkDeleteItem: {
            /** @example lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            /** @description The change applies to this version of the link only; otherwise the item answers 412. */
            version?: number;
        };
        BulkRestoreItem: {
            /** @example lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
        };
        Problem: {
            /**
             * Format: uri
             * @description A page about the code. It is on the host that was asked.
             */
            type: string;
            title: string;
            status: number;
            /** @description What is wrong, and what to do about it. */
            detail: string;
            /** @enum {string} */
            code: "body_malformed" | "workspace_missing" | "key_missing" | "key_invalid" | "sign_in_failed" | "token_invalid" | "sign_in_interrupted" | "passkey_refused" | "provider_refused" | "metrics_token_wrong" | "limit_reached" | "scope_missing" | "out_of_bounds" | "workspace_mismatch" | "origin_refused" | "sign_in_again" | "email_unverified" | "sign_up_closed" | "not_found" | "workspace_not_found" | "method_not_allowed" | "slug_taken" | "sign_in_first" | "already_set_up" | "already_member" | "last_owner" | "sole_owner" | "last_sign_in_method" | "external_id_taken" | "folder_taken" | "tag_taken" | "tags_busy" | "domain_taken" | "domain_pending" | "alias_in_use" | "domain_in_use" | "too_many_webhooks" | "webhook_disabled" | "idempotency_in_progress" | "idempotency_secret" | "version_mismatch" | "body_too_large" | "unsupported_media_type" | "invalid" | "no_domain" | "cursor_invalid" | "query_too_wide" | "idempotency_mismatch" | "loop" | "not_done" | "too_many_streams" | "rate_limited" | "internal_error" | "sessions_unavailable" | "busy" | "database_unavailable" | "provider_unavailable" | "email_unavailable";
            /** @description The same as in `X-Request-Id`; the logs have it too. */
            requestId: string;
            /** @description By field or parameter: `rules[2].when.country`. */
            errors?: components["schemas"]["FieldError"][];
        };
        FieldError: {
            path: string;
            message: string;
        };
        CreateLink: {
            /**
             * Format: uri
             * @description Behind the host may stand, 20 in all, `{path}` (what follows the slug), `{1}` to `{9}` (its parts), `{query.name}`, `{country}`, `{language}`, `{device}`; what is not known is empty.
             * @example https://example.com/spring
             */
            url: string;
            /**
             * @description Generated if left out.
             * @example spring
             */
            slug?: string;
            /**
             * @description The host or the id (`dom_…`) of a domain. The workspace's oldest domain if left out.
             * @example go.example.com
             */
            domain?: string;
            /**
             * @description With `null`, or without a default, the link follows its domain's setting, or is a 302 if that has none.
             * @enum {integer|null}
             */
            redirectStatus?: 301 | 302 | 307 | 308 | null;
            /** @default null */
            title?: string | null;
            /**
             * @example [
             *       "newsletter"
             *     ]
             */
            tags?: string[];
            /**
             * @description Its name or its id (`fld_…`); `null` for none.
             * @example Spring campaign
             */
            folder?: string | null;
            /**
             * @description Your own name for the link, unique in the workspace.
             * @default null
             * @example product-4711
             */
            externalId?: string | null;
            rules?: components["schemas"]["Rule"][] | null;
            split?: components["schemas"]["Variant"][] | null;
            next?: components["schemas"]["NextDestination"];
            /**
             * Format: date-time
             * @example 2027-01-01T00:00:00Z
             */
            startsAt?: string | null;
            /**
             * Format: date-time
             * @example 2027-01-01T00:00:00Z
             */
            expiresAt?: string | null;
            expiredUrl?: string | null;
            password?: string | null;
            cap?: {
                /**
                 * @description `strict`: never more than `maxClicks` redirects. Each asks the database first, and none happens while the database is down. `fast`: no delay for visitors. Clicks are counted as they are stored, and the link ends when the count reaches `maxClicks`; the overshoot is at most the rate of visits times the delay of queue and change feed, usually some seconds.
                 * @enum {string}
                 */
                mode: "strict" | "fast";
                maxClicks: number;
            } | null;
            /** @enum {string|null} */
            forwardQuery?: "none" | "visitor-wins" | "link-wins" | null;
            utm?: components["schemas"]["Utm"];
            openGraph?: components["schemas"]["OpenGraph"];
            qr?: components["schemas"]["QrDesign"];
            /** @description If there is such a link already, answers it unchanged (200, the oldest of several) instead of creating one (201); of many such requests at the same time, one creates it. Such a link is on the same domain and in the same folder (or in none), has the same destination (case of scheme and host, a default port and the path `/` make no difference), UTM values and `forwardQuery`; it has no rules, split, planned change, start, cap or password, does not forward what follows its slug, and has an end only where defaults set one; and it is live: not ended, disabled, archived or deleted. `title` and `tags` apply to a new link only. */
            reuse?: boolean;
        };
        UpsertLink: {
            /**
             * Format: uri
             * @description Behind the host may stand, 20 in all, `{path}` (what follows the slug), `{1}` to `{9}` (its parts), `{query.name}`, `{country}`, `{language}`, `{device}`; what is not known is empty.
             * @example https://example.com/spring
             */
            url: string;
            /**
             * @description Generated if left out.
             * @example spring
             */
            slug?: string;
            /**
             * @description The host or the id (`dom_…`) of a domain. The workspace's oldest domain if left out.
             * @example go.example.com
             */
            domain?: string;
            /**
             * @description With `null`, or without a default, the link follows its domain's setting, or is a 302 if that has none.
             * @enum {integer|null}
             */
            redirectStatus?: 301 | 302 | 307 | 308 | null;
            /** @default null */
            title?: string | null;
            /**
             * @example [
             *       "newsletter"
             *     ]
             */
            tags?: string[];
            /**
             * @description Its name or its id (`fld_…`); `null` for none.
             * @example Spring campaign
             */
            folder?: string | null;
            /**
             * @description Your own name for the link, unique in the workspace.
             * @example product-4711
             */
            externalId: string;
            rules?: components["schemas"]["Rule"][] | null;
            split?: components["schemas"]["Variant"][] | null;
            next?: components["schemas"]["NextDestination"];
            /**
             * Format: date-time
             * @example 2027-01-01T00:00:00Z
             */
            startsAt?: string | null;
            /**
             * Format: date-time
             * @example 2027-01-01T00:00:00Z
             */
            expiresAt?: string | null;
            expiredUrl?: string | null;
            password?: string | null;
            cap?: {
                /**
                 * @description `strict`: never more than `maxClicks` redirects. Each asks the database first, and none happens while the database is down. `fast`: no delay for visitors. Clicks are counted as they are stored, and the link ends when the count reaches `maxClicks`; the overshoot is at most the rate of visits times the delay of queue and change feed, usually some seconds.
                 * @enum {string}
                 */
                mode: "strict" | "fast";
                maxClicks: number;
            } | null;
            /** @enum {string|null} */
            forwardQuery?: "none" | "visitor-wins" | "link-wins" | null;
            utm?: components["schemas"]["Utm"];
            openGraph?: components["schemas"]["OpenGraph"];
            qr?: components["schemas"]["QrDesign"];
        };
        BulkResult: {
            created: number;
            results: {
                index: number;
                /** @description The status that createLink would have answered; 424 for an item that `atomic` held back. */
                status: number;
                link?: components["schemas"]["Link"];
                code?: string;
                errors?: {
                    path: string;
                    message: string;
                }[];
            }[];
        };
        BulkCreate: {
            items: components["schemas"]["CreateLink"][];
            /**
             * @description Create all links or none: if one is refused, the answer is 422, and `errors` names those at fault.
             * @default false
             */
            atomic?: boolean;
        };
        BulkDeleteResult: {
            deleted: number;
            results: {
                index: number;
                /** @description The status that the link alone would have answered. */
                status: number;
                code?: string;
                errors?: {
                    path: string;
                    message: string;
                }[];
            }[];
        };
        BulkDelete: {
            items: components["schemas"]["BulkDeleteItem"][];
            /**
             * @description `delete` removes its clicks as well, within minutes and for good: from the analytics, and from the database all but when each of them happened. Needs the scope `admin`.
             * @default keep
             * @enum {string}
             */
            clicks?: "keep" | "delete";
        };
        BulkUpdateResult: {
            updated: number;
            results: {
                index: number;
                /** @description The status that the link alone would have answered. */
                status: number;
                link?: components["schemas"]["Link"];
                code?: string;
                errors?: {
                    path: string;
                    message: string;
                }[];
            }[];
        };
        BulkUpdate: {
            items: components["schemas"]["BulkUpdateItem"][];
        };
        ImportReport: {
            dryRun: boolean;
            rows: number;
            /** @description In a dry run, how many would be created. */
            created: number;
            /** @description With `conflict=replace`; not among `created`. */
            replaced: number;
            /** @description With `reuse`; not among `created`. */
            reused: number;
            refused: number;
            /** @description The first 1000, and where the file had to end. */
            refusals: {
                /** @description From 1, without the header. */
                row: number;
                slug: string | null;
                code: string;
                errors: {
                    path: string;
                    message: string;
                }[];
            }[];
            /** @description Imported links that differ from the file. The first 1000. */
            warnings: {
                row: number;
                slug: string | null;
                message: string;
            }[];
        };
        LinkCount: {
            links: number;
            /** @description False: there are 100000 links or more. */
            isExact: boolean;
        };
        TrashedLink: {
            /** @example lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            domain: string;
            /** @example dom_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            domainId: string;
            slug: string;
            /** Format: uri */
            shortUrl: string;
            url: string;
            title: string | null;
            tags: string[];
            clicks: {
                human: number;
                total: number;
            };
            /** Format: date-time */
            deletedAt: string;
            /**
             * Format: date-time
             * @description When it and its clicks are destroyed.
             */
            destroyedAt: string;
            /** @description False: its domain is gone, or has lost its proof. */
            isRestorable: boolean;
        };
        BulkRestoreResult: {
            restored: number;
            results: {
                index: number;
                /** @description The status that the link alone would have answered. */
                status: number;
                link?: components["schemas"]["Link"];
                code?: string;
                errors?: {
                    path: string;
                    message: string;
                }[];
            }[];
        };
        BulkRestore: {
            items: components["schemas"]["BulkRestoreItem"][];
        };
        SlugAvailability: {
            available: boolean;
            domain: string;
            slug: string;
            /** Format: uri */
            shortUrl: string;
        };
        Vocabularies: {
            /**
             * @description ISO 3166-1 alpha-2, `XK` (Kosovo) and `T1` (Tor), with their English names, by name.
             * @example [
             *       {
             *         "code": "CH",
             *         "name": "Switzerland"
             *       }
             *     ]
             */
            countries: {
                code: string;
                name: string;
            }[];
            continents: string[];
            devices: string[];
            operatingSystems: string[];
            browsers: string[];
            visitors: string[];
            weekdays: string[];
            /**
             * @description IANA names.
             * @example [
             *       "Europe/Zurich"
             *     ]
             */
            timeZones: string[];
        };
        Tag: {
            /**
             * @description Stays when the tag is renamed.
             * @example tag_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f
             */
            id: string;
            name: string;
            /** @example #0e7c86 */
            color: string | null;
            /** @description That have it, archived ones included. */
            links: number;
        };
        CreateTag: {
            /** @example newsletter */
            name: string;
            /** @example #0e7c86 */
            color?: string | null;
        };
        Folder: {
            /** @example fld_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            name: string;
            defaults: components["schemas"]["LinkDefaults"] | null;
            /** @description Links in it, 1000 at most: countLinks with `folder` counts more. */
            links: number;
            /** Format: date-time */
            createdAt: string;
        };
        /** @description For fields that a new link leaves out, however it is created. Field by field (also within `utm` and `slug`), the folder's defaults take precedence over the domain's, and these over the workspace's. `null` (or an empty list of tags) means none, whatever the others say; a field that is left out is left to them. Existing links do not change. */
        LinkDefaults: {
            utm?: {
                source?: components["schemas"]["UtmDefault"] | null;
                medium?: components["schemas"]["UtmDefault"] | null;
                campaign?: components["schemas"]["UtmDefault"] | null;
                term?: components["schemas"]["UtmDefault"] | null;
                content?: components["schemas"]["UtmDefault"] | null;
                id?: components["schemas"]["UtmDefault"] | null;
            };
            /** @description After its creation, or after its `startsAt` if that is later. */
            expiresAfterDays?: number | null;
            tags?: string[] | null;
            /**
             * @description A domain has none: its links follow its own `redirectStatus`.
             * @enum {integer|null}
             */
            redirectStatus?: 301 | 302 | 307 | 308 | null;
            /** @enum {string|null} */
            forwardQuery?: "none" | "visitor-wins" | "link-wins" | null;
            openGraph?: components["schemas"]["OpenGraph"] | null;
            slug?: components["schemas"]["SlugDefaults"];
        };
        UtmDefault: {
            /**
             * @description May contain {domain}, {folder}, {slug}, {title}, {date} of the new link; `{date}` is the day (UTC). What the link lacks is empty, and an empty value fills nothing.
             * @example {folder}
             */
            value?: string;
            /** @description The values that a new link may have. */
            allowed?: string[];
            /** @description A new link without a value is refused. */
            isRequired?: boolean;
        };
        /** @description For slugs that are generated. */
        SlugDefaults: {
            /** @description Of the random part, behind the prefix; 7 without a default. */
            length?: number;
            /** @example 0123456789 */
            alphabet?: string;
            /** @example promo- */
            prefix?: string;
        };
        CreateFolder: {
            /** @example Spring campaign */
            name: string;
            defaults?: components["schemas"]["LinkDefaults"] | null;
        };
        Domain: {
            /** @example dom_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            host: string;
            /**
             * @description `pending`: not proved. It takes no links and no settings, and visitors get a 404.
             * @enum {string}
             */
            status: "pending" | "active";
            proof: components["schemas"]["DomainProof"];
            /** @description `null` for hosts that Cloudflare was not asked about: see the deployment's operator. */
            customHostname: components["schemas"]["CustomHostname"] | null;
            rootUrl: string | null;
            notFoundUrl: string | null;
            endedUrl: string | null;
            ignoresCase: boolean;
            /** @enum {integer|null} */
            redirectStatus: 301 | 302 | 307 | 308 | null;
            title: string | null;
            homeUrl: string | null;
            color: string | null;
            imprintUrl: string | null;
            privacyUrl: string | null;
            reportUrl: string | null;
            hasPublicQr: boolean;
            defaults: components["schemas"]["LinkDefaults"] | null;
            logo: components["schemas"]["DomainLogo"] | null;
            suspension: components["schemas"]["Suspension"] | null;
            /** Format: date-time */
            createdAt: string;
        };
        /** @description The picture in the QR codes of its links, in pixels as it is kept: `/domains/{domainId}/logo`. */
        DomainLogo: {
            width: number;
            height: number;
            /** Format: date-time */
            updatedAt: string;
        };
        /** @description By the operator: none of its links leads anywhere, and visitors get a page that says so, with 403. Nothing is deleted. */
        Suspension: {
            /** Format: date-time */
            at: string;
            /** @example phishing, reported on 25 November */
            reason: string;
        };
        CreateDomain: {
            /**
             * @description Stored in lower case, in the ASCII form of internationalised names.
             * @example go.example.com
             */
            host: string;
        };
        NewKey: {
            /** @example key_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            name: string;
            /**
             * @description The key's first characters.
             * @example hop_kJ3mPq7x
             */
            prefix: string;
            scopes: ("links:read" | "links:write" | "analytics:read" | "admin")[];
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description To the hour: a use is written down if the one before was an hour ago. `null`: never.
             */
            lastUsedAt: string | null;
            /**
             * @description The person who made it. It never may more than they may now, and ends when they leave. `null`: no member of the workspace.
             * @example per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f
             */
            makerId: string | null;
            /** @description `null`: all of the workspace. Can't be changed. */
            bounds: components["schemas"]["Bounds"] | null;
            /** Format: date-time */
            createdAt: string;
            /** @description The whole key. Shown only once. */
            key: string;
        };
        /**
         * @description The links that exist for it, with their clicks: each part that is given has to let a link through. What is about the whole workspace is refused: `out_of_bounds`. An empty list, also of what is gone since, lets nothing through.
         * @example {
         *       "domains": [
         *         "go.example.com"
         *       ],
         *       "ownLinks": true
         *     }
         */
        Bounds: {
            /** @description Links on any of these domains, by host or id. */
            domains?: string[];
            /** @description Links in any of these folders, by name or id. */
            folders?: string[];
            /** @description Links that have any of these tags, by name or id. A renamed tag stays. */
            tags?: string[];
            /**
             * @description Links that it made itself: a key, or one that it replaced; a member, or a key of theirs.
             * @enum {boolean}
             */
            ownLinks?: true;
            createOnly?: components["schemas"]["CreateOnly"];
        };
        /** @description A key that a browser may hold: with the scope `links:write` alone, it may call createLink and nothing else. */
        CreateOnly: {
            /**
             * @description Of the pages that use it. Only browsers send it: it keeps other pages off, not programs.
             * @example [
             *       "https://www.example.com"
             *     ]
             */
            origins: string[];
            /**
             * @description Where its links may lead, each exactly, without subdomains.
             * @example [
             *       "example.com"
             *     ]
             */
            destinationHosts: string[];
            /**
             * @description Requests, of all pages together.
             * @example 30
             */
            linksPerMinute: number;
        };
        CreateKey: {
            /** @example Newsletter */
            name: string;
            scopes: ("links:read" | "links:write" | "analytics:read" | "admin")[];
            /**
             * Format: date-time
             * @description When the key stops working; `null` for never.
             * @default null
             * @example 2027-01-01T00:00:00Z
             */
            expiresAt?: string | null;
            /**
             * @description `null`: it may do what its scopes say with all of the workspace. Not with `admin`.
             * @default null
             */
            bounds?: components["schemas"]["Bounds"] | null;
        };
        Key: {
            /** @example key_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            name: string;
            /**
             * @description The key's first characters.
             * @example hop_kJ3mPq7x
             */
            prefix: string;
            scopes: ("links:read" | "links:write" | "analytics:read" | "admin")[];
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description To the hour: a use is written down if the one before was an hour ago. `null`: never.
             */
            lastUsedAt: string | null;
            /**
             * @description The person who made it. It never may more than they may now, and ends when they leave. `null`: no member of the workspace.
             * @example per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f
             */
            makerId: string | null;
            /** @description `null`: all of the workspace. Can't be changed. */
            bounds: components["schemas"]["Bounds"] | null;
            /** Format: date-time */
            createdAt: string;
        };
        NewWebhook: {
            /** @example whk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            url: string;
            events: ("link.created" | "link.updated" | "link.deleted" | "link.ended" | "domain.verified" | "domain.failing" | "webhook.disabled" | "click" | "click.summary")[];
            filter: {
                links?: string[];
                domains?: string[];
                tags?: string[];
                classes: ("human" | "bot" | "preview" | "prefetch" | "head" | "monitor")[];
            };
            /** @enum {string} */
            mode: "each" | "batch";
            description: string | null;
            /** @description Events that happen while it is off are not sent later. */
            enabled: boolean;
            /** Format: date-time */
            disabledAt: string | null;
            /**
             * @description `owner`: a member did it. `gone`: it answered 410. `failing`: it accepted nothing for five days.
             * @enum {string|null}
             */
            disabledReason: "owner" | "gone" | "failing" | null;
            /**
             * Format: date-time
             * @description Nothing was accepted since then. After five days the webhook is switched off.
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Until then messages are also signed with the secret before the last rotation.
             */
            oldSecretUntil: string | null;
            /** @description Grows with each change of the webhook; its ETag has it, for If-Match. */
            version: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * @description What messages are signed with. Shown only once.
             * @example whsec_…
             */
            secret: string;
        };
        CreateWebhook: {
            /**
             * Format: uri
             * @description A public host, by name, over https.
             * @example https://hooks.example.com/hopline
             */
            url: string;
            /** @description `click` and `click.summary` exclude each other. */
            events: ("link.created" | "link.updated" | "link.deleted" | "link.ended" | "domain.verified" | "domain.failing" | "webhook.disabled" | "click" | "click.summary")[];
            /**
             * @description Of `click`: one message for each, or those of about a second together, a hundred at most. Sums of a minute are the event `click.summary`. With `each` up to four messages are on their way at once, so a receiver gets four in the time it takes to answer: 200 a second need an answer within 20 ms.
             * @default batch
             * @enum {string}
             */
            mode?: "each" | "batch";
            /** @default null */
            description?: string | null;
            /** @description All of what is given has to match. Domain events only look at `domains`. */
            filter?: {
                links?: string[];
                domains?: string[];
                /** @description Links with any of these tags, as they are when the event happens. */
                tags?: string[];
                /**
                 * @description Of clicks; `human` alone if left out.
                 * @example [
                 *       "human"
                 *     ]
                 */
                classes?: ("human" | "bot" | "preview" | "prefetch" | "head" | "monitor")[];
            };
        };
        Webhook: {
            /** @example whk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            url: string;
            events: ("link.created" | "link.updated" | "link.deleted" | "link.ended" | "domain.verified" | "domain.failing" | "webhook.disabled" | "click" | "click.summary")[];
            filter: {
                links?: string[];
                domains?: string[];
                tags?: string[];
                classes: ("human" | "bot" | "preview" | "prefetch" | "head" | "monitor")[];
            };
            /** @enum {string} */
            mode: "each" | "batch";
            description: string | null;
            /** @description Events that happen while it is off are not sent later. */
            enabled: boolean;
            /** Format: date-time */
            disabledAt: string | null;
            /**
             * @description `owner`: a member did it. `gone`: it answered 410. `failing`: it accepted nothing for five days.
             * @enum {string|null}
             */
            disabledReason: "owner" | "gone" | "failing" | null;
            /**
             * Format: date-time
             * @description Nothing was accepted since then. After five days the webhook is switched off.
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Until then messages are also signed with the secret before the last rotation.
             */
            oldSecretUntil: string | null;
            /** @description Grows with each change of the webhook; its ETag has it, for If-Match. */
            version: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        Usage: {
            /**
             * @description In UTC.
             * @example 2026-11
             */
            month: string;
            /**
             * @description That are not deleted, whenever they were made.
             * @example {
             *       "used": 120,
             *       "limit": null
             *     }
             */
            links: {
                used: number;
                limit: number | null;
            };
            /**
             * @description Of every class, bots too, in this month.
             * @example {
             *       "used": 120,
             *       "limit": null
             *     }
             */
            clicks: {
                used: number;
                limit: number | null;
            };
            /**
             * @description To the API, in this month.
             * @example {
             *       "used": 120,
             *       "limit": null
             *     }
             */
            requests: {
                used: number;
                limit: number | null;
            };
        };
        AuditEntry: {
            /** @example aud_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            /** Format: date-time */
            at: string;
            actor: components["schemas"]["Actor"];
            /**
             * @description What happened to what: `created`, `updated` or `deleted`, and `link.imported`, `link.restored`, `tag.replaced`, `link.alias_released`, `link.clicks_deleted`, `domain.logo_set`, `domain.logo_removed`, `key.capped`, `link.exported`, `link.looked_up`, `domain.looked_up`, `workspace.limits_set`, `workspace.clicks_exported`, `workspace.log_exported`, `webhook.replayed`, and in one's own log `session.refused`: somebody failed to sign in.
             * @example link.updated
             */
            action: string;
            resource: {
                /**
                 * @description `null` for an import: it made many.
                 * @example lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f
                 */
                id: string | null;
                /**
                 * @description Its name at the time.
                 * @example go.example.com/spring
                 */
                label: string | null;
            };
            /** @description The fields that changed, as they were; `null` if it was created. */
            before: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The same as they are since; `null` if it is gone. A secret that changed is `(secret)`.
             * @example {
             *       "url": "https://example.com/summer"
             *     }
             */
            after: {
                [key: string]: unknown;
            } | null;
            /** @description `X-Request-Id` of the request; `null` for a job. */
            requestId: string | null;
        };
        Actor: {
            /**
             * @description `token`: a JWT's subject. `job`: Hopline itself, later. `operator`: a person with access to the database, whose `id` is the reason that they gave on the command line. `anonymous`: a caller who had not signed in yet.
             * @enum {string}
             */
            type: "person" | "key" | "token" | "job" | "operator" | "anonymous";
            /** @example per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string | null;
            /**
             * @description As it is now; `null` if it is gone.
             * @example Ada Lovelace
             */
            name: string | null;
        };
        Workspace: {
            /** @example ws_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            name: string;
            /**
             * @description Designs of QR codes to choose from.
             * @example []
             */
            qrPresets: {
                name: string;
                design: components["schemas"]["QrDesign"];
            }[];
            defaults: components["schemas"]["LinkDefaults"] | null;
            /**
             * @description Of the person who asks; `null` for a key.
             * @enum {string|null}
             */
            role: "viewer" | "editor" | "admin" | "owner" | null;
            /** @description Of the person who asks. `null`: all of the workspace, and for a key. */
            bounds: components["schemas"]["Bounds"] | null;
            /** Format: date-time */
            createdAt: string;
        };
        CreateWorkspace: {
            /** @example Marketing */
            name: string;
        };
        SignedIn: {
            /** @example per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            personId: string;
            /** @description The one that an invitation led into. */
            workspaceId?: string;
        };
        AcceptInvitation: {
            /** @example vYkQzBtTnLwXcGdHsRmJpFqZ */
            token: string;
            /**
             * @description Of a new account.
             * @example Ada Lovelace
             */
            name?: string;
            /**
             * @description Of a new account. Without one, its owner signs in by links.
             * @example correct horse battery
             */
            password?: string;
        };
        InvitationDetails: {
            /** @example Bakery */
            workspaceName: string;
            /** @example Ada Lovelace */
            inviterName: string;
            /** @enum {string} */
            role: "viewer" | "editor" | "admin" | "owner";
            /** @description Of the member that it makes. */
            bounds: components["schemas"]["Bounds"] | null;
            /**
             * @description Whether the invited address has one, and whether this is its session.
             * @enum {string}
             */
            account: "none" | "signed-out" | "signed-in";
        };
        ReadInvitationDetails: {
            /** @example vYkQzBtTnLwXcGdHsRmJpFqZ */
            token: string;
        };
        Me: {
            /** @example per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            email: string;
            name: string;
            hasPassword: boolean;
            /** @description Whether they may see what is of the whole deployment: its integrity. */
            isOperator: boolean;
            /** Format: date-time */
            createdAt: string;
        };
        OwnKey: {
            /** @description `null` for a session's token of your own identity provider. */
            key: {
                id: string;
                name: string;
                /** @example hop_Ab3dEf9h */
                prefix: string;
            } | null;
            /** @example ws_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            workspaceId: string;
            scopes: ("links:read" | "links:write" | "analytics:read" | "admin")[];
            /** Format: date-time */
            expiresAt: string | null;
            /** @description Its own; its maker may have others, which hold too. */
            bounds: components["schemas"]["Bounds"] | null;
            /** @description Those of the month are in GET /api/v1/usage. */
            limits: {
                requestsPerMinute: number;
                requestsPerMinuteOfWorkspace: number;
            };
        };
        SetPassword: {
            /**
             * @description 10 characters or more, of any kind; neither a common password nor one's own name, address or workspace.
             * @example correct horse battery
             */
            newPassword: string;
            currentPassword?: string;
        };
        UpdateMe: {
            /** @example per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            readonly id?: string;
            readonly email?: string;
            /** @example Ada Lovelace */
            name: string;
            readonly hasPassword?: boolean;
            /** @description Whether they may see what is of the whole deployment: its integrity. */
            readonly isOperator?: boolean;
            /** Format: date-time */
            readonly createdAt?: string;
        };
        ChangeEmail: {
            /**
             * Format: email
             * @example ada@example.com
             */
            email: string;
        };
        ConfirmEmail: {
            /** @example vYkQzBtTnLwXcGdHsRmJpFqZ */
            token: string;
        };
        Passkey: {
            /** @example psk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            name: string;
            /** @description Whether it can be on several devices. */
            isSynced: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastUsedAt: string | null;
        };
        CreatePasskey: {
            /** @example Laptop */
            name: string;
            credential: components["schemas"]["NewCredential"];
        };
        NewCredential: {
            id: string;
            rawId: string;
            /** @enum {string} */
            type: "public-key";
            clientExtensionResults: {
                [key: string]: unknown;
            };
            response: {
                clientDataJSON: string;
                attestationObject: string;
                /** @default [] */
                transports?: string[];
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        PasskeyOptions: {
            challenge: string;
            timeout: number;
        } & {
            [key: string]: unknown;
        };
        SignInWithPasskey: {
            credential: components["schemas"]["UsedCredential"];
        };
        UsedCredential: {
            id: string;
            rawId: string;
            /** @enum {string} */
            type: "public-key";
            clientExtensionResults: {
                [key: string]: unknown;
            };
            response: {
                clientDataJSON: string;
                authenticatorData: string;
                signature: string;
                userHandle?: string | null;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        SignInMethod: {
            /**
             * @description `acc_…`, or `psk_…` for a passkey; `null` for the link by email, which can't be removed.
             * @example acc_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f
             */
            id: string | null;
            /** @enum {string} */
            kind: "email" | "password" | "provider" | "passkey";
            /**
             * @description For people: the address that gets links, the provider's name, the passkey's.
             * @example Google
             */
            name: string;
            /**
             * @description The provider's id in `GET /api/auth/options`; `null` for other kinds, and for a provider that is not offered any more.
             * @example google
             */
            provider: string | null;
            /**
             * Format: date-time
             * @description `null` for the link by email.
             */
            createdAt: string | null;
        };
        Session: {
            /** @example ses_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            /** @description Whether it is the one that asks. */
            isCurrent: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
        };
        OpenLink: {
            /** @example vYkQzBtTnLwXcGdHsRmJpFqZ */
            token: string;
        };
        RequestLink: {
            /**
             * Format: email
             * @example ada@example.com
             */
            email: string;
        };
        SignIn: {
            /**
             * Format: email
             * @example ada@example.com
             */
            email: string;
            password: string;
        };
        SignInOptions: {
            /** @description By a link in an email. */
            email: boolean;
            providers: {
                /** @example google */
                id: string;
                /** @example Google */
                name: string;
            }[];
        };
        StartedSignIn: {
            /** Format: uri */
            location: string;
        };
        StartSignIn: {
            /** @description One of those in `GET /api/auth/options`. */
            provider: string;
            /**
             * @description The path of the application's page that the browser comes back to, once it is signed in.
             * @default /
             */
            returnTo?: string;
        };
        SetUp: {
            /** @example vYkQzBtTnLwXcGdHsRmJpFqZ */
            token: string;
            /**
             * Format: email
             * @example ada@example.com
             */
            email: string;
            /** @example Ada Lovelace */
            name: string;
            /**
             * @description 10 characters or more, of any kind; neither a common password nor one's own name, address or workspace.
             * @example correct horse battery
             */
            password: string;
            /**
             * @description Of the first workspace, unless there are some without people already: then those are yours.
             * @default My workspace
             */
            workspaceName?: string;
        };
        Comparison: {
            current: components["schemas"]["ClickCounts"] & {
                range: components["schemas"]["AnalyticsRange"];
            };
            previous: components["schemas"]["ClickCounts"] & {
                range: components["schemas"]["AnalyticsRange"];
            };
            /** @description Change of the clicks: 0.25 is a quarter more. `null` if there were none before. */
            change: number | null;
        };
        AnalyticsRange: {
            /**
             * Format: date-time
             * @description Inclusive.
             */
            from: string;
            /**
             * Format: date-time
             * @description Exclusive.
             */
            to: string;
            timeZone: string;
            /** @description `false`: the numbers are too low, or the list is too short. With `completeUntil`: clicks since then came so fast that they are not all pre-aggregated yet; ask again in a minute. Without: they need single clicks that the deployment no longer keeps (`RETENTION_DAYS`). Pre-aggregated numbers (totals and series of workspaces, domains, tags and links, complete days by one dimension, and some unique visitors) reach back further. */
            complete: boolean;
            /**
             * Format: date-time
             * @description All clicks before this are counted; totals and series without filters have those since, too. `null`: see `complete`.
             */
            completeUntil: string | null;
        };
        ClickCounts: {
            /** @description Each click counts once; clicks of humans, unless `class` asks for others. */
            clicks: number;
            /** @description Unique visitors: distinct combinations of truncated address and user agent, per UTC day, because the key of the hash changes daily. For one UTC day it is the number of unique visitors; for a longer range it is the sum over its days, so a visitor who comes on three days counts three times. Visitors who asked not to be tracked are not included. `null` unless `visitors=true` was sent. */
            visitors: number | null;
        };
        Timeseries: components["schemas"]["ClickSeries"] & {
            range: components["schemas"]["AnalyticsRange"];
        };
        ClickSeries: {
            /** @enum {string} */
            interval: "15m" | "hour" | "day" | "week" | "month" | "quarter" | "year";
            points: {
                /**
                 * Format: date-time
                 * @description Start of the bucket. The first one may start before the range; only clicks in the range count.
                 */
                at: string;
                /** @description Each click counts once; clicks of humans, unless `class` asks for others. */
                clicks: number;
                /** @description Unique visitors: distinct combinations of truncated address and user agent, per UTC day, because the key of the hash changes daily. For one UTC day it is the number of unique visitors; for a longer range it is the sum over its days, so a visitor who comes on three days counts three times. Visitors who asked not to be tracked are not included. `null` unless `visitors=true` was sent. */
                visitors: number | null;
            }[];
        };
        Totals: components["schemas"]["ClickCounts"] & {
            range: components["schemas"]["AnalyticsRange"];
        };
        Breakdown: components["schemas"]["ClickBreakdown"] & {
            range: components["schemas"]["AnalyticsRange"];
        };
        ClickBreakdown: {
            /** @enum {string} */
            dimension: "link" | "domain" | "tag" | "rule" | "variant" | "destination" | "source" | "referrer" | "country" | "region" | "city" | "continent" | "browser" | "os" | "device" | "language" | "colo" | "class" | "utmSource" | "utmMedium" | "utmCampaign" | "utmTerm" | "utmContent";
            values: {
                /** @description `null`: unknown. The value for filters: a link's id, a domain's host, otherwise the value itself. Regions and cities are told apart by what they are in: `CH-ZH`, `CH-ZH/Zürich`. */
                value: string | null;
                /** @description Address of a link, host of a domain; `null` for other dimensions. */
                label: string | null;
                /** @description Each click counts once; clicks of humans, unless `class` asks for others. */
                clicks: number;
                /** @description Unique visitors: distinct combinations of truncated address and user agent, per UTC day, because the key of the hash changes daily. For one UTC day it is the number of unique visitors; for a longer range it is the sum over its days, so a visitor who comes on three days counts three times. Visitors who asked not to be tracked are not included. `null` unless `visitors=true` was sent. */
                visitors: number | null;
            }[];
            /** @description The values that are not listed. */
            other: {
                clicks: number;
                values: number;
            };
            /** @description All clicks, each once: listed plus other, except by `tag`, where a click counts for each tag of its link. */
            total: number;
        };
        Lines: components["schemas"]["ClickLines"] & {
            range: components["schemas"]["AnalyticsRange"];
        };
        ClickLines: {
            /** @enum {string} */
            dimension: "link" | "domain" | "tag" | "rule" | "variant" | "destination" | "source" | "referrer" | "country" | "region" | "city" | "continent" | "browser" | "os" | "device" | "language" | "colo" | "class" | "utmSource" | "utmMedium" | "utmCampaign" | "utmTerm" | "utmContent";
            /** @enum {string} */
            interval: "15m" | "hour" | "day" | "week" | "month" | "quarter" | "year";
            /** @description The starts of all buckets. The first one may start before the range; only clicks in the range count. */
            starts: string[];
            lines: {
                /** @description `null`: unknown. The value for filters: a link's id, a domain's host, otherwise the value itself. Regions and cities are told apart by what they are in: `CH-ZH`, `CH-ZH/Zürich`. */
                value: string | null;
                /** @description Address of a link, host of a domain; `null` for other dimensions. */
                label: string | null;
                /** @description Each click counts once; clicks of humans, unless `class` asks for others. */
                clicks: number;
                /** @description Clicks of each bucket, in the order of `starts`. */
                points: number[];
            }[];
            /** @description The values that are not listed. */
            other: {
                clicks: number;
                values: number;
                /** @description Clicks of each bucket, in the order of `starts`. */
                points: number[];
            };
            /** @description All clicks, each once: listed plus other, except by `tag`, where a click counts for each tag of its link. */
            total: number;
        };
        Suggestions: {
            data: {
                /** @description `null`: unknown. The value for filters: a link's id, a domain's host, otherwise the value itself. Regions and cities are told apart by what they are in: `CH-ZH`, `CH-ZH/Zürich`. */
                value: string | null;
                /** @description Address of a link, host of a domain; `null` for other dimensions. */
                label: string | null;
                /** @description Each click counts once; clicks of humans, unless `class` asks for others. */
                clicks: number;
                /** @description Unique visitors: distinct combinations of truncated address and user agent, per UTC day, because the key of the hash changes daily. For one UTC day it is the number of unique visitors; for a longer range it is the sum over its days, so a visitor who comes on three days counts three times. Visitors who asked not to be tracked are not included. `null` unless `visitors=true` was sent. */
                visitors: number | null;
            }[];
            range: components["schemas"]["AnalyticsRange"];
        };
        Overview: {
            range: components["schemas"]["AnalyticsRange"];
            totals: components["schemas"]["ClickCounts"];
            previous: components["schemas"]["ClickCounts"] & {
                range: components["schemas"]["AnalyticsRange"];
            };
            series: components["schemas"]["ClickSeries"];
            lists: components["schemas"]["ClickBreakdown"][];
            facets: components["schemas"]["ClickBreakdown"][];
        };
        Integrity: {
            /** Format: date-time */
            from: string;
            /**
             * Format: date-time
             * @description Exclusive. Whole days, without those still to come.
             */
            to: string;
            timeZone: string;
            /**
             * @description The worst of the days, in the order of the list.
             * @enum {string}
             */
            state: "missing" | "arriving" | "accounted-for";
            /** @description Clicks that the edge has numbered: `inserted + rejected + waiting + missing`. */
            accepted: number;
            /** @description Stored, and in the analytics. */
            inserted: number;
            /** @description Delivered again, and skipped. */
            duplicate: number;
            /** @description Refused by the database; each is in a dead letter. */
            rejected: number;
            /** @description Not there yet, for a quarter of an hour at most. */
            waiting: number;
            /** @description Not there for longer: lost, or held up in a queue or in the spill. */
            missing: number;
            days: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
                /**
                 * @description `accounted-for`: each click is stored or in a dead letter. `missing`: some are neither. `arriving`: the day is not over, or its clicks may still be on their way, because no later one has been counted.
                 * @enum {string}
                 */
                state: "missing" | "arriving" | "accounted-for";
                /** @description Clicks that the edge has numbered: `inserted + rejected + waiting + missing`. */
                accepted: number;
                /** @description Stored, and in the analytics. */
                inserted: number;
                /** @description Delivered again, and skipped. */
                duplicate: number;
                /** @description Refused by the database; each is in a dead letter. */
                rejected: number;
                /** @description Not there yet, for a quarter of an hour at most. */
                waiting: number;
                /** @description Not there for longer: lost, or held up in a queue or in the spill. */
                missing: number;
            }[];
            /**
             * Format: date-time
             * @description When the newest click that was counted was made, or one sent together with it.
             */
            countedUntil: string | null;
            /** @description All that wait for the operator, of whichever day. */
            deadLetters: {
                open: number;
                /** @description Messages that can't be read: how many clicks they hold is not known. */
                unreadable: number;
                /** Format: date-time */
                oldestAt: string | null;
            };
        };
        AnyWorkspace: {
            /** @example ws_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            name: string;
            /** @description Their email addresses. */
            owners: string[];
            members: number;
            suspension: components["schemas"]["Suspension"] | null;
            /** Format: date-time */
            createdAt: string;
        };
        LookedUpLink: {
            workspace: {
                id: string;
                name: string;
            };
            domain: {
                id: string;
                host: string;
                suspension: components["schemas"]["Suspension"] | null;
            };
            link: {
                id: string;
                url: string;
                /** Format: date-time */
                createdAt: string;
            } | null;
        };
        LookUpLink: {
            /** @example https://go.example.com/spring */
            address: string;
            /**
             * @description For the workspace's audit log.
             * @example reported as phishing
             */
            reason: string;
        };
        Health: {
            /**
             * @description `degraded`: KV or the change feed does not answer, so changes reach the edge late, or the database lacks a migration. `down`: the database does not answer; known links keep redirecting.
             * @enum {string}
             */
            status: "ok" | "degraded" | "down";
            dependencies: {
                database: {
                    /** @enum {string} */
                    status: "ok" | "down";
                    latencyMs: number;
                };
                kv: {
                    /** @enum {string} */
                    status: "ok" | "down";
                    latencyMs: number;
                };
                feed: {
                    /** @enum {string} */
                    status: "ok" | "down";
                    latencyMs: number;
                };
            };
            /** @description The newest migration of the database, and the one that this release was written for. `older`: run `pnpm migrate`. `newer`: a later release has migrated it, which this one can ignore. */
            schema: {
                /** @enum {string} */
                state: "current" | "older" | "newer" | "unknown";
                database: number | null;
                code: number;
            };
            /** @description Parts of the configuration that are incomplete and therefore off; everything else works. */
            faults: string[];
            /** @description Alert rules that fire, by name; null where they are left to Prometheus. Only for requests with the deployment's METRICS_TOKEN. */
            alerts?: string[] | null;
        };
        /** @description Fields that are left out stay as they are. What GET shows can be sent back: read-only fields are accepted as they are. */
        UpdateLink: {
            /** @example lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            readonly id?: string;
            readonly domain?: string;
            /** @example dom_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            readonly domainId?: string;
            /**
             * @description May have parts: `guide/intro`. One that ends in `/*` forwards what follows it: of `guide/*`, `/guide/intro` leads to where `{path}`, or a `*` at the end of the destination's path, is `intro`. A link at the very address goes first, then the longest match.
             * @example spring
             */
            slug?: string;
            /** Format: uri */
            readonly shortUrl?: string;
            /**
             * Format: uri
             * @description Behind the host may stand, 20 in all, `{path}` (what follows the slug), `{1}` to `{9}` (its parts), `{query.name}`, `{country}`, `{language}`, `{device}`; what is not known is empty.
             * @example https://example.com/spring
             */
            url?: string;
            /**
             * @description `live`, `disabled`, `archived`. The others follow from `startsAt`, `expiresAt` and `cap`, and are only taken back.
             * @enum {string}
             */
            status?: "live" | "scheduled" | "disabled" | "archived" | "expired" | "used-up";
            /**
             * @description `null` makes the link follow its domain's default; so does the status that GET shows, sent together with `hasOwnRedirectStatus: false`.
             * @enum {integer|null}
             */
            redirectStatus?: 301 | 302 | 307 | 308 | null;
            /** @description If false, the link follows its domain's default. */
            readonly hasOwnRedirectStatus?: boolean;
            title?: string | null;
            /**
             * @example [
             *       "newsletter"
             *     ]
             */
            tags?: string[];
            readonly folderId?: string | null;
            /**
             * @description Your own name for the link, unique in the workspace.
             * @example product-4711
             */
            externalId?: string | null;
            /** @description Former slugs of the link, oldest first. They lead to it and count its clicks until they are released, or the link is deleted. */
            readonly aliases?: string[];
            rules?: components["schemas"]["Rule"][] | null;
            split?: components["schemas"]["Variant"][] | null;
            next?: components["schemas"]["NextDestination"];
            /**
             * Format: date-time
             * @example 2027-01-01T00:00:00Z
             */
            startsAt?: string | null;
            /**
             * Format: date-time
             * @example 2027-01-01T00:00:00Z
             */
            expiresAt?: string | null;
            expiredUrl?: string | null;
            readonly hasPassword?: boolean;
            cap?: {
                /**
                 * @description `strict`: never more than `maxClicks` redirects. Each asks the database first, and none happens while the database is down. `fast`: no delay for visitors. Clicks are counted as they are stored, and the link ends when the count reaches `maxClicks`; the overshoot is at most the rate of visits times the delay of queue and change feed, usually some seconds.
                 * @enum {string}
                 */
                mode: "strict" | "fast";
                maxClicks: number;
                readonly used?: number;
            } | null;
            /** @enum {string|null} */
            forwardQuery?: "none" | "visitor-wins" | "link-wins" | null;
            utm?: components["schemas"]["Utm"];
            openGraph?: components["schemas"]["OpenGraph"];
            qr?: components["schemas"]["QrDesign"];
            readonly clicks?: {
                human: number;
                total: number;
            };
            /** Format: date-time */
            readonly lastClickedAt?: string | null;
            readonly version?: number;
            /** Format: date-time */
            readonly createdAt?: string;
            /** Format: date-time */
            readonly updatedAt?: string;
            /**
             * @description Only in the answer to its creation: the fields that defaults filled, and whose defaults. They are the link's own from then on.
             * @example [
             *       {
             *         "field": "utm.source",
             *         "from": "folder"
             *       }
             *     ]
             */
            readonly filled?: {
                field: string;
                /** @enum {string} */
                from: "workspace" | "domain" | "folder";
            }[];
            /**
             * @description Its name or its id (`fld_…`); `null` for none.
             * @example Spring campaign
             */
            folder?: string | null;
            password?: string | null;
        };
        Alias: {
            /** @example spring */
            slug: string;
            /** Format: uri */
            shortUrl: string;
            /** @description Of people who came through it in the last 30 days (UTC), by then its slug or an alias of it. All other clicks of the link came through its slug. */
            clicks: number;
            /** Format: date-time */
            lastClickedAt: string | null;
        };
        LinkVersion: {
            version: number;
            /** Format: date-time */
            at: string;
            /** @description `null`: from before authors were kept. */
            actor: components["schemas"]["Actor"] | null;
            /** @description The fields that this version changed, as they were; empty for the first. */
            before: {
                [key: string]: unknown;
            };
            /** @description The same as they were from then on; empty where the link was only published again. A password that changed is `(secret)`. */
            after: {
                [key: string]: unknown;
            };
            /** @description Everything that an edit can change, as it was. What is absent was not set. */
            fields: {
                [key: string]: unknown;
            };
        };
        CopyRules: {
            /**
             * @description The id of a link.
             * @example lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f
             */
            from: string;
        };
        CacheStatus: {
            /**
             * @description `pending`: not published everywhere yet. `spreading`: caches that miss the change feed may still be older. `settled`: no cache can be older.
             * @enum {string}
             */
            state: "pending" | "spreading" | "settled";
            database: {
                version: number;
            };
            /** @description `null`: KV has no record, or does not answer. A lag of a minute elsewhere is normal. */
            kv: {
                version: number;
            } | null;
            /** @description `null`: no change in the last minutes, or the feed does not answer. */
            feed: {
                version: number;
                /** Format: date-time */
                announcedAt: string;
            } | null;
            /**
             * Format: date-time
             * @description By then every isolate that reads the change feed has the newest version.
             */
            expectedBy: string | null;
            /**
             * Format: date-time
             * @description By then even caches that could not read the change feed have it.
             */
            worstCaseEndsAt: string | null;
        };
        Resolution: {
            /** @enum {string} */
            outcome: "redirect" | "blocked" | "gone" | "not-started" | "password-required" | "preview" | "suspended" | "unknown";
            /** @description The HTTP status that the visitor would get. */
            status: number;
            location: string | null;
            /** @description The alias that the visitor comes through, which the click would say; `null`: the slug. */
            alias: string | null;
            /** @description Why a link is gone. */
            why: string | null;
            ruleId: string | null;
            variantId: string | null;
            /** @description The rules that were tried before, and the conditions that did not match. */
            missed: {
                ruleId: string;
                unmet: {
                    field: string;
                    expected: string[];
                    actual: string | null;
                }[];
            }[];
            /** @description The ids of rules that are switched off. */
            off: string[];
        };
        ResolveLink: {
            /**
             * Format: date-time
             * @description Now if left out.
             */
            at?: string;
            /**
             * @description ISO 3166-1 alpha-2.
             * @default null
             */
            country?: string | null;
            /** @default null */
            continent?: string | null;
            /**
             * @description ISO 3166-2: US-CA.
             * @default null
             */
            region?: string | null;
            /** @default null */
            city?: string | null;
            /**
             * @description As in Accept-Language.
             * @default null
             */
            language?: string | null;
            /**
             * @description The full address that the visitor comes from.
             * @default null
             */
            referrer?: string | null;
            /**
             * @description Device, OS, browser and bot are read from it, unless they are given.
             * @default null
             */
            userAgent?: string | null;
            /** @default null */
            device?: string | null;
            /** @default null */
            os?: string | null;
            /** @default null */
            browser?: string | null;
            isBot?: boolean;
            /**
             * @description Without the question mark.
             * @default
             */
            query?: string;
            /**
             * @description What follows the slug, if the link forwards it: `intro/setup`, as in an address.
             * @default
             */
            path?: string;
            /**
             * @description The alias of the link that the visitor comes through. Its slug if left out.
             * @default null
             */
            alias?: string | null;
            /**
             * @description Whether the visitor enters the link's password.
             * @default false
             */
            hasPassword?: boolean;
            /**
             * @description Any text that identifies the visitor: the same text always draws the same variant.
             * @default
             */
            visitorKey?: string;
        };
        UpdateTag: {
            /**
             * @description Stays when the tag is renamed.
             * @example tag_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f
             */
            readonly id?: string;
            /** @example newsletter */
            name?: string;
            /** @example #0e7c86 */
            color?: string | null;
            /** @description That have it, archived ones included. */
            readonly links?: number;
            /**
             * @description If there is a tag with the new name, its links and those of this one have it together.
             * @default false
             */
            merge?: boolean;
        };
        UpdateFolder: {
            /** @example fld_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            readonly id?: string;
            /** @example Spring campaign */
            name?: string;
            defaults?: components["schemas"]["LinkDefaults"] | null;
            /** @description Links in it, 1000 at most: countLinks with `folder` counts more. */
            readonly links?: number;
            /** Format: date-time */
            readonly createdAt?: string;
        };
        /** @description Fields that are left out stay as they are; `null` removes a setting. What GET shows can be sent back: read-only fields are accepted as they are. */
        UpdateDomain: {
            /** @example dom_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            readonly id?: string;
            readonly host?: string;
            /**
             * @description `pending`: not proved. It takes no links and no settings, and visitors get a 404.
             * @enum {string}
             */
            readonly status?: "pending" | "active";
            readonly proof?: {
                /**
                 * @description Add this to the DNS of the host. It has to stay there: it is looked up every day.
                 * @example {
                 *       "type": "TXT",
                 *       "name": "_hopline.go.example.com",
                 *       "value": "hopline=8d0f6a3c5b1e47f29a6c0d4e8b7f1a23"
                 *     }
                 */
                record: {
                    /** @enum {string} */
                    type: "TXT";
                    name: string;
                    value: string;
                };
                /**
                 * @description `operator`: vouched for by the operator of this deployment; the record is not needed.
                 * @enum {string|null}
                 */
                by: "dns" | "operator" | null;
                /** Format: date-time */
                provedAt: string | null;
                /**
                 * Format: date-time
                 * @description When the record was last looked up.
                 */
                checkedAt: string | null;
                /**
                 * @description What that saw. `wrong`: other texts, without this value. `unavailable`: DNS gave no answer, which changes nothing.
                 * @enum {string|null}
                 */
                seen: "found" | "missing" | "wrong" | "unavailable" | null;
                /** Format: date-time */
                missingSince: string | null;
                /**
                 * Format: date-time
                 * @description The record is gone. Unless it is back by then, the domain is `pending` again.
                 */
                endsAt: string | null;
                /** @description Another workspace has proved this host. This one can't have it while that lasts. */
                isTaken: boolean;
            };
            /** @description `null` for hosts that Cloudflare was not asked about: see the deployment's operator. */
            readonly customHostname?: components["schemas"]["CustomHostname"] | null;
            /**
             * Format: uri
             * @description Where `/` redirects.
             */
            rootUrl?: string | null;
            /**
             * Format: uri
             * @description Where an unknown link redirects; a 404 page without it.
             */
            notFoundUrl?: string | null;
            /**
             * Format: uri
             * @description Where an ended link without a fallback of its own redirects; a 410 page without it.
             */
            endedUrl?: string | null;
            /** @description Slugs are stored in lower case and found in any case. Can't be turned on while a slug has capitals. */
            ignoresCase?: boolean;
            /**
             * @description For links without a status of their own, existing ones included.
             * @enum {integer|null}
             */
            redirectStatus?: 301 | 302 | 307 | 308 | null;
            /** @description Your name on the domain's pages. */
            title?: string | null;
            /**
             * Format: uri
             * @description The link on the domain's pages.
             */
            homeUrl?: string | null;
            /**
             * @description The colour of the domain's pages; their text stays readable on any.
             * @example #0b7a75
             */
            color?: string | null;
            /**
             * Format: uri
             * @description Who runs the domain: on its pages.
             */
            imprintUrl?: string | null;
            /**
             * Format: uri
             * @description What becomes of visitors' data: on its pages.
             */
            privacyUrl?: string | null;
            /**
             * Format: uri
             * @description Where visitors report a link: on its pages.
             */
            reportUrl?: string | null;
            /** @description Whether everybody may load the QR codes of its links, from `/api/qr/{host}/{slug}`. */
            hasPublicQr?: boolean;
            defaults?: components["schemas"]["LinkDefaults"] | null;
            readonly logo?: components["schemas"]["DomainLogo"] | null;
            readonly suspension?: components["schemas"]["Suspension"] | null;
            /** Format: date-time */
            readonly createdAt?: string;
        };
        DomainVerification: {
            domain: components["schemas"]["Domain"];
            /** @enum {string} */
            seen: "found" | "missing" | "wrong" | "unavailable";
            /** @description Where the host itself leads. */
            pointing: {
                /**
                 * @description Where the host must lead, by a CNAME; `null` if the operator has not said it.
                 * @example origin.hopline.example
                 */
                target: string | null;
                /**
                 * @description `wrong`: it leads elsewhere. `null`: there is no target to compare with.
                 * @enum {string|null}
                 */
                seen: "found" | "missing" | "wrong" | "unavailable" | null;
                /** @description Names and addresses that it leads to: up to 10. */
                found: string[];
            };
            /** @description What is at the record's name: up to 10 texts. */
            texts: string[];
            /**
             * @description Why DNS gave no answer.
             * @example the resolver did not answer in time
             */
            reason: string | null;
        };
        MissedVisits: {
            /** @description To `/`. */
            root: number;
            /** @description To links that are disabled, expired or used up. */
            ended: number;
            /** @description To what is no link, or not yet. */
            unknown: number;
            /** @description Part of `unknown`: the slugs with most visits, a hundred at most. */
            slugs: {
                /** @example sumer */
                slug: string;
                /** Format: uri */
                shortUrl: string;
                /** @description At least so many. */
                visits: number;
                /**
                 * Format: date-time
                 * @description To within a minute.
                 */
                lastVisitedAt: string;
                /** @description The link that is there now. */
                linkId: string | null;
            }[];
        };
        RotateKey: {
            /**
             * @description How long the old key goes on working, in seconds; a day if left out.
             * @default 86400
             */
            graceSeconds?: number;
        };
        UpdateKey: {
            /** @example key_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            readonly id?: string;
            /** @example Newsletter */
            name?: string;
            /**
             * @description The key's first characters.
             * @example hop_kJ3mPq7x
             */
            readonly prefix?: string;
            /** @description Only fewer: `admin` includes all others. */
            scopes?: ("links:read" | "links:write" | "analytics:read" | "admin")[];
            /**
             * Format: date-time
             * @description Only earlier.
             */
            expiresAt?: string | null;
            /** Format: date-time */
            readonly revokedAt?: string | null;
            /**
             * Format: date-time
             * @description To the hour: a use is written down if the one before was an hour ago. `null`: never.
             */
            readonly lastUsedAt?: string | null;
            /**
             * @description The person who made it. It never may more than they may now, and ends when they leave. `null`: no member of the workspace.
             * @example per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f
             */
            readonly makerId?: string | null;
            /** @description `null`: all of the workspace. Can't be changed. */
            readonly bounds?: components["schemas"]["Bounds"] | null;
            /** Format: date-time */
            readonly createdAt?: string;
        };
        WebhookStats: {
            /** @description Since the webhook was created: those that matched are delivered, waiting or given up. A replay takes what it sends again back to `waiting`. */
            clicks: {
                matched: number;
                delivered: number;
                waiting: number;
                givenUp: number;
            };
            waiting: {
                deliveries: number;
                /** Format: date-time */
                oldestAt: string | null;
            };
            /** Format: date-time */
            failingSince: string | null;
            /** Format: date-time */
            lastAcceptedAt: string | null;
        };
        WebhookTest: {
            accepted: boolean;
            status: number | null;
            durationMs: number;
            /**
             * @description `timeout`: no answer in 10 seconds. `redirect`: redirects are not followed. `status`: not 200 to 299. `too-large`: more than 65536 bytes.
             * @enum {string|null}
             */
            error: "timeout" | "unreachable" | "redirect" | "status" | "too-large" | null;
            /** @description The first 200 characters of its body, as plain text. */
            answer: string;
            /** @description What was sent. */
            message: {
                id: string;
                body: string;
            };
        };
        /** @description Fields that are left out stay as they are; a filter is replaced as a whole. */
        UpdateWebhook: {
            /** @example whk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            readonly id?: string;
            /**
             * Format: uri
             * @description A public host, by name, over https.
             * @example https://hooks.example.com/hopline
             */
            url?: string;
            /** @description `click` and `click.summary` exclude each other. */
            events?: ("link.created" | "link.updated" | "link.deleted" | "link.ended" | "domain.verified" | "domain.failing" | "webhook.disabled" | "click" | "click.summary")[];
            /** @description All of what is given has to match. Domain events only look at `domains`. */
            filter?: {
                links?: string[];
                domains?: string[];
                /** @description Links with any of these tags, as they are when the event happens. */
                tags?: string[];
                /**
                 * @description Of clicks; `human` alone if left out.
                 * @example [
                 *       "human"
                 *     ]
                 */
                classes?: ("human" | "bot" | "preview" | "prefetch" | "head" | "monitor")[];
            };
            /**
             * @description Of `click`: one message for each, or those of about a second together, a hundred at most. Sums of a minute are the event `click.summary`. With `each` up to four messages are on their way at once, so a receiver gets four in the time it takes to answer: 200 a second need an answer within 20 ms.
             * @enum {string}
             */
            mode?: "each" | "batch";
            description?: string | null;
            enabled?: boolean;
            /** Format: date-time */
            readonly disabledAt?: string | null;
            /**
             * @description `owner`: a member did it. `gone`: it answered 410. `failing`: it accepted nothing for five days.
             * @enum {string|null}
             */
            readonly disabledReason?: "owner" | "gone" | "failing" | null;
            /**
             * Format: date-time
             * @description Nothing was accepted since then. After five days the webhook is switched off.
             */
            readonly failingSince?: string | null;
            /**
             * Format: date-time
             * @description Until then messages are also signed with the secret before the last rotation.
             */
            readonly oldSecretUntil?: string | null;
            /** @description Grows with each change of the webhook; its ETag has it, for If-Match. */
            readonly version?: number;
            /** Format: date-time */
            readonly createdAt?: string;
            /** Format: date-time */
            readonly updatedAt?: string;
        };
        WebhookDelivery: {
            /**
             * @description The `webhook-id` of its message. Clicks that are sent one by one have ids of their own.
             * @example dlv_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f
             */
            id: string;
            /** @enum {string} */
            type: "link.created" | "link.updated" | "link.deleted" | "link.ended" | "domain.verified" | "domain.failing" | "webhook.disabled" | "click" | "click.batch" | "click.summary";
            /** @enum {string} */
            state: "waiting" | "delivered" | "given-up";
            /** @description How many clicks it is about; 0 for other events. */
            clicks: number;
            /** Format: date-time */
            createdAt: string;
            attempts: number;
            /** Format: date-time */
            attemptedAt: string | null;
            /** Format: date-time */
            nextAttemptAt: string | null;
            /** @description The last answer's; `null`: there was none. */
            status: number | null;
            durationMs: number | null;
            /** @description `timeout`, `unreachable`, `redirect`, `status`, `too-large`; `deleted`: what it was about is gone; `disabled`: the webhook was switched off; `late`: its time was up before its turn came. */
            error: string | null;
            /** @description The first 200 characters of the last answer, as plain text. */
            answer: string | null;
        };
        WebhookReplay: {
            replayed: number;
        };
        ReplayWebhook: {
            /** @description This one alone, whatever became of it. */
            deliveryId?: string;
            /**
             * Format: date-time
             * @description Deliveries that were made from then on.
             */
            since?: string;
            /**
             * Format: date-time
             * @description And before then.
             */
            until?: string;
            /**
             * @default given-up
             * @enum {string}
             */
            state?: "given-up" | "delivered";
        };
        UpdateWorkspace: {
            /** @example ws_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            readonly id?: string;
            /** @example Marketing */
            name?: string;
            /**
             * @description Designs of QR codes to choose from.
             * @example []
             */
            qrPresets?: {
                name: string;
                design: components["schemas"]["QrDesign"];
            }[];
            defaults?: components["schemas"]["LinkDefaults"] | null;
            /**
             * @description Of the person who asks; `null` for a key.
             * @enum {string|null}
             */
            readonly role?: "viewer" | "editor" | "admin" | "owner" | null;
            /** @description Of the person who asks. `null`: all of the workspace, and for a key. */
            readonly bounds?: components["schemas"]["Bounds"] | null;
            /** Format: date-time */
            readonly createdAt?: string;
        };
        Member: {
            /** @example mem_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            /** @example per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            personId: string;
            email: string;
            name: string;
            /** @enum {string} */
            role: "viewer" | "editor" | "admin" | "owner";
            /** @description `null`: all of the workspace. They hold for keys of the member too. */
            bounds: components["schemas"]["Bounds"] | null;
            /** Format: date-time */
            createdAt: string;
        };
        Invitation: {
            /** @example inv_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            id: string;
            email: string;
            /** @enum {string} */
            role: "viewer" | "editor" | "admin" | "owner";
            /** @description Of the member that it makes. */
            bounds: components["schemas"]["Bounds"] | null;
            /** Format: date-time */
            expiresAt: string;
            /** Format: date-time */
            createdAt: string;
        };
        CreateInvitation: {
            /**
             * Format: email
             * @example ada@example.com
             */
            email: string;
            /** @enum {string} */
            role: "viewer" | "editor" | "admin" | "owner";
            /**
             * @description Of a viewer or an editor. `null`: all of the workspace.
             * @default null
             */
            bounds?: components["schemas"]["Bounds"] | null;
        };
        UpdatePasskey: {
            /** @example psk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            readonly id?: string;
            /** @example Laptop */
            name?: string;
            /** @description Whether it can be on several devices. */
            readonly isSynced?: boolean;
            /** Format: date-time */
            readonly createdAt?: string;
            /** Format: date-time */
            readonly lastUsedAt?: string | null;
        };
        AnyWorkspaceWithUsage: components["schemas"]["AnyWorkspace"] & {
            usage: components["schemas"]["Usage"];
        };
        SetLimits: {
            links: number | null;
            clicks: number | null;
            requests: number | null;
        };
        Suspend: {
            /** @description `null`: its links lead where they did before. */
            suspension: {
                reason: string;
            } | null;
        };
        UpdateMember: {
            /** @example mem_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            readonly id?: string;
            /** @example per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f */
            readonly personId?: string;
            readonly email?: string;
            readonly name?: string;
            /** @enum {string} */
            role?: "viewer" | "editor" | "admin" | "owner";
            bounds?: components["schemas"]["Bounds"] | null;
            /** Format: date-time */
            readonly createdAt?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Link = components['schemas']['Link'];
export type Rule = components['schemas']['Rule'];
export type RuleConditions = components['schemas']['RuleConditions'];
export type Variant = components['schemas']['Variant'];
export type NextDestination = components['schemas']['NextDestination'];
export type Utm = components['schemas']['Utm'];
export type OpenGraph = components['schemas']['OpenGraph'];
export type QrDesign = components['schemas']['QrDesign'];
export type AnnouncedDomain = components['schemas']['AnnouncedDomain'];
export type DomainProof = components['schemas']['DomainProof'];
export type CustomHostname = components['schemas']['CustomHostname'];
export type Click = components['schemas']['Click'];
export type BulkUpdateItem = components['schemas']['BulkUpdateItem'];
export type BulkDeleteItem = components['schemas']['BulkDeleteItem'];
export type BulkRestoreItem = components['schemas']['BulkRestoreItem'];
export type Problem = components['schemas']['Problem'];
export type FieldError = components['schemas']['FieldError'];
export type CreateLink = components['schemas']['CreateLink'];
export type UpsertLink = components['schemas']['UpsertLink'];
export type BulkResult = components['schemas']['BulkResult'];
export type BulkCreate = components['schemas']['BulkCreate'];
export type BulkDeleteResult = components['schemas']['BulkDeleteResult'];
export type BulkDelete = components['schemas']['BulkDelete'];
export type BulkUpdateResult = components['schemas']['BulkUpdateResult'];
export type BulkUpdate = components['schemas']['BulkUpdate'];
export type ImportReport = components['schemas']['ImportReport'];
export type LinkCount = components['schemas']['LinkCount'];
export type TrashedLink = components['schemas']['TrashedLink'];
export type BulkRestoreResult = components['schemas']['BulkRestoreResult'];
export type BulkRestore = components['schemas']['BulkRestore'];
export type SlugAvailability = components['schemas']['SlugAvailability'];
export type Vocabularies = components['schemas']['Vocabularies'];
export type Tag = components['schemas']['Tag'];
export type CreateTag = components['schemas']['CreateTag'];
export type Folder = components['schemas']['Folder'];
export type LinkDefaults = components['schemas']['LinkDefaults'];
export type UtmDefault = components['schemas']['UtmDefault'];
export type SlugDefaults = components['schemas']['SlugDefaults'];
export type CreateFolder = components['schemas']['CreateFolder'];
export type Domain = components['schemas']['Domain'];
export type DomainLogo = components['schemas']['DomainLogo'];
export type Suspension = components['schemas']['Suspension'];
export type CreateDomain = components['schemas']['CreateDomain'];
export type NewKey = components['schemas']['NewKey'];
export type Bounds = components['schemas']['Bounds'];
export type CreateOnly = components['schemas']['CreateOnly'];
export type CreateKey = components['schemas']['CreateKey'];
export type Key = components['schemas']['Key'];
export type NewWebhook = components['schemas']['NewWebhook'];
export type CreateWebhook = components['schemas']['CreateWebhook'];
export type Webhook = components['schemas']['Webhook'];
export type Usage = components['schemas']['Usage'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type Actor = components['schemas']['Actor'];
export type Workspace = components['schemas']['Workspace'];
export type CreateWorkspace = components['schemas']['CreateWorkspace'];
export type SignedIn = components['schemas']['SignedIn'];
export type AcceptInvitation = components['schemas']['AcceptInvitation'];
export type InvitationDetails = components['schemas']['InvitationDetails'];
export type ReadInvitationDetails = components['schemas']['ReadInvitationDetails'];
export type Me = components['schemas']['Me'];
export type OwnKey = components['schemas']['OwnKey'];
export type SetPassword = components['schemas']['SetPassword'];
export type UpdateMe = components['schemas']['UpdateMe'];
export type ChangeEmail = components['schemas']['ChangeEmail'];
export type ConfirmEmail = components['schemas']['ConfirmEmail'];
export type Passkey = components['schemas']['Passkey'];
export type CreatePasskey = components['schemas']['CreatePasskey'];
export type NewCredential = components['schemas']['NewCredential'];
export type PasskeyOptions = components['schemas']['PasskeyOptions'];
export type SignInWithPasskey = components['schemas']['SignInWithPasskey'];
export type UsedCredential = components['schemas']['UsedCredential'];
export type SignInMethod = components['schemas']['SignInMethod'];
export type Session = components['schemas']['Session'];
export type OpenLink = components['schemas']['OpenLink'];
export type RequestLink = components['schemas']['RequestLink'];
export type SignIn = components['schemas']['SignIn'];
export type SignInOptions = components['schemas']['SignInOptions'];
export type StartedSignIn = components['schemas']['StartedSignIn'];
export type StartSignIn = components['schemas']['StartSignIn'];
export type SetUp = components['schemas']['SetUp'];
export type Comparison = components['schemas']['Comparison'];
export type AnalyticsRange = components['schemas']['AnalyticsRange'];
export type ClickCounts = components['schemas']['ClickCounts'];
export type Timeseries = components['schemas']['Timeseries'];
export type ClickSeries = components['schemas']['ClickSeries'];
export type Totals = components['schemas']['Totals'];
export type Breakdown = components['schemas']['Breakdown'];
export type ClickBreakdown = components['schemas']['ClickBreakdown'];
export type Lines = components['schemas']['Lines'];
export type ClickLines = components['schemas']['ClickLines'];
export type Suggestions = components['schemas']['Suggestions'];
export type Overview = components['schemas']['Overview'];
export type Integrity = components['schemas']['Integrity'];
export type AnyWorkspace = components['schemas']['AnyWorkspace'];
export type LookedUpLink = components['schemas']['LookedUpLink'];
export type LookUpLink = components['schemas']['LookUpLink'];
export type Health = components['schemas']['Health'];
export type UpdateLink = components['schemas']['UpdateLink'];
export type Alias = components['schemas']['Alias'];
export type LinkVersion = components['schemas']['LinkVersion'];
export type CopyRules = components['schemas']['CopyRules'];
export type CacheStatus = components['schemas']['CacheStatus'];
export type Resolution = components['schemas']['Resolution'];
export type ResolveLink = components['schemas']['ResolveLink'];
export type UpdateTag = components['schemas']['UpdateTag'];
export type UpdateFolder = components['schemas']['UpdateFolder'];
export type UpdateDomain = components['schemas']['UpdateDomain'];
export type DomainVerification = components['schemas']['DomainVerification'];
export type MissedVisits = components['schemas']['MissedVisits'];
export type RotateKey = components['schemas']['RotateKey'];
export type UpdateKey = components['schemas']['UpdateKey'];
export type WebhookStats = components['schemas']['WebhookStats'];
export type WebhookTest = components['schemas']['WebhookTest'];
export type UpdateWebhook = components['schemas']['UpdateWebhook'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookReplay = components['schemas']['WebhookReplay'];
export type ReplayWebhook = components['schemas']['ReplayWebhook'];
export type UpdateWorkspace = components['schemas']['UpdateWorkspace'];
export type Member = components['schemas']['Member'];
export type Invitation = components['schemas']['Invitation'];
export type CreateInvitation = components['schemas']['CreateInvitation'];
export type UpdatePasskey = components['schemas']['UpdatePasskey'];
export type AnyWorkspaceWithUsage = components['schemas']['AnyWorkspaceWithUsage'];
export type SetLimits = components['schemas']['SetLimits'];
export type Suspend = components['schemas']['Suspend'];
export type UpdateMember = components['schemas']['UpdateMember'];
export interface operations {
    listLinks: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
                /** @description Links with any of these ids. */
                id?: string[];
                /** @description Every word must be in slug, URL, title or tags, also as part of a word; one or two letters must begin a word. */
                search?: string;
                /** @description Links with any of these tags. */
                tag?: string[];
                /** @description Links with all of these tags. */
                "tag.all"?: string[];
                /** @description Its host or its id (`dom_…`). */
                domain?: string;
                /** @description The link that has this slug or had it before (an alias), on the domain if that is given. */
                slug?: string;
                /** @description Links that lead there, whatever their rules say. Scheme and host in any case, with or without a default port or the path `/`. */
                url?: string;
                /** @description A folder's name or its id (`fld_…`), or `none`: links in no folder. */
                folder?: string;
                /** @description Links with any of these; all but archived ones if left out. */
                status?: ("live" | "scheduled" | "disabled" | "archived" | "expired" | "used-up")[];
                externalId?: string;
                createdFrom?: string;
                createdBefore?: string;
                /** @description A leading `-` is descending. By `clicks` (of people) and `lastClickedAt` each page is in exact order; from page to page, clicks may be a tenth behind and times a minute. */
                sort?: "-createdAt" | "createdAt" | "-updatedAt" | "updatedAt" | "slug" | "-slug" | "-clicks" | "clicks" | "-lastClickedAt" | "lastClickedAt";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of links. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Link"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/spring",
                 *       "title": "Spring sale"
                 *     }
                 */
                "application/json": components["schemas"]["CreateLink"];
            };
        };
        responses: {
            /** @description The existing link, with `reuse: true`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
            /** @description The new link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
        };
    };
    upsertLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "externalId": "product-4711",
                 *       "url": "https://example.com/4711"
                 *     }
                 */
                "application/json": components["schemas"]["UpsertLink"];
            };
        };
        responses: {
            /** @description The existing link after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
            /** @description The new link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
        };
    };
    createLinks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "url": "https://example.com/a"
                 *         },
                 *         {
                 *           "url": "https://example.com/b"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BulkCreate"];
            };
        };
        responses: {
            /** @description A result for each item, in their order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkResult"];
                };
            };
        };
    };
    deleteLinks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "id": "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BulkDelete"];
            };
        };
        responses: {
            /** @description A result for each item, in their order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkDeleteResult"];
                };
            };
        };
    };
    updateLinks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "id": "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f",
                 *           "addTags": [
                 *             "newsletter"
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BulkUpdate"];
            };
        };
        responses: {
            /** @description A result for each item, in their order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkUpdateResult"];
                };
            };
        };
    };
    importLinks: {
        parameters: {
            query?: {
                /** @description The product that made the file. */
                format?: "hopline" | "bitly" | "dub" | "shlink" | "kutt" | "yourls" | "doubly";
                /** @description The domain for the links: its host or its id. */
                domain?: string;
                /** @description For a row whose slug is taken. `skip` refuses it. `rename` imports it as `spring-2`, or the next free one to `spring-9`. `replace` edits the link that has the slug, at most 500 in a file: it gets what the row has, keeps what the row leaves empty, and its history has the version before. Nothing is replaced that was edited meanwhile, nor a former slug, nor one in the trash. */
                conflict?: "skip" | "rename" | "replace";
                /** @description For a row that names no slug and asks for nothing that only a link of its own has, creates no link if one is the same already, as `reuse` of createLink has it. */
                reuse?: boolean;
                /** @description Only report what would happen. */
                dryRun?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example slug,url,title,tags
                 *     spring,https://example.com/spring,Spring,mail|2026
                 */
                "text/csv": string;
                /** @example {"slug":"spring","url":"https://example.com/spring"} */
                "application/x-ndjson": string;
                /**
                 * @example [
                 *       {
                 *         "slug": "spring",
                 *         "url": "https://example.com/spring"
                 *       }
                 *     ]
                 */
                "application/json": unknown;
            };
        };
        responses: {
            /** @description What happened to the rows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
        };
    };
    exportLinks: {
        parameters: {
            query?: {
                /** @description Links with any of these ids. */
                id?: string[];
                /** @description Every word must be in slug, URL, title or tags, also as part of a word; one or two letters must begin a word. */
                search?: string;
                /** @description Links with any of these tags. */
                tag?: string[];
                /** @description Links with all of these tags. */
                "tag.all"?: string[];
                /** @description Its host or its id (`dom_…`). */
                domain?: string;
                /** @description The link that has this slug or had it before (an alias), on the domain if that is given. */
                slug?: string;
                /** @description Links that lead there, whatever their rules say. Scheme and host in any case, with or without a default port or the path `/`. */
                url?: string;
                /** @description A folder's name or its id (`fld_…`), or `none`: links in no folder. */
                folder?: string;
                /** @description Links with any of these; all but archived ones if left out. */
                status?: ("live" | "scheduled" | "disabled" | "archived" | "expired" | "used-up")[];
                externalId?: string;
                createdFrom?: string;
                createdBefore?: string;
                format?: "csv" | "jsonl";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One line per link; in CSV, a line of column names first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                };
            };
        };
    };
    countLinks: {
        parameters: {
            query?: {
                /** @description Links with any of these ids. */
                id?: string[];
                /** @description Every word must be in slug, URL, title or tags, also as part of a word; one or two letters must begin a word. */
                search?: string;
                /** @description Links with any of these tags. */
                tag?: string[];
                /** @description Links with all of these tags. */
                "tag.all"?: string[];
                /** @description Its host or its id (`dom_…`). */
                domain?: string;
                /** @description The link that has this slug or had it before (an alias), on the domain if that is given. */
                slug?: string;
                /** @description Links that lead there, whatever their rules say. Scheme and host in any case, with or without a default port or the path `/`. */
                url?: string;
                /** @description A folder's name or its id (`fld_…`), or `none`: links in no folder. */
                folder?: string;
                /** @description Links with any of these; all but archived ones if left out. */
                status?: ("live" | "scheduled" | "disabled" | "archived" | "expired" | "used-up")[];
                externalId?: string;
                createdFrom?: string;
                createdBefore?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many links match. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkCount"];
                };
            };
        };
    };
    listTrash: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
                /** @description Every word must be in slug, URL, title or tags, also as part of a word; one or two letters must begin a word. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deleted links. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TrashedLink"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    restoreLinks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "id": "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BulkRestore"];
            };
        };
        responses: {
            /** @description A result for each item, in their order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkRestoreResult"];
                };
            };
        };
    };
    checkSlug: {
        parameters: {
            query: {
                /** @description May have parts: `guide/intro`. One that ends in `/*` forwards what follows it: of `guide/*`, `/guide/intro` leads to where `{path}`, or a `*` at the end of the destination's path, is `intro`. A link at the very address goes first, then the longest match. */
                slug: string;
                /** @description The host or the id (`dom_…`) of a domain. The workspace's oldest domain if left out. */
                domain?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether it is free, and the short URL that the link would get. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlugAvailability"];
                };
            };
        };
    };
    readVocabularies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The words. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vocabularies"];
                };
            };
        };
    };
    listTags: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
                /** @description Every word must be part of its name, in any case. */
                search?: string;
                /** @description A leading `-` is descending. */
                sort?: "name" | "-name";
                /** @description Whether to say in `count` how many there are on all pages. */
                count?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tags, with the number of links that have each. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Tag"][];
                        nextCursor: string | null;
                        /** @description On all pages, if `count=true` asks. */
                        count?: number;
                    };
                };
            };
        };
    };
    createTag: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "newsletter",
                 *       "color": "#0e7c86"
                 *     }
                 */
                "application/json": components["schemas"]["CreateTag"];
            };
        };
        responses: {
            /** @description The new tag. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tag"];
                };
            };
        };
    };
    listFolders: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
                /** @description Every word must be part of its name, in any case. */
                search?: string;
                /** @description A leading `-` is descending. */
                sort?: "-createdAt" | "createdAt" | "name" | "-name";
                /** @description Whether to say in `count` how many there are on all pages. */
                count?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of folders. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Folder"][];
                        nextCursor: string | null;
                        /** @description On all pages, if `count=true` asks. */
                        count?: number;
                    };
                };
            };
        };
    };
    createFolder: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Spring campaign"
                 *     }
                 */
                "application/json": components["schemas"]["CreateFolder"];
            };
        };
        responses: {
            /** @description The new folder. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Folder"];
                };
            };
        };
    };
    listDomains: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
                /** @description Every word must be part of its host or title, in any case. */
                search?: string;
                /** @description A leading `-` is descending. */
                sort?: "-createdAt" | "createdAt" | "name" | "-name";
                /** @description Whether to say in `count` how many there are on all pages. */
                count?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of short domains. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Domain"][];
                        nextCursor: string | null;
                        /** @description On all pages, if `count=true` asks. */
                        count?: number;
                    };
                };
            };
        };
    };
    createDomain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "host": "go.example.com"
                 *     }
                 */
                "application/json": components["schemas"]["CreateDomain"];
            };
        };
        responses: {
            /** @description The new domain. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
                /** @description Every word must be part of its name or prefix, in any case. */
                search?: string;
                /** @description A leading `-` is descending. */
                sort?: "-createdAt" | "createdAt" | "name" | "-name";
                /** @description Whether to say in `count` how many there are on all pages. */
                count?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of API keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Key"][];
                        nextCursor: string | null;
                        /** @description On all pages, if `count=true` asks. */
                        count?: number;
                    };
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Newsletter",
                 *       "scopes": [
                 *         "links:read",
                 *         "links:write"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateKey"];
            };
        };
        responses: {
            /** @description The key. Store it now: it is not shown again. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
                /** @description Every word must be part of its description or URL, in any case. */
                search?: string;
                /** @description A leading `-` is descending. */
                sort?: "-createdAt" | "createdAt" | "name" | "-name";
                /** @description Whether to say in `count` how many there are on all pages. */
                count?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhooks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        nextCursor: string | null;
                        /** @description On all pages, if `count=true` asks. */
                        count?: number;
                    };
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/hopline",
                 *       "events": [
                 *         "link.created",
                 *         "click"
                 *       ],
                 *       "filter": {
                 *         "classes": [
                 *           "human"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description The webhook. Store its secret now: it is not shown again. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
        };
    };
    readUsage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
        };
    };
    exportAuditLog: {
        parameters: {
            query?: {
                /** @description Any of these: the id of a person or a key, a type of actor such as `job`, or a JWT's subject as `jwt:<subject>`. */
                actor?: string[];
                /** @description Any of these. */
                action?: string[];
                /** @description The id of what was changed; any of these. */
                resource?: string[];
                /** @description Not before. */
                from?: string;
                /** @description Before. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description Any of these: the id of a person or a key, a type of actor such as `job`, or a JWT's subject as `jwt:<subject>`. */
                actor?: string[];
                /** @description Any of these. */
                action?: string[];
                /** @description The id of what was changed; any of these. */
                resource?: string[];
                /** @description Not before. */
                from?: string;
                /** @description Before. */
                to?: string;
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    listOwnAuditLog: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    listWorkspaces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workspaces. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Workspace"][];
                        nextCursor: null;
                    };
                };
            };
        };
    };
    createWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Marketing"
                 *     }
                 */
                "application/json": components["schemas"]["CreateWorkspace"];
            };
        };
        responses: {
            /** @description The workspace. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "inv_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f.c2lnbmF0dXJl"
                 *     }
                 */
                "application/json": components["schemas"]["AcceptInvitation"];
            };
        };
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    readInvitationDetails: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "inv_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f.c2lnbmF0dXJl"
                 *     }
                 */
                "application/json": components["schemas"]["ReadInvitationDetails"];
            };
        };
        responses: {
            /** @description The invitation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationDetails"];
                };
            };
        };
    };
    readMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person, or the key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"] | components["schemas"]["OwnKey"];
                };
            };
        };
    };
    deleteMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada Lovelace"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateMe"];
            };
        };
        responses: {
            /** @description The person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    setPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "newPassword": "correct horse battery",
                 *       "currentPassword": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["SetPassword"];
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["ChangeEmail"];
            };
        };
        responses: {
            /** @description If no account has the address, an email is on its way to it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    confirmEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "vYkQzBtTnLwXcGdHsRmJpFqZ"
                 *     }
                 */
                "application/json": components["schemas"]["ConfirmEmail"];
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The passkeys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Passkey"][];
                        nextCursor: null;
                    };
                };
            };
        };
    };
    createPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Laptop",
                 *       "credential": {
                 *         "id": "cGFzc2tleQ",
                 *         "rawId": "cGFzc2tleQ",
                 *         "type": "public-key",
                 *         "clientExtensionResults": {},
                 *         "response": {
                 *           "clientDataJSON": "e30",
                 *           "attestationObject": "AAAA"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreatePasskey"];
            };
        };
        responses: {
            /** @description The passkey. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
        };
    };
    createPasskeyOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description WebAuthn's PublicKeyCredentialCreationOptionsJSON. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
        };
    };
    requestPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description WebAuthn's PublicKeyCredentialRequestOptionsJSON. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
        };
    };
    signInWithPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "credential": {
                 *         "id": "cGFzc2tleQ",
                 *         "rawId": "cGFzc2tleQ",
                 *         "type": "public-key",
                 *         "clientExtensionResults": {},
                 *         "response": {
                 *           "clientDataJSON": "e30",
                 *           "authenticatorData": "AAAA",
                 *           "signature": "AAAA"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SignInWithPasskey"];
            };
        };
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    listSignInMethods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ways. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SignInMethod"][];
                        nextCursor: null;
                    };
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Session"][];
                        nextCursor: null;
                    };
                };
            };
        };
    };
    deleteOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    openSignInLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "vYkQzBtTnLwXcGdHsRmJpFqZ"
                 *     }
                 */
                "application/json": components["schemas"]["OpenLink"];
            };
        };
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    requestSignInLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": components["schemas"]["RequestLink"];
            };
        };
        responses: {
            /** @description If there is such an account, or there may be, an email is on its way. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readSignInOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ways. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInOptions"];
                };
            };
        };
    };
    startSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "provider": "google",
                 *       "returnTo": "/links"
                 *     }
                 */
                "application/json": components["schemas"]["StartSignIn"];
            };
        };
        responses: {
            /** @description Where the browser goes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedSignIn"];
                };
            };
        };
    };
    setUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "vYkQzBtTnLwXcGdHsRmJpFqZ",
                 *       "email": "ada@example.com",
                 *       "name": "Ada Lovelace",
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["SetUp"];
            };
        };
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    compareWithPeriodBefore: {
        parameters: {
            query?: {
                /** @description First instant, or first day in `timeZone`. */
                from?: string;
                /** @description End of the range (exclusive instant), or its last day (inclusive). Now if left out. */
                to?: string;
                /** @description Instead of `from`; `last30Days` if both are left out. Includes today. */
                period?: "today" | "yesterday" | "last7Days" | "last30Days" | "last90Days" | "thisMonth" | "lastMonth" | "last12Months" | "thisYear";
                /** @description IANA zone for days and weeks. */
                timeZone?: string;
                /** @description Any of these; an empty one means unknown. Ids (`lnk_…`). */
                link?: string[];
                /** @description None of these. */
                "link.not"?: string[];
                /** @description Any of these; an empty one means unknown. Hosts, or ids (`dom_…`). */
                domain?: string[];
                /** @description None of these. */
                "domain.not"?: string[];
                /** @description Any of these; an empty one means unknown. By the current tags of links. */
                tag?: string[];
                /** @description None of these. */
                "tag.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                rule?: string[];
                /** @description None of these. */
                "rule.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                variant?: string[];
                /** @description None of these. */
                "variant.not"?: string[];
                /** @description Any of these; an empty one means unknown. Where the visitor was sent: as the link was then, or by a rule of it. The first 512 characters. */
                destination?: string[];
                /** @description None of these. */
                "destination.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                source?: string[];
                /** @description None of these. */
                "source.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                referrer?: string[];
                /** @description None of these. */
                "referrer.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                country?: string[];
                /** @description None of these. */
                "country.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH`, or `ZH` in any country. */
                region?: string[];
                /** @description None of these. */
                "region.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH/Zürich`, or `Zürich` anywhere. */
                city?: string[];
                /** @description None of these. */
                "city.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                continent?: string[];
                /** @description None of these. */
                "continent.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                browser?: string[];
                /** @description None of these. */
                "browser.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                os?: string[];
                /** @description None of these. */
                "os.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                device?: string[];
                /** @description None of these. */
                "device.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                language?: string[];
                /** @description None of these. */
                "language.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                colo?: string[];
                /** @description None of these. */
                "colo.not"?: string[];
                /** @description Any of these; an empty one means unknown. `human` if left out; `all` for every class. */
                class?: string[];
                /** @description None of these. */
                "class.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmSource?: string[];
                /** @description None of these. */
                "utmSource.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmMedium?: string[];
                /** @description None of these. */
                "utmMedium.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmCampaign?: string[];
                /** @description None of these. */
                "utmCampaign.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmTerm?: string[];
                /** @description None of these. */
                "utmTerm.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmContent?: string[];
                /** @description None of these. */
                "utmContent.not"?: string[];
                /** @description Count unique visitors too. Complete days (UTC) are pre-aggregated for a whole workspace, one link or one country, for humans or all classes: totals and comparisons with edges on quarters of an hour, series by day or longer, and a workspace by country. Everything else (other filters, other dimensions, hours) is counted from single clicks. That takes longer, and is refused with `query_too_wide` if it takes too long: ask for fewer days, or without visitors. */
                visitors?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Both counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comparison"];
                };
            };
        };
    };
    readTimeseries: {
        parameters: {
            query?: {
                /** @description First instant, or first day in `timeZone`. */
                from?: string;
                /** @description End of the range (exclusive instant), or its last day (inclusive). Now if left out. */
                to?: string;
                /** @description Instead of `from`; `last30Days` if both are left out. Includes today. */
                period?: "today" | "yesterday" | "last7Days" | "last30Days" | "last90Days" | "thisMonth" | "lastMonth" | "last12Months" | "thisYear";
                /** @description IANA zone for days and weeks. */
                timeZone?: string;
                /** @description Any of these; an empty one means unknown. Ids (`lnk_…`). */
                link?: string[];
                /** @description None of these. */
                "link.not"?: string[];
                /** @description Any of these; an empty one means unknown. Hosts, or ids (`dom_…`). */
                domain?: string[];
                /** @description None of these. */
                "domain.not"?: string[];
                /** @description Any of these; an empty one means unknown. By the current tags of links. */
                tag?: string[];
                /** @description None of these. */
                "tag.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                rule?: string[];
                /** @description None of these. */
                "rule.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                variant?: string[];
                /** @description None of these. */
                "variant.not"?: string[];
                /** @description Any of these; an empty one means unknown. Where the visitor was sent: as the link was then, or by a rule of it. The first 512 characters. */
                destination?: string[];
                /** @description None of these. */
                "destination.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                source?: string[];
                /** @description None of these. */
                "source.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                referrer?: string[];
                /** @description None of these. */
                "referrer.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                country?: string[];
                /** @description None of these. */
                "country.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH`, or `ZH` in any country. */
                region?: string[];
                /** @description None of these. */
                "region.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH/Zürich`, or `Zürich` anywhere. */
                city?: string[];
                /** @description None of these. */
                "city.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                continent?: string[];
                /** @description None of these. */
                "continent.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                browser?: string[];
                /** @description None of these. */
                "browser.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                os?: string[];
                /** @description None of these. */
                "os.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                device?: string[];
                /** @description None of these. */
                "device.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                language?: string[];
                /** @description None of these. */
                "language.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                colo?: string[];
                /** @description None of these. */
                "colo.not"?: string[];
                /** @description Any of these; an empty one means unknown. `human` if left out; `all` for every class. */
                class?: string[];
                /** @description None of these. */
                "class.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmSource?: string[];
                /** @description None of these. */
                "utmSource.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmMedium?: string[];
                /** @description None of these. */
                "utmMedium.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmCampaign?: string[];
                /** @description None of these. */
                "utmCampaign.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmTerm?: string[];
                /** @description None of these. */
                "utmTerm.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmContent?: string[];
                /** @description None of these. */
                "utmContent.not"?: string[];
                /** @description Count unique visitors too. Complete days (UTC) are pre-aggregated for a whole workspace, one link or one country, for humans or all classes: totals and comparisons with edges on quarters of an hour, series by day or longer, and a workspace by country. Everything else (other filters, other dimensions, hours) is counted from single clicks. That takes longer, and is refused with `query_too_wide` if it takes too long: ask for fewer days, or without visitors. */
                visitors?: boolean;
                /** @description Of the chart; chosen by the length of the range if left out. */
                interval?: "15m" | "hour" | "day" | "week" | "month" | "quarter" | "year";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The series. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timeseries"];
                };
            };
        };
    };
    readTotals: {
        parameters: {
            query?: {
                /** @description First instant, or first day in `timeZone`. */
                from?: string;
                /** @description End of the range (exclusive instant), or its last day (inclusive). Now if left out. */
                to?: string;
                /** @description Instead of `from`; `last30Days` if both are left out. Includes today. */
                period?: "today" | "yesterday" | "last7Days" | "last30Days" | "last90Days" | "thisMonth" | "lastMonth" | "last12Months" | "thisYear";
                /** @description IANA zone for days and weeks. */
                timeZone?: string;
                /** @description Any of these; an empty one means unknown. Ids (`lnk_…`). */
                link?: string[];
                /** @description None of these. */
                "link.not"?: string[];
                /** @description Any of these; an empty one means unknown. Hosts, or ids (`dom_…`). */
                domain?: string[];
                /** @description None of these. */
                "domain.not"?: string[];
                /** @description Any of these; an empty one means unknown. By the current tags of links. */
                tag?: string[];
                /** @description None of these. */
                "tag.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                rule?: string[];
                /** @description None of these. */
                "rule.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                variant?: string[];
                /** @description None of these. */
                "variant.not"?: string[];
                /** @description Any of these; an empty one means unknown. Where the visitor was sent: as the link was then, or by a rule of it. The first 512 characters. */
                destination?: string[];
                /** @description None of these. */
                "destination.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                source?: string[];
                /** @description None of these. */
                "source.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                referrer?: string[];
                /** @description None of these. */
                "referrer.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                country?: string[];
                /** @description None of these. */
                "country.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH`, or `ZH` in any country. */
                region?: string[];
                /** @description None of these. */
                "region.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH/Zürich`, or `Zürich` anywhere. */
                city?: string[];
                /** @description None of these. */
                "city.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                continent?: string[];
                /** @description None of these. */
                "continent.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                browser?: string[];
                /** @description None of these. */
                "browser.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                os?: string[];
                /** @description None of these. */
                "os.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                device?: string[];
                /** @description None of these. */
                "device.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                language?: string[];
                /** @description None of these. */
                "language.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                colo?: string[];
                /** @description None of these. */
                "colo.not"?: string[];
                /** @description Any of these; an empty one means unknown. `human` if left out; `all` for every class. */
                class?: string[];
                /** @description None of these. */
                "class.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmSource?: string[];
                /** @description None of these. */
                "utmSource.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmMedium?: string[];
                /** @description None of these. */
                "utmMedium.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmCampaign?: string[];
                /** @description None of these. */
                "utmCampaign.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmTerm?: string[];
                /** @description None of these. */
                "utmTerm.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmContent?: string[];
                /** @description None of these. */
                "utmContent.not"?: string[];
                /** @description Count unique visitors too. Complete days (UTC) are pre-aggregated for a whole workspace, one link or one country, for humans or all classes: totals and comparisons with edges on quarters of an hour, series by day or longer, and a workspace by country. Everything else (other filters, other dimensions, hours) is counted from single clicks. That takes longer, and is refused with `query_too_wide` if it takes too long: ask for fewer days, or without visitors. */
                visitors?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Totals"];
                };
            };
        };
    };
    readBreakdown: {
        parameters: {
            query: {
                /** @description First instant, or first day in `timeZone`. */
                from?: string;
                /** @description End of the range (exclusive instant), or its last day (inclusive). Now if left out. */
                to?: string;
                /** @description Instead of `from`; `last30Days` if both are left out. Includes today. */
                period?: "today" | "yesterday" | "last7Days" | "last30Days" | "last90Days" | "thisMonth" | "lastMonth" | "last12Months" | "thisYear";
                /** @description IANA zone for days and weeks. */
                timeZone?: string;
                /** @description Any of these; an empty one means unknown. Ids (`lnk_…`). */
                link?: string[];
                /** @description None of these. */
                "link.not"?: string[];
                /** @description Any of these; an empty one means unknown. Hosts, or ids (`dom_…`). */
                domain?: string[];
                /** @description None of these. */
                "domain.not"?: string[];
                /** @description Any of these; an empty one means unknown. By the current tags of links. */
                tag?: string[];
                /** @description None of these. */
                "tag.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                rule?: string[];
                /** @description None of these. */
                "rule.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                variant?: string[];
                /** @description None of these. */
                "variant.not"?: string[];
                /** @description Any of these; an empty one means unknown. Where the visitor was sent: as the link was then, or by a rule of it. The first 512 characters. */
                destination?: string[];
                /** @description None of these. */
                "destination.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                source?: string[];
                /** @description None of these. */
                "source.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                referrer?: string[];
                /** @description None of these. */
                "referrer.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                country?: string[];
                /** @description None of these. */
                "country.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH`, or `ZH` in any country. */
                region?: string[];
                /** @description None of these. */
                "region.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH/Zürich`, or `Zürich` anywhere. */
                city?: string[];
                /** @description None of these. */
                "city.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                continent?: string[];
                /** @description None of these. */
                "continent.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                browser?: string[];
                /** @description None of these. */
                "browser.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                os?: string[];
                /** @description None of these. */
                "os.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                device?: string[];
                /** @description None of these. */
                "device.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                language?: string[];
                /** @description None of these. */
                "language.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                colo?: string[];
                /** @description None of these. */
                "colo.not"?: string[];
                /** @description Any of these; an empty one means unknown. `human` if left out; `all` for every class. */
                class?: string[];
                /** @description None of these. */
                "class.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmSource?: string[];
                /** @description None of these. */
                "utmSource.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmMedium?: string[];
                /** @description None of these. */
                "utmMedium.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmCampaign?: string[];
                /** @description None of these. */
                "utmCampaign.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmTerm?: string[];
                /** @description None of these. */
                "utmTerm.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmContent?: string[];
                /** @description None of these. */
                "utmContent.not"?: string[];
                dimension: "link" | "domain" | "tag" | "rule" | "variant" | "destination" | "source" | "referrer" | "country" | "region" | "city" | "continent" | "browser" | "os" | "device" | "language" | "colo" | "class" | "utmSource" | "utmMedium" | "utmCampaign" | "utmTerm" | "utmContent";
                /** @description Values with the most clicks. */
                limit?: number;
                /** @description Count unique visitors too. Complete days (UTC) are pre-aggregated for a whole workspace, one link or one country, for humans or all classes: totals and comparisons with edges on quarters of an hour, series by day or longer, and a workspace by country. Everything else (other filters, other dimensions, hours) is counted from single clicks. That takes longer, and is refused with `query_too_wide` if it takes too long: ask for fewer days, or without visitors. */
                visitors?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The values. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Breakdown"];
                };
            };
        };
    };
    readLines: {
        parameters: {
            query: {
                /** @description First instant, or first day in `timeZone`. */
                from?: string;
                /** @description End of the range (exclusive instant), or its last day (inclusive). Now if left out. */
                to?: string;
                /** @description Instead of `from`; `last30Days` if both are left out. Includes today. */
                period?: "today" | "yesterday" | "last7Days" | "last30Days" | "last90Days" | "thisMonth" | "lastMonth" | "last12Months" | "thisYear";
                /** @description IANA zone for days and weeks. */
                timeZone?: string;
                /** @description Any of these; an empty one means unknown. Ids (`lnk_…`). */
                link?: string[];
                /** @description None of these. */
                "link.not"?: string[];
                /** @description Any of these; an empty one means unknown. Hosts, or ids (`dom_…`). */
                domain?: string[];
                /** @description None of these. */
                "domain.not"?: string[];
                /** @description Any of these; an empty one means unknown. By the current tags of links. */
                tag?: string[];
                /** @description None of these. */
                "tag.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                rule?: string[];
                /** @description None of these. */
                "rule.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                variant?: string[];
                /** @description None of these. */
                "variant.not"?: string[];
                /** @description Any of these; an empty one means unknown. Where the visitor was sent: as the link was then, or by a rule of it. The first 512 characters. */
                destination?: string[];
                /** @description None of these. */
                "destination.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                source?: string[];
                /** @description None of these. */
                "source.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                referrer?: string[];
                /** @description None of these. */
                "referrer.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                country?: string[];
                /** @description None of these. */
                "country.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH`, or `ZH` in any country. */
                region?: string[];
                /** @description None of these. */
                "region.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH/Zürich`, or `Zürich` anywhere. */
                city?: string[];
                /** @description None of these. */
                "city.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                continent?: string[];
                /** @description None of these. */
                "continent.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                browser?: string[];
                /** @description None of these. */
                "browser.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                os?: string[];
                /** @description None of these. */
                "os.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                device?: string[];
                /** @description None of these. */
                "device.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                language?: string[];
                /** @description None of these. */
                "language.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                colo?: string[];
                /** @description None of these. */
                "colo.not"?: string[];
                /** @description Any of these; an empty one means unknown. `human` if left out; `all` for every class. */
                class?: string[];
                /** @description None of these. */
                "class.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmSource?: string[];
                /** @description None of these. */
                "utmSource.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmMedium?: string[];
                /** @description None of these. */
                "utmMedium.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmCampaign?: string[];
                /** @description None of these. */
                "utmCampaign.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmTerm?: string[];
                /** @description None of these. */
                "utmTerm.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmContent?: string[];
                /** @description None of these. */
                "utmContent.not"?: string[];
                dimension: "link" | "domain" | "tag" | "rule" | "variant" | "destination" | "source" | "referrer" | "country" | "region" | "city" | "continent" | "browser" | "os" | "device" | "language" | "colo" | "class" | "utmSource" | "utmMedium" | "utmCampaign" | "utmTerm" | "utmContent";
                /** @description Of the chart; chosen by the length of the range if left out. */
                interval?: "15m" | "hour" | "day" | "week" | "month" | "quarter" | "year";
                /** @description Values with the most clicks. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lines. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lines"];
                };
            };
        };
    };
    suggestValues: {
        parameters: {
            query: {
                /** @description First instant, or first day in `timeZone`. */
                from?: string;
                /** @description End of the range (exclusive instant), or its last day (inclusive). Now if left out. */
                to?: string;
                /** @description Instead of `from`; `last30Days` if both are left out. Includes today. */
                period?: "today" | "yesterday" | "last7Days" | "last30Days" | "last90Days" | "thisMonth" | "lastMonth" | "last12Months" | "thisYear";
                /** @description IANA zone for days and weeks. */
                timeZone?: string;
                /** @description Any of these; an empty one means unknown. Ids (`lnk_…`). */
                link?: string[];
                /** @description None of these. */
                "link.not"?: string[];
                /** @description Any of these; an empty one means unknown. Hosts, or ids (`dom_…`). */
                domain?: string[];
                /** @description None of these. */
                "domain.not"?: string[];
                /** @description Any of these; an empty one means unknown. By the current tags of links. */
                tag?: string[];
                /** @description None of these. */
                "tag.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                rule?: string[];
                /** @description None of these. */
                "rule.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                variant?: string[];
                /** @description None of these. */
                "variant.not"?: string[];
                /** @description Any of these; an empty one means unknown. Where the visitor was sent: as the link was then, or by a rule of it. The first 512 characters. */
                destination?: string[];
                /** @description None of these. */
                "destination.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                source?: string[];
                /** @description None of these. */
                "source.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                referrer?: string[];
                /** @description None of these. */
                "referrer.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                country?: string[];
                /** @description None of these. */
                "country.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH`, or `ZH` in any country. */
                region?: string[];
                /** @description None of these. */
                "region.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH/Zürich`, or `Zürich` anywhere. */
                city?: string[];
                /** @description None of these. */
                "city.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                continent?: string[];
                /** @description None of these. */
                "continent.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                browser?: string[];
                /** @description None of these. */
                "browser.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                os?: string[];
                /** @description None of these. */
                "os.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                device?: string[];
                /** @description None of these. */
                "device.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                language?: string[];
                /** @description None of these. */
                "language.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                colo?: string[];
                /** @description None of these. */
                "colo.not"?: string[];
                /** @description Any of these; an empty one means unknown. `human` if left out; `all` for every class. */
                class?: string[];
                /** @description None of these. */
                "class.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmSource?: string[];
                /** @description None of these. */
                "utmSource.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmMedium?: string[];
                /** @description None of these. */
                "utmMedium.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmCampaign?: string[];
                /** @description None of these. */
                "utmCampaign.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmTerm?: string[];
                /** @description None of these. */
                "utmTerm.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmContent?: string[];
                /** @description None of these. */
                "utmContent.not"?: string[];
                dimension: "link" | "domain" | "tag" | "rule" | "variant" | "destination" | "source" | "referrer" | "country" | "region" | "city" | "continent" | "browser" | "os" | "device" | "language" | "colo" | "class" | "utmSource" | "utmMedium" | "utmCampaign" | "utmTerm" | "utmContent";
                search?: string;
                /** @description Values with the most clicks. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The values. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suggestions"];
                };
            };
        };
    };
    listClicks: {
        parameters: {
            query?: {
                /** @description First instant, or first day in `timeZone`. */
                from?: string;
                /** @description End of the range (exclusive instant), or its last day (inclusive). Now if left out. */
                to?: string;
                /** @description Instead of `from`; `last30Days` if both are left out. Includes today. */
                period?: "today" | "yesterday" | "last7Days" | "last30Days" | "last90Days" | "thisMonth" | "lastMonth" | "last12Months" | "thisYear";
                /** @description IANA zone for days and weeks. */
                timeZone?: string;
                /** @description Any of these; an empty one means unknown. Ids (`lnk_…`). */
                link?: string[];
                /** @description None of these. */
                "link.not"?: string[];
                /** @description Any of these; an empty one means unknown. Hosts, or ids (`dom_…`). */
                domain?: string[];
                /** @description None of these. */
                "domain.not"?: string[];
                /** @description Any of these; an empty one means unknown. By the current tags of links. */
                tag?: string[];
                /** @description None of these. */
                "tag.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                rule?: string[];
                /** @description None of these. */
                "rule.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                variant?: string[];
                /** @description None of these. */
                "variant.not"?: string[];
                /** @description Any of these; an empty one means unknown. Where the visitor was sent: as the link was then, or by a rule of it. The first 512 characters. */
                destination?: string[];
                /** @description None of these. */
                "destination.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                source?: string[];
                /** @description None of these. */
                "source.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                referrer?: string[];
                /** @description None of these. */
                "referrer.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                country?: string[];
                /** @description None of these. */
                "country.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH`, or `ZH` in any country. */
                region?: string[];
                /** @description None of these. */
                "region.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH/Zürich`, or `Zürich` anywhere. */
                city?: string[];
                /** @description None of these. */
                "city.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                continent?: string[];
                /** @description None of these. */
                "continent.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                browser?: string[];
                /** @description None of these. */
                "browser.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                os?: string[];
                /** @description None of these. */
                "os.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                device?: string[];
                /** @description None of these. */
                "device.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                language?: string[];
                /** @description None of these. */
                "language.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                colo?: string[];
                /** @description None of these. */
                "colo.not"?: string[];
                /** @description Any of these; an empty one means unknown. `human` if left out; `all` for every class. */
                class?: string[];
                /** @description None of these. */
                "class.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmSource?: string[];
                /** @description None of these. */
                "utmSource.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmMedium?: string[];
                /** @description None of these. */
                "utmMedium.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmCampaign?: string[];
                /** @description None of these. */
                "utmCampaign.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmTerm?: string[];
                /** @description None of these. */
                "utmTerm.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmContent?: string[];
                /** @description None of these. */
                "utmContent.not"?: string[];
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of clicks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Click"][];
                        nextCursor: string | null;
                        range: components["schemas"]["AnalyticsRange"];
                    };
                };
            };
        };
    };
    exportClicks: {
        parameters: {
            query?: {
                /** @description First instant, or first day in `timeZone`. */
                from?: string;
                /** @description End of the range (exclusive instant), or its last day (inclusive). Now if left out. */
                to?: string;
                /** @description Instead of `from`; `last30Days` if both are left out. Includes today. */
                period?: "today" | "yesterday" | "last7Days" | "last30Days" | "last90Days" | "thisMonth" | "lastMonth" | "last12Months" | "thisYear";
                /** @description IANA zone for days and weeks. */
                timeZone?: string;
                /** @description Any of these; an empty one means unknown. Ids (`lnk_…`). */
                link?: string[];
                /** @description None of these. */
                "link.not"?: string[];
                /** @description Any of these; an empty one means unknown. Hosts, or ids (`dom_…`). */
                domain?: string[];
                /** @description None of these. */
                "domain.not"?: string[];
                /** @description Any of these; an empty one means unknown. By the current tags of links. */
                tag?: string[];
                /** @description None of these. */
                "tag.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                rule?: string[];
                /** @description None of these. */
                "rule.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                variant?: string[];
                /** @description None of these. */
                "variant.not"?: string[];
                /** @description Any of these; an empty one means unknown. Where the visitor was sent: as the link was then, or by a rule of it. The first 512 characters. */
                destination?: string[];
                /** @description None of these. */
                "destination.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                source?: string[];
                /** @description None of these. */
                "source.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                referrer?: string[];
                /** @description None of these. */
                "referrer.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                country?: string[];
                /** @description None of these. */
                "country.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH`, or `ZH` in any country. */
                region?: string[];
                /** @description None of these. */
                "region.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH/Zürich`, or `Zürich` anywhere. */
                city?: string[];
                /** @description None of these. */
                "city.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                continent?: string[];
                /** @description None of these. */
                "continent.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                browser?: string[];
                /** @description None of these. */
                "browser.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                os?: string[];
                /** @description None of these. */
                "os.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                device?: string[];
                /** @description None of these. */
                "device.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                language?: string[];
                /** @description None of these. */
                "language.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                colo?: string[];
                /** @description None of these. */
                "colo.not"?: string[];
                /** @description Any of these; an empty one means unknown. `human` if left out; `all` for every class. */
                class?: string[];
                /** @description None of these. */
                "class.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmSource?: string[];
                /** @description None of these. */
                "utmSource.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmMedium?: string[];
                /** @description None of these. */
                "utmMedium.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmCampaign?: string[];
                /** @description None of these. */
                "utmCampaign.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmTerm?: string[];
                /** @description None of these. */
                "utmTerm.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmContent?: string[];
                /** @description None of these. */
                "utmContent.not"?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clicks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    readOverview: {
        parameters: {
            query?: {
                /** @description First instant, or first day in `timeZone`. */
                from?: string;
                /** @description End of the range (exclusive instant), or its last day (inclusive). Now if left out. */
                to?: string;
                /** @description Instead of `from`; `last30Days` if both are left out. Includes today. */
                period?: "today" | "yesterday" | "last7Days" | "last30Days" | "last90Days" | "thisMonth" | "lastMonth" | "last12Months" | "thisYear";
                /** @description IANA zone for days and weeks. */
                timeZone?: string;
                /** @description Any of these; an empty one means unknown. Ids (`lnk_…`). */
                link?: string[];
                /** @description None of these. */
                "link.not"?: string[];
                /** @description Any of these; an empty one means unknown. Hosts, or ids (`dom_…`). */
                domain?: string[];
                /** @description None of these. */
                "domain.not"?: string[];
                /** @description Any of these; an empty one means unknown. By the current tags of links. */
                tag?: string[];
                /** @description None of these. */
                "tag.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                rule?: string[];
                /** @description None of these. */
                "rule.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                variant?: string[];
                /** @description None of these. */
                "variant.not"?: string[];
                /** @description Any of these; an empty one means unknown. Where the visitor was sent: as the link was then, or by a rule of it. The first 512 characters. */
                destination?: string[];
                /** @description None of these. */
                "destination.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                source?: string[];
                /** @description None of these. */
                "source.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                referrer?: string[];
                /** @description None of these. */
                "referrer.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                country?: string[];
                /** @description None of these. */
                "country.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH`, or `ZH` in any country. */
                region?: string[];
                /** @description None of these. */
                "region.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH/Zürich`, or `Zürich` anywhere. */
                city?: string[];
                /** @description None of these. */
                "city.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                continent?: string[];
                /** @description None of these. */
                "continent.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                browser?: string[];
                /** @description None of these. */
                "browser.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                os?: string[];
                /** @description None of these. */
                "os.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                device?: string[];
                /** @description None of these. */
                "device.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                language?: string[];
                /** @description None of these. */
                "language.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                colo?: string[];
                /** @description None of these. */
                "colo.not"?: string[];
                /** @description Any of these; an empty one means unknown. `human` if left out; `all` for every class. */
                class?: string[];
                /** @description None of these. */
                "class.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmSource?: string[];
                /** @description None of these. */
                "utmSource.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmMedium?: string[];
                /** @description None of these. */
                "utmMedium.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmCampaign?: string[];
                /** @description None of these. */
                "utmCampaign.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmTerm?: string[];
                /** @description None of these. */
                "utmTerm.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmContent?: string[];
                /** @description None of these. */
                "utmContent.not"?: string[];
                /** @description Of the chart; chosen by the length of the range if left out. */
                interval?: "15m" | "hour" | "day" | "week" | "month" | "quarter" | "year";
                /** @description Dimensions whose top values to list. */
                lists?: ("link" | "domain" | "tag" | "rule" | "variant" | "destination" | "source" | "referrer" | "country" | "region" | "city" | "continent" | "browser" | "os" | "device" | "language" | "colo" | "class" | "utmSource" | "utmMedium" | "utmCampaign" | "utmTerm" | "utmContent")[];
                /** @description Dimensions to count as choices: with every filter except the dimension's own, so that values that are not selected have counts too. */
                facets?: ("link" | "domain" | "tag" | "rule" | "variant" | "destination" | "source" | "referrer" | "country" | "region" | "city" | "continent" | "browser" | "os" | "device" | "language" | "colo" | "class" | "utmSource" | "utmMedium" | "utmCampaign" | "utmTerm" | "utmContent")[];
                /** @description Values per list. */
                limit?: number;
                /** @description Count unique visitors too. Complete days (UTC) are pre-aggregated for a whole workspace, one link or one country, for humans or all classes: totals and comparisons with edges on quarters of an hour, series by day or longer, and a workspace by country. Everything else (other filters, other dimensions, hours) is counted from single clicks. That takes longer, and is refused with `query_too_wide` if it takes too long: ask for fewer days, or without visitors. */
                visitors?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The overview. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
        };
    };
    streamLiveClicks: {
        parameters: {
            query?: {
                /** @description Any of these; an empty one means unknown. Ids (`lnk_…`). */
                link?: string[];
                /** @description None of these. */
                "link.not"?: string[];
                /** @description Any of these; an empty one means unknown. Hosts, or ids (`dom_…`). */
                domain?: string[];
                /** @description None of these. */
                "domain.not"?: string[];
                /** @description Any of these; an empty one means unknown. By the current tags of links. */
                tag?: string[];
                /** @description None of these. */
                "tag.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                rule?: string[];
                /** @description None of these. */
                "rule.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                variant?: string[];
                /** @description None of these. */
                "variant.not"?: string[];
                /** @description Any of these; an empty one means unknown. Where the visitor was sent: as the link was then, or by a rule of it. The first 512 characters. */
                destination?: string[];
                /** @description None of these. */
                "destination.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                source?: string[];
                /** @description None of these. */
                "source.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                referrer?: string[];
                /** @description None of these. */
                "referrer.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                country?: string[];
                /** @description None of these. */
                "country.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH`, or `ZH` in any country. */
                region?: string[];
                /** @description None of these. */
                "region.not"?: string[];
                /** @description Any of these; an empty one means unknown. `CH-ZH/Zürich`, or `Zürich` anywhere. */
                city?: string[];
                /** @description None of these. */
                "city.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                continent?: string[];
                /** @description None of these. */
                "continent.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                browser?: string[];
                /** @description None of these. */
                "browser.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                os?: string[];
                /** @description None of these. */
                "os.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                device?: string[];
                /** @description None of these. */
                "device.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                language?: string[];
                /** @description None of these. */
                "language.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                colo?: string[];
                /** @description None of these. */
                "colo.not"?: string[];
                /** @description Any of these; an empty one means unknown. `human` if left out; `all` for every class. */
                class?: string[];
                /** @description None of these. */
                "class.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmSource?: string[];
                /** @description None of these. */
                "utmSource.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmMedium?: string[];
                /** @description None of these. */
                "utmMedium.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmCampaign?: string[];
                /** @description None of these. */
                "utmCampaign.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmTerm?: string[];
                /** @description None of these. */
                "utmTerm.not"?: string[];
                /** @description Any of these; an empty one means unknown. */
                utmContent?: string[];
                /** @description None of these. */
                "utmContent.not"?: string[];
                /** @description The id of the last event received: the stream continues after it. */
                lastEventId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream: events `ready`, `click` and `reset`, and comments as heartbeats. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        /** @enum {string} */
                        event: "click";
                        id: string;
                        data: string;
                    } | {
                        /** @enum {string} */
                        event: "ready";
                        id: string;
                        data: string;
                    } | {
                        /** @enum {string} */
                        event: "reset";
                        id: string;
                        data: string;
                    };
                };
            };
        };
    };
    readIntegrity: {
        parameters: {
            query?: {
                /** @description First instant, or first day in `timeZone`. */
                from?: string;
                /** @description End of the range (exclusive instant), or its last day (inclusive). Now if left out. */
                to?: string;
                /** @description Instead of `from`; `last30Days` if both are left out. Includes today. */
                period?: "today" | "yesterday" | "last7Days" | "last30Days" | "last90Days" | "thisMonth" | "lastMonth" | "last12Months" | "thisYear";
                /** @description IANA zone for days and weeks. */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The days, and all of them together. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integrity"];
                };
            };
        };
    };
    listAnyWorkspaces: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
                /** @description Every word must be part of its name and its owners' addresses, in any case. */
                search?: string;
                /** @description A leading `-` is descending. */
                sort?: "-createdAt" | "createdAt" | "name" | "-name";
                /** @description Whether to say in `count` how many there are on all pages. */
                count?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of workspaces. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AnyWorkspace"][];
                        nextCursor: string | null;
                        /** @description On all pages, if `count=true` asks. */
                        count?: number;
                    };
                };
            };
        };
    };
    lookUpLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "https://go.example.com/spring",
                 *       "reason": "reported as phishing"
                 *     }
                 */
                "application/json": components["schemas"]["LookUpLink"];
            };
        };
        responses: {
            /** @description What is there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LookedUpLink"];
                };
            };
        };
    };
    readHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API can answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    readMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. `docs/observability.md` says what to watch. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    readLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                linkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
        };
    };
    deleteLink: {
        parameters: {
            query?: {
                /** @description `delete` removes its clicks as well, within minutes and for good: from the analytics, and from the database all but when each of them happened. Needs the scope `admin`. */
                clicks?: "keep" | "delete";
            };
            header?: never;
            path: {
                linkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                linkId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/summer",
                 *       "status": "live"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateLink"];
            };
        };
        responses: {
            /** @description The link after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
        };
    };
    listAliases: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                linkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All aliases. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Alias"][];
                        nextCursor: null;
                    };
                };
            };
        };
    };
    listLinkHistory: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                linkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LinkVersion"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    copyRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                linkId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f"
                 *     }
                 */
                "application/json": components["schemas"]["CopyRules"];
            };
        };
        responses: {
            /** @description The link after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
        };
    };
    publishLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                linkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status afterwards; `pending` if publishing has still to succeed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CacheStatus"];
                };
            };
        };
    };
    readCacheStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                linkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version that each place holds, and when the newest one is in effect everywhere. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CacheStatus"];
                };
            };
        };
    };
    resolveLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                linkId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "country": "DE",
                 *       "language": "de-DE",
                 *       "os": "iOS"
                 *     }
                 */
                "application/json": components["schemas"]["ResolveLink"];
            };
        };
        responses: {
            /** @description What the visitor would get. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resolution"];
                };
            };
        };
    };
    readQrCode: {
        parameters: {
            query?: {
                format?: "svg" | "png";
                /** @description Pixels per module. A PNG is at most 2048 pixels wide, with a logo 1024. */
                scale?: number;
                /** @description Light modules around the code. Scanners may need 4. */
                margin?: number;
                /** @description Of the dark modules. Keep it much darker than the background. */
                color?: string;
                background?: string;
                dots?: "square" | "round";
                /** @description Of the three patterns in the corners. */
                eyes?: "square" | "round";
                /** @description With the logo of the domain, if it has one. Such a code has more modules; there is none for an address of more than 1,273 characters. */
                logo?: boolean;
            };
            header?: never;
            path: {
                linkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                    "image/png": string;
                };
            };
        };
    };
    readTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tag's id, or its name, percent-encoded. */
                tag: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tag. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tag"];
                };
            };
        };
    };
    deleteTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tag's id, or its name, percent-encoded. */
                tag: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tag's id, or its name, percent-encoded. */
                tag: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "color": "#b8336a"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateTag"];
            };
        };
        responses: {
            /** @description The tag after the change, with the links that have it by now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tag"];
                };
            };
        };
    };
    readFolder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                folderId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folder. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Folder"];
                };
            };
        };
    };
    deleteFolder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                folderId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateFolder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                folderId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Summer campaign",
                 *       "defaults": {
                 *         "utm": {
                 *           "campaign": {
                 *             "value": "{folder}"
                 *           }
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["UpdateFolder"];
            };
        };
        responses: {
            /** @description The folder after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Folder"];
                };
            };
        };
    };
    readDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    deleteDomain: {
        parameters: {
            query?: {
                /** @description Delete its links as well. */
                links?: boolean;
                /** @description `delete` removes its clicks as well, within minutes and for good: from the analytics, and from the database all but when each of them happened. Needs the scope `admin`. */
                clicks?: "keep" | "delete";
            };
            header?: never;
            path: {
                domainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domainId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rootUrl": "https://example.com/",
                 *       "title": "Example"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateDomain"];
            };
        };
        responses: {
            /** @description The short domain after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    verifyDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was seen, and the domain after it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainVerification"];
                };
            };
        };
    };
    readMissedVisits: {
        parameters: {
            query?: {
                /** @description Today and so many days before it, less one. They are kept for `RETENTION_DAYS`, or 90. */
                days?: number;
            };
            header?: never;
            path: {
                domainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The visits. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MissedVisits"];
                };
            };
        };
    };
    readDomainLogo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                };
            };
        };
    };
    setDomainLogo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domainId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/png": string;
            };
        };
        responses: {
            /** @description The domain with its logo. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    deleteDomainLogo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domainId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key, without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                keyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Newsletter, autumn"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateKey"];
            };
        };
        responses: {
            /** @description The API key after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                keyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "graceSeconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["RotateKey"];
            };
        };
        responses: {
            /** @description The new key. Store it now: it is not shown again. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
        };
    };
    readWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook, without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "events": [
                 *         "click"
                 *       ],
                 *       "mode": "each"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateWebhook"];
            };
        };
        responses: {
            /** @description The webhook after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    readWebhookStats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookStats"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. Store its secret now: it is not shown again. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The receiver's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
                /** @description Any of these. */
                state?: ("waiting" | "delivered" | "given-up")[];
            };
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookDelivery"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-11-20T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["ReplayWebhook"];
            };
        };
        responses: {
            /** @description How many wait now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
    readWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workspace. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
        };
    };
    deleteWorkspace: {
        parameters: {
            query?: {
                /** @description The workspace's name, as it is: to be sure. Required. */
                name?: string;
                /** @description `delete` removes its clicks as well, within minutes and for good: from the analytics, and from the database all but when each of them happened. Needs the scope `admin`. */
                clicks?: "keep" | "delete";
            };
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Marketing"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateWorkspace"];
            };
        };
        responses: {
            /** @description The workspace. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
        };
    };
    leaveWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
                /** @description Every word must be part of the person's name or email, in any case. */
                search?: string;
                /** @description A leading `-` is descending. */
                sort?: "-createdAt" | "createdAt" | "name" | "-name";
                /** @description Whether to say in `count` how many there are on all pages. */
                count?: boolean;
            };
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of members. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Member"][];
                        nextCursor: string | null;
                        /** @description On all pages, if `count=true` asks. */
                        count?: number;
                    };
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `nextCursor` of the previous page; leave it out for the first page. */
                cursor?: string;
                /** @description Every word must be part of its email, in any case. */
                search?: string;
                /** @description A leading `-` is descending. */
                sort?: "-createdAt" | "createdAt" | "name" | "-name";
                /** @description Whether to say in `count` how many there are on all pages. */
                count?: boolean;
            };
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of invitations that wait. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invitation"][];
                        nextCursor: string | null;
                        /** @description On all pages, if `count=true` asks. */
                        count?: number;
                    };
                };
            };
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "grace@example.com",
                 *       "role": "editor"
                 *     }
                 */
                "application/json": components["schemas"]["CreateInvitation"];
            };
        };
        responses: {
            /** @description The invitation. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    readPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                passkeyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The passkey. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
        };
    };
    deletePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                passkeyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updatePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                passkeyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Phone"
                 *     }
                 */
                "application/json": components["schemas"]["UpdatePasskey"];
            };
        };
        responses: {
            /** @description The passkey. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
        };
    };
    deleteSignInMethod: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readAnyWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workspace. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnyWorkspaceWithUsage"];
                };
            };
        };
    };
    setLimits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "links": 1000000,
                 *       "clicks": null,
                 *       "requests": null
                 *     }
                 */
                "application/json": components["schemas"]["SetLimits"];
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    suspendDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domainId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "suspension": {
                 *         "reason": "phishing, reported on 25 November"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Suspend"];
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    suspendWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "suspension": {
                 *         "reason": "phishing, reported on 25 November"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Suspend"];
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteAlias: {
        parameters: {
            query?: {
                /** @description Delete it although it has clicks. */
                confirm?: "clicks";
            };
            header?: never;
            path: {
                linkId: string;
                alias: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    revertLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                linkId: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
        };
    };
    readPublicQrCode: {
        parameters: {
            query?: {
                format?: "svg" | "png";
                /** @description Pixels per module. A PNG is at most 2048 pixels wide, with a logo 1024. */
                scale?: number;
                /** @description Light modules around the code. Scanners may need 4. */
                margin?: number;
                /** @description Of the dark modules. Keep it much darker than the background. */
                color?: string;
                background?: string;
                dots?: "square" | "round";
                /** @description Of the three patterns in the corners. */
                eyes?: "square" | "round";
                /** @description With the logo of the domain, if it has one. Such a code has more modules; there is none for an address of more than 1,273 characters. */
                logo?: boolean;
            };
            header?: never;
            path: {
                host: string;
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                    "image/png": string;
                };
            };
        };
    };
    readMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    deleteMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                memberId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "editor"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateMember"];
            };
        };
        responses: {
            /** @description The member after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    readInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    deleteInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspaceId: string;
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
