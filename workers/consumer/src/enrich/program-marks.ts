/**
 * How monitors and automated browsers name themselves in a user agent. Previewers are in @hopline/core/preview-mark,
 * because the edge has to recognise them too. Checked against the MIT-licensed list crawler-user-agents 1.60.0 in
 * November 2026.
 */

/** Uptime checks, health checks and synthetic measurements: a link that is monitored on purpose. */
export const MONITOR_MARK =
  /uptime|pingdom|pingbot|statuscake|synthetic|datadog agent|\(checkly|health-?check|kube-probe|googlehc|freshping|site24x7|hetrixtools|blackbox exporter|check_http|thousandeyes|gtmetrix|chrome-lighthouse|pagespeed|\bptst\/|ohdear|updown\.io|nodeping|catchpoint|rigor\b|alertsite|dotcom-monitor|host-?tracker|isdownbot|wormlybot|watchmouse|websitepulse|logicmonitor|prtg|zabbix|nagios|newrelicbot|rackspace monitoring|panopta|uptrends|internetvista|jetmon\/|onlineornot|spectate\/|stackdrivermonitoring|speedcurve|dareboost|downnotifier|downtimedetector|monitoring360bot|binarycanary|checkhost|gotsitemonitor|monitis|monspark|montastic|mxtoolbox|pingping\.io|pulsetic|server ?density|solarwinds|uptimia|wedos online|wheresitup|watchforbot|nixstatsbot|netumo|pingadmin|netvigie|cloudflare-traffic-manager|\bylt\b/i;

/** Browsers that say that a program drives them. */
export const HEADLESS_MARK =
  /headless|phantomjs|playwright|puppeteer|selenium|webdriver|cypress\/|ghost inspector/i;

/** Programs that look like a browser and that isbot 5.2.3 mistakes for a visitor. */
export const EXTRA_PROGRAM_MARK = /powershell\/|miniature\.io\//i;
