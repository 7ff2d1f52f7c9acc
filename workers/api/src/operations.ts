/** Every operation of the API. A route that is not in this list does not exist. */
import * as breakdowns from "./analytics/breakdowns.ts";
import * as counts from "./analytics/counts.ts";
import { listClicksOperation } from "./analytics/events.ts";
import { exportClicksOperation } from "./imports/export-clicks.ts";
import { readOverviewOperation } from "./analytics/overview.ts";
import type { ApiDeps } from "./api-deps.ts";
import * as audit from "./audit/audit-routes.ts";
import * as domains from "./domains/domain-routes.ts";
import { readMissedVisitsOperation } from "./domains/missed-visits.ts";
import * as folders from "./folders/folder-routes.ts";
import { exportLinksOperation } from "./imports/export-route.ts";
import { importLinksOperation } from "./imports/import-route.ts";
import { readIntegrityOperation } from "./integrity/integrity-route.ts";
import * as keys from "./keys/key-routes.ts";
import { deleteLinksOperation, updateLinksOperation } from "./links/routes/bulk-change.ts";
import { bulkLinksOperation } from "./links/routes/bulk-links.ts";
import { publishLinkOperation, readCacheStatusOperation } from "./links/routes/cache-status.ts";
import { listAliasesOperation, deleteAliasOperation } from "./links/routes/link-aliases.ts";
import { listLinkHistoryOperation, revertLinkOperation } from "./links/routes/link-history.ts";
import * as links from "./links/routes/link-routes.ts";
import { countLinksOperation, listLinksOperation } from "./links/routes/list-links.ts";
import { resolveLinkOperation } from "./links/routes/resolve-link.ts";
import { listTrashOperation, restoreLinksOperation } from "./links/routes/trash.ts";
import { checkSlugOperation } from "./links/routes/slug-available.ts";
import { streamLiveClicksOperation } from "./live/live-route.ts";
import { readHealthOperation } from "./metrics/health.ts";
import { readMetricsOperation } from "./metrics/metrics-route.ts";
import * as emailChange from "./people/routes/email-change.ts";
import * as invitations from "./people/routes/invitations.ts";
import * as me from "./people/routes/me.ts";
import * as members from "./people/routes/members.ts";
import * as passkeys from "./people/routes/passkeys.ts";
import * as providers from "./people/routes/providers.ts";
import * as sessions from "./people/routes/sessions.ts";
import * as methods from "./people/routes/sign-in-methods.ts";
import { setUpOperation } from "./people/routes/set-up.ts";
import * as signIn from "./people/routes/sign-in.ts";
import * as logos from "./qr/logo-routes.ts";
import { readPublicQrCodeOperation, readQrCodeOperation } from "./qr/qr-routes.ts";
import * as operators from "./operators/operator-routes.ts";
import { readUsageOperation } from "./usage/usage-routes.ts";
import { readVocabulariesOperation } from "./vocabularies/vocabulary-routes.ts";
import * as tags from "./tags/tag-routes.ts";
import { listDeliveriesOperation, replayOperation } from "./webhooks/log-routes.ts";
import * as webhooks from "./webhooks/webhook-routes.ts";
import * as workspaces from "./workspaces/workspace-routes.ts";

export function listOperations(deps: ApiDeps) {
  return [
    links.createLinkOperation(deps),
    bulkLinksOperation(deps),
    updateLinksOperation(deps),
    deleteLinksOperation(deps),
    restoreLinksOperation(deps),
    links.upsertLinkOperation(deps),
    importLinksOperation(deps),
    exportLinksOperation(deps),
    listLinksOperation(deps),
    countLinksOperation(deps),
    listTrashOperation(deps),
    checkSlugOperation(deps),
    links.readLinkOperation(deps),
    links.updateLinkOperation(deps),
    links.deleteLinkOperation(deps),
    listAliasesOperation(deps),
    deleteAliasOperation(deps),
    listLinkHistoryOperation(deps),
    revertLinkOperation(deps),
    readCacheStatusOperation(deps),
    publishLinkOperation(deps),
    resolveLinkOperation(deps),
    readQrCodeOperation(deps),
    readPublicQrCodeOperation(deps),
    readVocabulariesOperation(),
    tags.createTagOperation(deps),
    tags.listTagsOperation(deps),
    tags.readTagOperation(deps),
    tags.updateTagOperation(deps),
    tags.deleteTagOperation(deps),
    folders.createFolderOperation(deps),
    folders.listFoldersOperation(deps),
    folders.readFolderOperation(deps),
    folders.updateFolderOperation(deps),
    folders.deleteFolderOperation(deps),
    domains.createDomainOperation(deps),
    domains.listDomainsOperation(deps),
    domains.readDomainOperation(deps),
    domains.verifyDomainOperation(deps),
    readMissedVisitsOperation(deps),
    domains.updateDomainOperation(deps),
    domains.deleteDomainOperation(deps),
    logos.setDomainLogoOperation(deps),
    logos.readDomainLogoOperation(deps),
    logos.deleteDomainLogoOperation(deps),
    keys.createKeyOperation(deps),
    keys.listKeysOperation(deps),
    keys.readKeyOperation(deps),
    keys.updateKeyOperation(deps),
    keys.rotateKeyOperation(deps),
    keys.revokeKeyOperation(deps),
    webhooks.createWebhookOperation(deps),
    webhooks.listWebhooksOperation(deps),
    webhooks.readWebhookOperation(deps),
    webhooks.updateWebhookOperation(deps),
    webhooks.deleteWebhookOperation(deps),
    webhooks.rotateSecretOperation(deps),
    webhooks.testWebhookOperation(deps),
    webhooks.readStatsOperation(deps),
    listDeliveriesOperation(deps),
    replayOperation(deps),
    readUsageOperation(deps),
    audit.listAuditLogOperation(deps),
    audit.exportAuditLogOperation(deps),
    audit.listOwnAuditLogOperation(deps),
    workspaces.listWorkspacesOperation(deps),
    workspaces.readWorkspaceOperation(deps),
    workspaces.updateWorkspaceOperation(deps),
    workspaces.deleteWorkspaceOperation(deps),
    workspaces.createWorkspaceOperation(deps),
    members.listMembersOperation(deps),
    members.readMemberOperation(deps),
    members.updateMemberOperation(deps),
    members.deleteMemberOperation(deps),
    members.leaveWorkspaceOperation(deps),
    invitations.createInvitationOperation(deps),
    invitations.listInvitationsOperation(deps),
    invitations.readInvitationOperation(deps),
    invitations.deleteInvitationOperation(deps),
    invitations.acceptInvitationOperation(deps),
    invitations.readInvitationDetailsOperation(deps),
    me.readMeOperation(deps),
    me.updateMeOperation(deps),
    me.setPasswordOperation(deps),
    me.deleteMeOperation(deps),
    emailChange.changeEmailOperation(deps),
    emailChange.confirmEmailOperation(deps),
    passkeys.createPasskeyOptionsOperation(deps),
    passkeys.createPasskeyOperation(deps),
    passkeys.listPasskeysOperation(deps),
    passkeys.readPasskeyOperation(deps),
    passkeys.updatePasskeyOperation(deps),
    passkeys.deletePasskeyOperation(deps),
    methods.listSignInMethodsOperation(deps),
    methods.deleteSignInMethodOperation(deps),
    sessions.listSessionsOperation(deps),
    sessions.deleteSessionOperation(deps),
    sessions.deleteOtherSessionsOperation(deps),
    signIn.signInOperation(deps),
    signIn.requestLinkOperation(deps),
    signIn.openLinkOperation(deps),
    signIn.signOutOperation(deps),
    providers.readSignInOptionsOperation(deps),
    providers.startSignInOperation(deps),
    passkeys.requestPasskeyOperation(deps),
    passkeys.signInWithPasskeyOperation(deps),
    setUpOperation(deps),
    counts.readTotalsOperation(deps),
    counts.readTimeseriesOperation(deps),
    counts.compareOperation(deps),
    breakdowns.readBreakdownOperation(deps),
    breakdowns.readLinesOperation(deps),
    breakdowns.suggestValuesOperation(deps),
    listClicksOperation(deps),
    exportClicksOperation(deps),
    readOverviewOperation(deps),
    streamLiveClicksOperation(deps),
    readIntegrityOperation(deps),
    operators.listAnyWorkspacesOperation(deps),
    operators.readAnyWorkspaceOperation(deps),
    operators.setLimitsOperation(deps),
    operators.suspendWorkspaceOperation(deps),
    operators.suspendDomainOperation(deps),
    operators.lookUpLinkOperation(deps),
    readHealthOperation(deps),
    readMetricsOperation(deps),
  ] as const;
}
