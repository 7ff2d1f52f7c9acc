/**
 * How link previewers name themselves in a user agent: what the consumer counts as a preview is what the edge shows an
 * Open Graph page. Self-declared marks only.
 *
 * Apps whose in-app browser carries the same name (WhatsApp, Viber, Pinterest, Tumblr) are anchored to the start:
 * the previewer's text begins with the name, the visitor's begins with "Mozilla/".
 * Checked against the MIT-licensed list crawler-user-agents 1.60.0 in November 2026.
 */

/** Programs that fetch a link because it was posted, or proxy its images for a reader. */
export const PREVIEW_MARK: RegExp =
  /facebookexternalhit|meta-externalhit|\bfacebot\b|twitterbot|linkedinbot|slackbot|slack-imgproxy|^whatsapp(?:\/|$)|telegrambot|discordbot|uripreview|urlpreview|snap url preview|link ?preview|bingpreview|microsoftpreview|google web preview|developers\.google\.com\/\+\/web\/snippet|redditbot|pinterestbot|^pinterest\/|^viber(?:\/|$)|^tumblr\/|embedly|iframely|vkshare|odklbot|steamchaturllookup|synapse \(bot|\bmastodon\/|^lemmy\/|friendica|pleroma|misskey|summalybot|cardyb|blueskypreviewbot|mattermost-bot|groupmebot|keybasebot|googleimageproxy|yahoomailproxy|github-camo|onebox|dingtalkbot|linkunfurler|unfurlbot|richlinkbot|opengraph\.io|xing bot|flipboardproxy|vkrobot|peekbot|^notion\/|^bluesky\/|metatagfetcher|fastmailua|shortwave image/i;
