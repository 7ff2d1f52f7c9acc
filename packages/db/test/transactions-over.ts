/** Waits until no transaction is under way that began before the newest click was written: other tests share the server. */
import { vi } from "vitest";

type Select = (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

export async function transactionsOver(select: Select): Promise<void> {
  await vi.waitUntil(
    async () => {
      const [row] = await select(
        `SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint > COALESCE(max(inserted_xid), 0) AS is_over FROM click_events`,
      );
      return row?.["is_over"] === true;
    },
    { timeout: 30_000 },
  );
}
