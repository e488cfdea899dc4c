// The minimum of each protocol: requests and time to read 10,000 items or write 500, if they are
// answered at this latency, with the concurrency and the rates that one account may use.
//
// A read is `fixed` requests one after the other, the first page, and the other pages `atOnce` at a time, or as the
// rate lets them pass. A write is likewise `perBatch` items to a request.
import type { Feature } from '@playhead/sdk'

export interface Rate {
  readonly perSecond: number
  /** Requests allowed in a burst before the rate applies. */
  readonly burst: number
}

export interface Protocol {
  readonly label: string
  readonly feature: Feature
  readonly read: {
    /** Rows in the largest response. */
    readonly page: number
    readonly atOnce: number
    /** Requests for the account, the changes, and empty lists. */
    readonly fixed: number
    /** Requests that each row costs beyond its page. */
    readonly perRow?: number
    readonly rate?: Rate
  }
  /** Requests of a read after some changes: unchanged data is not requested. */
  readonly changed: number
  readonly write?: { readonly perBatch: number; readonly atOnce: number; readonly fixed: number; readonly rate?: Rate }
  /** A note for readers of the figures. */
  readonly note?: string
}

const EVERYTHING_AT_ONCE = 100_000

export const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  // The play log has no shared ids and no manual marks: the films of the library must be read as well (11,000 in pages of
  // 1,000).
  MEDIAA: {
    label: 'Plex',
    feature: 'history',
    changed: 3 + 11,
    read: { page: 1_000, atOnce: 8, fixed: 3 + 11 },
    write: { perBatch: 1, atOnce: 8, fixed: 0 },
  },
  // Changed marks can be queried, but removed marks cannot.
  MEDIAB: {
    label: 'Jellyfin',
    feature: 'history',
    changed: 5,
    read: { page: 2_500, atOnce: 1, fixed: 1 },
    write: { perBatch: 1, atOnce: 8, fixed: 6 },
  },
  MEDIAC: {
    label: 'Emby',
    feature: 'history',
    changed: 5,
    read: { page: 2_500, atOnce: 1, fixed: 1 },
    write: { perBatch: 1, atOnce: 8, fixed: 6 },
  },
  // A thousand reads in five minutes, a tenth of them in a burst; one write per second. Old plays may be added at any time, so
  // the service only reports that something changed.
  TRACKA: {
    label: 'Trakt',
    feature: 'history',
    changed: 42,
    read: { page: 250, atOnce: 6, fixed: 2, rate: { perSecond: 3, burst: 100 } },
    write: { perBatch: 500, atOnce: 1, fixed: 1, rate: { perSecond: 1, burst: 1 } },
  },
  // Films, series and anime are one response each, of any length.
  TRACKB: {
    label: 'SIMKL',
    feature: 'history',
    changed: 2,
    read: { page: EVERYTHING_AT_ONCE, atOnce: 1, fixed: 4, rate: { perSecond: 10, burst: 1 } },
    write: { perBatch: 100, atOnce: 1, fixed: 0, rate: { perSecond: 1, burst: 1 } },
  },
  // Thirty requests per minute, a third of them in a burst; each page states whether another follows. Fifty works are looked up
  // per request, and ten are changed.
  ANIMEA: {
    label: 'AniList',
    feature: 'watchlist',
    changed: 21,
    read: { page: 500, atOnce: 1, fixed: 1, rate: { perSecond: 20 / 60, burst: 10 } },
    write: { perBatch: 10, atOnce: 1, fixed: 10, rate: { perSecond: 20 / 60, burst: 10 } },
    note: 'there is no question for what changed',
  },
  // The same, as long as the earlier rows are unknown.
  METAA: {
    label: 'TMDB',
    feature: 'watchlist',
    changed: 501,
    read: { page: 20, atOnce: 6, fixed: 2 + 500, rate: { perSecond: 25, burst: 10 } },
    write: { perBatch: 1, atOnce: 6, fixed: 0, rate: { perSecond: 15, burst: 10 } },
    note: 'there is no question for what changed; 10,000 are all it gives',
  },
  LISTA: {
    label: 'MDBList',
    feature: 'history',
    changed: 12,
    read: { page: 1_000, atOnce: 4, fixed: 2, rate: { perSecond: 10, burst: 1 } },
    write: { perBatch: 500, atOnce: 1, fixed: 0, rate: { perSecond: 1, burst: 1 } },
  },
  // Rows move between pages without notice: all pages are read twice.
  METAB: {
    label: 'PublicMetaDB',
    feature: 'history',
    changed: 40,
    read: { page: 500, atOnce: 4, fixed: 20, rate: { perSecond: 20, burst: 10 } },
    write: { perBatch: 1, atOnce: 4, fixed: 0, rate: { perSecond: 3, burst: 1 } },
    note: 'there is no question for what changed',
  },
  // A written row replaces another, so that all must be known: from the previous read, and from the changes since.
  TVA: {
    label: 'Nuvio',
    feature: 'history',
    changed: 2,
    read: { page: 900, atOnce: 1, fixed: 2, rate: { perSecond: 5, burst: 5 } },
    write: { perBatch: 500, atOnce: 1, fixed: 2, rate: { perSecond: 5, burst: 5 } },
  },
  // The log identifies films by numbers of the server: the shared ids of each are requested once.
  STATSA: {
    label: 'Tautulli',
    feature: 'history',
    changed: 2 + 10,
    read: { page: 500, atOnce: 3, fixed: 2, perRow: 0.9 },
  },
}

export interface Floor {
  readonly requests: number
  readonly ms: number
}

export function readFloor(
  { read: { page, atOnce, fixed, perRow = 0, rate } }: Protocol,
  rows: number,
  latencyMs: number,
): Floor {
  const pages = Math.max(1, Math.ceil(rows / page))
  const more = Math.round(rows * perRow)
  const inTurn = fixed + 1 + Math.ceil((pages - 1 + more) / atOnce)
  return { requests: fixed + pages + more, ms: Math.max(inTurn * latencyMs, atRate(fixed + pages + more, rate)) }
}

export function changedFloor({ changed, read: { atOnce, rate } }: Protocol, latencyMs: number): Floor {
  return { requests: changed, ms: Math.max(Math.ceil(changed / atOnce) * latencyMs, atRate(changed, rate)) }
}

export function writeFloor(
  { perBatch, atOnce, fixed, rate }: NonNullable<Protocol['write']>,
  items: number,
  latencyMs: number,
): Floor {
  const requests = fixed + Math.ceil(items / perBatch)
  return {
    requests,
    ms: Math.max((fixed + Math.ceil((requests - fixed) / atOnce)) * latencyMs, atRate(requests, rate)),
  }
}

function atRate(requests: number, rate: Rate | undefined): number {
  return rate === undefined ? 0 : (Math.max(0, requests - rate.burst) / rate.perSecond) * 1_000
}
