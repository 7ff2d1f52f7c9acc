/**
 * Many links, the same in every run: half of them in one workspace, half in twenty others, which use the same words and tags
 * in other shares. Tags, titles and folders come in all sizes; some belong to links that were created one after the other,
 * as those of an import do. Written around the triggers, and completed as they would.
 */
import type { Client } from "pg";

export const WORKSPACE_ID = idOf("0000", 1);

/** `kind`: four hexadecimal digits. */
function idOf(kind: string, place: number): string {
  return `0198f3c2-0000-7000-${kind}-${place.toString(16).padStart(12, "0")}`;
}

export const FOLDERS = { large: idOf("0002", 0), middling: idOf("0002", 1), small: idOf("0002", 2) };

/** An integer below `below` from the link's number. */
const random = (salt: number, below: number) =>
  `((hashint8extended(n, ${salt}) & 1073741823) % ${below})::int`;
const pick = (salt: number, values: readonly string[]) =>
  `(ARRAY[${values.map((value) => `'${value}'`).join(", ")}])[1 + ${random(salt, values.length)}]`;
const isOurs = "n < $1::int";
const uuid = (kind: string, place: string) =>
  `('0198f3c2-0000-7000-${kind}-' || lpad(to_hex(${place}), 12, '0'))::uuid`;
const workspace = `CASE WHEN ${isOurs} THEN 1 ELSE 2 + n % 20 END`;

const TAGS = [
  `CASE WHEN ${random(1, 2)} = 0 THEN 'half' END`,
  `CASE WHEN ${random(2, 20)} = 0 THEN 'twentieth' END`,
  // Rare here, and on every link of the others.
  `CASE WHEN NOT ${isOurs} OR ${random(3, 1_000)} = 0 THEN 'rare' END`,
  `CASE WHEN n >= $1 / 5 AND n < 2 * $1 / 5 THEN 'imported' END`,
  `CASE WHEN n < $1 / 10 THEN 'oldest' END`,
];

const COLUMNS: Readonly<Record<string, string>> = {
  id: uuid("0003", "n"),
  workspace_id: uuid("0000", workspace),
  domain_id: uuid(
    "0001",
    `${workspace} * 10 + CASE WHEN ${random(4, 10)} < 6 THEN 0 WHEN ${random(4, 10)} < 9 THEN 1 ELSE 2 END`,
  ),
  slug: "substr(md5(n::text), 1, 12)",
  url: `'https://' || ${pick(5, ["shop", "www", "docs", "blog"])} || '.example.com/' ||
    ${pick(6, ["product", "offers", "guide", "news"])} || '/' || substr(md5((n / 3)::text), 1, 8) || '?ref=' || ${random(7, 1_000)}`,
  record: `'{"format":1,"link":"' || ${uuid("0003", "n")} || '","state":"live","url":"https://shop.example.com/","status":302}'`,
  tags: `array_remove(ARRAY[${TAGS.join(", ")}], NULL)`,
  title: `CASE WHEN ${random(8, 3)} > 0 THEN
    ${pick(9, ["Spring sale", "Summer offers", "Launch day", "Newsletter"])} || ' ' || ${random(10, 5_000)} END`,
  state: `CASE ${random(11, 100)} WHEN 0 THEN 'disabled' WHEN 1 THEN 'archived' ELSE 'live' END`,
  created_at: "timestamptz '2025-01-01' + n * interval '5 minutes'",
  updated_at: `timestamptz '2025-01-01' + (n + ${random(12, 20_000)}) * interval '5 minutes'`,
  folder_id: `CASE WHEN ${isOurs} THEN CASE WHEN ${random(13, 2)} = 0 THEN ${uuid("0002", "0")}
    WHEN ${random(14, 5)} = 0 THEN ${uuid("0002", "1")} WHEN ${random(15, 200)} = 0 THEN ${uuid("0002", "2")} END END`,
};

/** `links` in the workspace, and as many in others. Into a migrated, empty database. */
export async function fillLinks(client: Client, links: number): Promise<void> {
  await client.query("SET session_replication_role = replica");
  await client.query(`
    INSERT INTO workspaces (id, name) SELECT ${uuid("0000", "n")}, 'workspace ' || n FROM generate_series(1, 21) AS n`);
  await client.query(`
    INSERT INTO domains (id, workspace_id, host, proof)
    SELECT ${uuid("0001", "n * 10 + domain")}, ${uuid("0000", "n")}, 'd' || domain || '.w' || n || '.example', 'vouched'
    FROM generate_series(1, 21) AS n, generate_series(0, 2) AS domain`);
  await client.query(
    `INSERT INTO folders (id, workspace_id, name)
     SELECT id, $1, 'Folder ' || place FROM unnest($2::uuid[]) WITH ORDINALITY AS folder (id, place)`,
    [WORKSPACE_ID, Object.values(FOLDERS)],
  );
  const { rows } = await client.query<{ indexdef: string }>(
    "SELECT indexdef FROM pg_indexes WHERE indexname = 'links_by_text'",
  );
  await client.query("DROP INDEX links_by_text");
  await client.query(
    `INSERT INTO links (${Object.keys(COLUMNS).join(", ")})
     SELECT ${Object.values(COLUMNS).join(", ")} FROM generate_series(0, 2 * $1::int - 1) AS n`,
    [links],
  );
  await client.query(rows[0]?.indexdef ?? "");
  await client.query(`
    INSERT INTO addresses (host, slug, version, link_id, record)
    SELECT host, slug, 1, links.id, in_version(links.record, 1) FROM links JOIN domains ON domains.id = links.domain_id`);
  // A third was never clicked, a few have most of the clicks.
  await client.query(`
    INSERT INTO link_totals (link_id, workspace_id, human, total, last_clicked_at, clicks_rank, last_clicked_minute)
    SELECT id, workspace_id, clicks, clicks + 10, last, clicks, last
    FROM links
    CROSS JOIN LATERAL (SELECT uuid_hash(id) & 1023 AS random) AS drawn
    CROSS JOIN LATERAL (
      SELECT CASE WHEN random < 341 THEN 0 ELSE floor(10000 * pow(random / 1023.0, 6))::bigint END AS clicks) AS counted
    CROSS JOIN LATERAL (
      SELECT CASE WHEN clicks = 0 THEN '-infinity' ELSE created_at + clicks * interval '1 minute' END AS last) AS clicked`);
  await client.query(`
    INSERT INTO link_caps (link_id, workspace_id, mode, max_clicks, used, published_used_up)
    SELECT id, workspace_id, 'fast', 10, used, used = 10
    FROM (SELECT *, CASE WHEN uuid_hash(id) % 200 = 0 THEN 10 ELSE 3 END AS used FROM links) AS links
    WHERE uuid_hash(id) % 10 = 0`);
  await client.query(`
    INSERT INTO tag_counts SELECT workspace_id, tag, count(*) FROM links, unnest(tags) AS tag GROUP BY workspace_id, tag`);
  await client.query(`
    INSERT INTO tags (id, workspace_id, name, is_kept)
    SELECT gen_random_uuid(), workspace_id, name, false FROM tag_counts`);
  await client.query("SET session_replication_role = DEFAULT");
  await client.query("VACUUM ANALYZE");
}

/** Every kind of filter, from those that let everything through to those that let nothing through. */
export const FILTERS: Readonly<Record<string, string>> = {
  "no filter": "",
  "one link in a hundred is archived": "status=archived",
  "links that are scheduled, which are none": "status=scheduled",
  "links that are used up, which are few": "status=used-up",
  "a large domain": "domain=d0.w1.example",
  "a small domain": "domain=d2.w1.example",
  "a large folder": `folder=fld_${FOLDERS.large.replaceAll("-", "")}`,
  "a small folder": `folder=fld_${FOLDERS.small.replaceAll("-", "")}`,
  "a tag on every second link": "tag=half",
  "a tag on one link in 20": "tag=twentieth",
  "a tag on one link in 1,000, frequent elsewhere": "tag=rare",
  "a tag of an import": "tag=imported",
  "a tag of the oldest links": "tag=oldest",
  "a tag on no link": "tag=nothing",
  "a word in every link": "search=example",
  "a word in some links": "search=pring+sal",
  "a word in few links": "search=sale+4242",
  "a word in no link": "search=zzqzzq",
  "two letters that begin few words": "search=zq",
  "a destination of no link": "url=https://www.example.com/news/00000000",
  "a week long ago": "createdFrom=2025-02-03T00:00:00Z&createdBefore=2025-02-10T00:00:00Z",
  "all filters": `search=pring&tag=half&domain=d1.w1.example&folder=fld_${FOLDERS.large.replaceAll("-", "")}&status=live`,
};
