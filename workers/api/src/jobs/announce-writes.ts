/** Requests that may make work say so to the clock of the jobs, behind their answer. */
import { createMiddleware } from "hono/factory";
import type { WorkClock } from "@hopline/db/work/ask-clock";
import { isProviderCallback } from "../people/providers/is-provider-callback.ts";

export type AnnounceDeps = {
  readonly clock: Pick<WorkClock, "announce">;
  readonly waitUntil: (promise: Promise<unknown>) => void;
};

/** Before as well: a request that dies after the commit has announced it. The clock's port sends only the first of both. */
export function announceWrites({ clock, waitUntil }: AnnounceDeps) {
  return createMiddleware(async ({ req }, next) => {
    const isRead = ["GET", "HEAD", "OPTIONS"].includes(req.method) && !isProviderCallback(req.path);
    const announce = () => (isRead ? undefined : waitUntil(clock.announce()));
    announce();
    await next();
    announce();
  });
}
