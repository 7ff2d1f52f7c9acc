/**
 * How link previewers, monitors and automated browsers name themselves in a user agent. Self-declared marks only.
 *
 * Apps whose in-app browser carries the same name (WhatsApp, Viber, Pinterest, Tumblr) are anchored to the start:
 * the previewer's text begins with the name, the visitor's begins with "Mozilla/".
 * Checked against the MIT-licensed list crawler-user-agents 1.60.0 in November 2026.
 */

/** Programs that fetch a link because somebody posted it, or proxy its images for a reader. */
export const PREVIEW_MARK =
  /facebookexternalhit|meta-externalhit|\bfacebot\b|twitterbot|linkedinbot|slackbot|slack-imgproxy|^whatsapp(?:\/|$)|telegrambot|discordbot|uripreview|urlpreview|snap url preview|link ?preview|bingpreview|microsoftpreview|google web preview|developers\.google\.com\/\+\/web\/snippet|redditbot|pinterestbot|^pinterest\/|^viber(?:\/|$)|^tumblr\/|embedly|iframely|vkshare|odklbot|steamchaturllookup|synapse \(bot|\bmastodon\/|^lemmy\/|friendica|pleroma|misskey|summalybot|cardyb|blueskypreviewbot|mattermost-bot|groupmebot|keybasebot|googleimageproxy|yahoomailproxy|github-camo|onebox|dingtalkbot|linkunfurler|unfurlbot|richlinkbot|opengraph\.io|xing bot|flipboardproxy|vkrobot|peekbot|^notion\/|^bluesky\/|metatagfetcher|fastmailua|shortwave image/i;

/** Uptime checks, health checks and synthetic measurements: somebody watches the link on purpose. */
export const MONITOR_MARK =
  /uptime|pingdom|pingbot|statuscake|synthetic|datadog agent|\(checkly|health-?check|kube-probe|googlehc|freshping|site24x7|hetrixtools|blackbox exporter|check_http|thousandeyes|gtmetrix|chrome-lighthouse|pagespeed|\bptst\/|ohdear|updown\.io|nodeping|catchpoint|rigor\b|alertsite|dotcom-monitor|host-?tracker|isdownbot|wormlybot|watchmouse|websitepulse|logicmonitor|prtg|zabbix|nagios|newrelicbot|rackspace monitoring|panopta|uptrends|internetvista|jetmon\/|onlineornot|spectate\/|stackdrivermonitoring|speedcurve|dareboost|downnotifier|downtimedetector|monitoring360bot|binarycanary|checkhost|gotsitemonitor|monitis|monspark|montastic|mxtoolbox|pingping\.io|pulsetic|server ?density|solarwinds|uptimia|wedos online|wheresitup|watchforbot|nixstatsbot|netumo|pingadmin|netvigie|cloudflare-traffic-manager|\bylt\b/i;

/** Browsers that say they are driven by a program. */
export const HEADLESS_MARK =
  /headless|phantomjs|playwright|puppeteer|selenium|webdriver|cypress\/|ghost inspector/i;

/** Programs with a browser's shape that isbot 5.2.3 takes for a visitor. */
export const EXTRA_PROGRAM_MARK = /powershell\/|miniature\.io\//i;
