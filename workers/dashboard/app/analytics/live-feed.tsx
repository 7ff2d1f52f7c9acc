/** Clicks as they come, for as long as it is shown. */
import type { CallOptions } from "@hopline/client/client";
import type { Click } from "@hopline/client/openapi";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { explain, isSignedOut } from "../api.ts";
import { heed, useHopline } from "../caches.ts";
import { countryName, formatTime, formatUrl } from "../format.ts";
import { linkQuery } from "../links/link-cache.ts";
import { usePreferences } from "../preferences.ts";
import type { Filters } from "./analytics-search.ts";
import { valueName } from "./value-name.ts";

const SHOWN = 50;
const RETRY_MS = 3_000;
/** After the last of several clicks the numbers are asked for once. */
const AFTER_CLICK_MS = 1_000;

type State = { readonly clicks: readonly Click[]; readonly isOpen: boolean; readonly fault: string | null };

export function LiveFeed({ filters }: { readonly filters: Filters }) {
  const { timeZone } = usePreferences();
  const [{ clicks, isOpen, fault }, setState] = useState<State>({ clicks: [], isOpen: false, fault: null });
  // The same filters in a new object are no new question.
  const key = JSON.stringify(filters);
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const [newest] = clicks;
  // What the page says besides must not stay behind what the feed shows.
  useEffect(() => {
    if (newest === undefined) {
      return undefined;
    }
    const timer = setTimeout(
      () => void queryClient.invalidateQueries({ queryKey: ["analytics"], refetchType: "active" }),
      AFTER_CLICK_MS,
    );
    return () => clearTimeout(timer);
  }, [newest, queryClient]);
  useEffect(() => {
    const stop = new AbortController();
    const show = (change: (state: State) => State) => stop.signal.aborted || setState(change);
    const open = (options: CallOptions) => hopline.streamLiveClicks(JSON.parse(key) as Filters, options);
    void follow(open, stop.signal, {
      onOpen: () => show((state) => ({ ...state, isOpen: true, fault: null })),
      onClick: (click) => show((state) => ({ ...state, clicks: [click, ...state.clicks].slice(0, SHOWN) })),
      onFault: (text) => show((state) => ({ ...state, isOpen: false, fault: text })),
    });
    return () => stop.abort();
  }, [hopline, key]);
  return (
    <div className="stack tight">
      <p className={`status ${isOpen ? "good" : "warn"}`} role="status">
        {isOpen ? "Listening. A click shows up about three seconds after it." : (fault ?? "Connecting…")}
      </p>
      {clicks.length > 0 && (
        <div className="scroll-x">
          <table className="plain-table live">
            <thead>
              <tr>
                <th>Time</th>
                <th>Link</th>
                <th>Place</th>
                <th>Device</th>
                <th>Comes from</th>
                <th>Went to</th>
              </tr>
            </thead>
            <tbody>
              {clicks.map((click) => (
                <tr key={click.id}>
                  <td>{formatTime(click.at, timeZone)}</td>
                  <td className="cut">{click.link === null ? "deleted" : <LinkName id={click.link} />}</td>
                  <td>
                    {[
                      click.city?.split("/").at(-1),
                      click.country === null ? null : countryName(click.country),
                    ]
                      .filter((part) => part !== null && part !== undefined)
                      .join(", ") || "unknown"}
                  </td>
                  <td>
                    {[click.browser, click.os].filter((part) => part !== null).join(", ") ||
                      (click.class ?? "")}
                  </td>
                  <td className="cut">{valueName("referrer", click.referrer)}</td>
                  <td className="cut soft">{valueName("destination", click.destination)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function LinkName({ id }: { readonly id: string }) {
  const link = useQuery({ ...linkQuery(id), staleTime: 60_000 });
  return <>{link.data === undefined ? "…" : formatUrl(link.data.link.shortUrl)}</>;
}

type Listener = {
  readonly onOpen: () => void;
  readonly onClick: (click: Click) => void;
  readonly onFault: (text: string) => void;
};

/** A connection lasts a minute; the next one continues after the last event, so that no click is missed and none comes twice. */
async function follow(
  open: (options: CallOptions) => PromiseLike<Response>,
  signal: AbortSignal,
  { onOpen, onClick, onFault }: Listener,
): Promise<void> {
  let lastId = "";
  while (!signal.aborted) {
    try {
      const headers = lastId === "" ? {} : { headers: { "last-event-id": lastId } };
      const { body } = await open({ signal, ...headers });
      onOpen();
      const events = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
      for await (const { event, id, data } of events ?? []) {
        lastId = id ?? lastId;
        if (event === "click") {
          onClick(JSON.parse(data) as Click);
        }
      }
    } catch (error) {
      heed(error);
      if (signal.aborted || isSignedOut(error)) {
        return;
      }
      onFault(explain(error).text);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
