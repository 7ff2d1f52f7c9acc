/** Every operation of the API. A route that is not in this list does not exist. */
import type { ApiDeps } from "../api-context.ts";
import { listAnalyticsOperations } from "./analytics/operations.ts";
import { bulkLinksOperation } from "./bulk-links.ts";
import { deleteLinkOperation, updateLinkOperation } from "./change-link.ts";
import { createLinkOperation } from "./create-link.ts";
import { readHealthOperation } from "./health.ts";
import {
  createDomainOperation,
  deleteDomainOperation,
  listDomainsOperation,
  readDomainOperation,
} from "./domains.ts";
import { exportLinksOperation } from "./export-links.ts";
import { importLinksOperation } from "./import-links.ts";
import { createKeyOperation, listKeysOperation, readKeyOperation, revokeKeyOperation } from "./keys.ts";
import { listLinksOperation } from "./list-links.ts";
import { listTagsOperation } from "./list-tags.ts";
import { purgeLinkOperation } from "./purge-link.ts";
import { readCacheStatusOperation } from "./read-cache-status.ts";
import { readLinkOperation } from "./read-link.ts";
import { readMetricsOperation } from "./metrics.ts";
import { readQrCodeOperation } from "./read-qr-code.ts";
import { resolveLinkOperation } from "./resolve-link.ts";
import { updateDomainOperation } from "./update-domain.ts";
import { upsertLinkOperation } from "./upsert-link.ts";
import { listWorkspacesOperation, readWorkspaceOperation, updateWorkspaceOperation } from "./workspaces.ts";

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
