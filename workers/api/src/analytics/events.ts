/** GET /api/v1/analytics/events. The same as CSV is ../imports/export-clicks.ts. */
import type { ListedClick } from "@hopline/analytics/engine";
import { ClickBody, toClick } from "./click-shape.ts";
import { questionOperation } from "./question-operation.ts";
import { RangeBody, toRange } from "./question-shape.ts";
import { ask } from "../run-statements.ts";
import { createCursorSeal } from "../http/sealed-cursor.ts";
import { cutPage, decodeCursor, pageOf, PageQuery, type Position } from "../http/page.ts";

const ORDER = "clicks";

export const listClicksOperation = questionOperation({
  path: "/api/v1/analytics/events",
  operationId: "listClicks",
  summary: "List single clicks, newest first",
  description:
    "Clicks that the deployment no longer keeps (`RETENTION_DAYS`) can't be listed: `range.complete` is then `false` on every page, if the workspace had clicks in that part of the range.",
  query: PageQuery.shape,
  answer: ["A page of clicks.", pageOf(ClickBody).extend({ range: RangeBody })],
  problems: ["cursor_invalid"],
  async read(question, { limit, cursor }, deps) {
    const cursors = await createCursorSeal(deps.metricsToken);
    const position = decodeCursor(cursor && ((await cursors.open(cursor)) ?? ""), ORDER);
    const after = position === null ? null : { atUs: position.value, eventId: position.id };
    const [{ clicks, ...completeness }] = await ask(deps.database, [
      { kind: "clicks", question, after, limit: limit + 1 },
    ]);
    const { rows, nextCursor } = cutPage(clicks, limit, positionOf);
    const sealed = nextCursor === null ? null : await cursors.seal(nextCursor);
    return { data: rows.map(toClick), nextCursor: sealed, range: toRange(question.range, completeness) };
  },
});

function positionOf({ atUs, eventId }: ListedClick): Position {
  return { order: ORDER, value: atUs, id: eventId };
}
