/**
 * What Cloudflare's edge adds to a visitor's request, for runs against workerd itself: address and `cf` object. Never
 * sent elsewhere: Cloudflare refuses a CF-Connecting-IP of a client. Pure, so that two runs are alike.
 */

/** workerd reads this header's JSON as `request.cf` on a local port. */
const CF_HEADER = "MF-CF-Blob";

type Place = readonly [
  colo: string,
  continent: string,
  country: string,
  region: string,
  city: string,
  asn: number,
];

const PLACES: readonly Place[] = [
  ["IAD", "NA", "US", "VA", "Ashburn", 7922],
  ["LAX", "NA", "US", "CA", "Los Angeles", 20001],
  ["FRA", "EU", "DE", "HE", "Frankfurt am Main", 3320],
  ["LHR", "EU", "GB", "ENG", "London", 2856],
  ["CDG", "EU", "FR", "IDF", "Paris", 3215],
  ["GRU", "SA", "BR", "SP", "São Paulo", 28573],
  ["NRT", "AS", "JP", "13", "Tokyo", 2516],
  ["BOM", "AS", "IN", "MH", "Mumbai", 55836],
  ["SYD", "OC", "AU", "NSW", "Sydney", 1221],
  ["JNB", "AF", "ZA", "GP", "Johannesburg", 3741],
];

const USER_AGENTS: readonly string[] = [
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
  "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
];

const REFERRERS: readonly (string | null)[] = [
  null,
  "https://www.instagram.com/",
  "https://www.google.com/",
  "https://t.co/",
];

const LANGUAGES: readonly string[] = ["en-US,en;q=0.9", "de-DE,de;q=0.8,en;q=0.5", "pt-BR,pt;q=0.9", "ja"];

/** The headers of visitor `index`, from 0 to 255: all of one network (/24), as in an office behind one address. */
export function localVisitorHeaders(index: number): { readonly [name: string]: string } {
  const [colo, continent, country, regionCode, city, asn] = at(PLACES, index);
  const referrer = at(REFERRERS, index >> 1);
  return {
    [CF_HEADER]: JSON.stringify({ colo, continent, country, regionCode, city, asn }),
    // 198.18.0.0/15 is set aside for benchmarks (RFC 2544).
    "CF-Connecting-IP": `198.18.0.${index}`,
    "User-Agent": at(USER_AGENTS, index),
    "Accept-Language": at(LANGUAGES, index >> 2),
    ...(referrer === null ? {} : { Referer: referrer }),
  };
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) {
    throw new Error("invariant: the lists are not empty and the index is not negative");
  }
  return item;
}
