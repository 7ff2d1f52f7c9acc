/**
 * Autonomous systems that rent out servers: people rarely browse from there, programs do.
 *
 * Well-known numbers of the operators named beside them (registered with RIPE, ARIN, APNIC), collected by hand in
 * November 2026, not copied from a list. Short on purpose: a missing number loses a reason, a wrong one puts real
 * visitors under suspicion. Not listed because people do browse from there: 13335 Cloudflare (WARP, Private Relay),
 * 36183 and 20940 Akamai, 54113 Fastly (Private Relay), 15169 Google itself (its VPN; its crawlers name themselves).
 */
export const HOSTING_ASNS: ReadonlySet<number> = new Set([
  // Amazon Web Services
  16509, 14618, 8987,
  // Google Cloud, Microsoft Azure, Oracle Cloud, IBM Cloud
  396982, 8075, 31898, 36351,
  // Alibaba, Tencent, Huawei clouds
  45102, 37963, 45090, 132203, 136907, 55990,
  // DigitalOcean, Akamai Connected Cloud (Linode), Vultr, Fly.io, UpCloud
  14061, 62567, 63949, 20473, 40509, 202053,
  // OVH, Hetzner, Scaleway, Contabo, netcup, IONOS, Strato, Infomaniak, Aruba
  16276, 24940, 213230, 212317, 12876, 51167, 40021, 197540, 8560, 6724, 29222, 31034,
  // Leaseweb
  60781, 28753, 30633, 59253,
  // M247, DataCamp (CDN77), G-Core
  9009, 60068, 212238, 199524,
  // Rackspace, Equinix Metal, Liquid Web, Hivelocity, InterServer, ColoCrossing, QuadraNet, Psychz, ReliableSite
  33070,
  27357, 19994, 54825, 32244, 29802, 19318, 36352, 8100, 40676, 23470,
  // Shared hosting: GoDaddy, DreamHost, Namecheap, Hostinger, A2
  26496, 26347, 22612, 47583, 55293,
  // Selectel, Timeweb, Yandex Cloud, Sakura
  49505, 9123, 200350, 9370, 9371, 7684,
]);
