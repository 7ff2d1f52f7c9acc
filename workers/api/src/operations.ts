/** Every operation of the API. A route that is not in this list does not exist. */
import type { ApiDeps } from "./api-deps.ts";
import { listAnalyticsOperations } from "./analytics/routes/operations.ts";
import { bulkLinksOperation } from "./links/routes/bulk-links.ts";
import { deleteLinkOperation, updateLinkOperation } from "./links/routes/change-link.ts";
import { createLinkOperation } from "./links/routes/create-link.ts";
import { readHealthOperation } from "./http/health-route.ts";
import {
  createDomainOperation,
  deleteDomainOperation,
  listDomainsOperation,
  readDomainOperation,
} from "./domains/domain-routes.ts";
import { exportLinksOperation } from "./imports/export-route.ts";
import { importLinksOperation } from "./imports/import-route.ts";
import {
  createKeyOperation,
  listKeysOperation,
  readKeyOperation,
  revokeKeyOperation,
} from "./keys/key-routes.ts";
import { listLinksOperation } from "./links/routes/list-links.ts";
import { listTagsOperation } from "./tags/tag-routes.ts";
import { purgeLinkOperation } from "./links/routes/purge-link.ts";
import { readCacheStatusOperation } from "./links/routes/read-cache-status.ts";
import { readLinkOperation } from "./links/routes/read-link.ts";
import { readMetricsOperation } from "./metrics/metrics-route.ts";
import { readQrCodeOperation } from "./links/routes/read-qr-code.ts";
import { resolveLinkOperation } from "./links/routes/resolve-link.ts";
import { updateDomainOperation } from "./domains/update-domain-route.ts";
import { upsertLinkOperation } from "./links/routes/upsert-link.ts";
import {
  listWorkspacesOperation,
  readWorkspaceOperation,
  updateWorkspaceOperation,
} from "./workspaces/workspace-routes.ts";

export function listOperations(deps: ApiDeps) {
  return [
    createLinkOperation(deps),
    bulkLinksOperation(deps),
    upsertLinkOperation(deps),
    importLinksOperation(deps),
    exportLinksOperation(deps),
    listLinksOperation(deps),
    readLinkOperation(deps),
    updateLinkOperation(deps),
    deleteLinkOperation(deps),
    readCacheStatusOperation(deps),
    purgeLinkOperation(deps),
    resolveLinkOperation(deps),
    readQrCodeOperation(deps),
    listTagsOperation(deps),
    createDomainOperation(deps),
    listDomainsOperation(deps),
    readDomainOperation(deps),
    updateDomainOperation(deps),
    deleteDomainOperation(deps),
    createKeyOperation(deps),
    listKeysOperation(deps),
    readKeyOperation(deps),
    revokeKeyOperation(deps),
    listWorkspacesOperation(deps),
    readWorkspaceOperation(deps),
    updateWorkspaceOperation(deps),
    ...listAnalyticsOperations(deps),
    readHealthOperation(deps),
    readMetricsOperation(deps),
  ] as const;
}
