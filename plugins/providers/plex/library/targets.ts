// Targets of a write: the library items, and their user state before and after.
import {
  defined,
  isPlayheadError,
  type WriteItem,
  type WriteOutcome,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk'
import { compareItems, type Item, kindOf } from '@playhead/sdk/items'
import { confirmed } from '../confirmed.ts'
import type { Kind } from '../items.ts'
import { itemOf } from './store.ts'
import type { StoredItem } from './table.ts'
import { SHORT_ROWS } from '../read/pages.ts'
import { NOT_APPLIED } from '../sign-in/person.ts'
import type { Server, Session } from '../session.ts'
import { type Metadata, Page } from '../wire.ts'

export const LIBRARY = 'com.plexapp.plugins.library'
/** Maximum age of the index for lookups. */
const INDEX_FOR_MS = 60_000
/** Keys per request URL. */
const KEYS = 50

export type ItemOutcome = Omit<WriteOutcome, 'key'>

export interface Target {
  readonly write: WriteItem
  /** All copies of the work. */
  readonly copies: readonly StoredItem[]
}

interface Targets {
  readonly found: readonly Target[]
  /** Outcomes of items that cannot be written. */
  readonly refused: ReadonlyMap<string, ItemOutcome>
}

export async function findAll(server: Server, writes: readonly WriteItem[], signal: AbortSignal): Promise<Targets> {
  const kinds = new Set<Kind>(
    writes.flatMap(({ item }) => {
      const kind = kindOf(item)
      return kind === 'movie' || kind === 'show' ? [kind] : ['show' as const, kind]
    }),
  )
  for (const section of await server.sections(signal)) {
    const own = (
      section.type === 'movie' ? ['movie'] : section.type === 'show' ? ['show', 'season', 'episode'] : []
    ) as readonly Kind[]
    await server.index.refresh(
      [section],
      own.filter((kind) => kinds.has(kind)),
      { maxAgeMs: INDEX_FOR_MS, signal },
    )
  }
  const found: Target[] = []
  const refused = new Map<string, ItemOutcome>()
  const answers = await server.index.find(writes.map(({ item }) => item))
  const named = await server.index.items(writes.flatMap((write) => nativeKeyOf(write) ?? []))
  const shows = await server.index.items([...named.values()].flatMap(({ show_key: key }) => key ?? []))
  for (const [at, write] of writes.entries()) {
    const answer = answers[at]
    const own = named.get(nativeKeyOf(write) ?? '')
    // Keys are reused, so the row's own key only counts if it still leads to the same work.
    const known = own === undefined ? undefined : itemOf(own, shows.get(own.show_key ?? ''))
    const byKey =
      own !== undefined && known !== undefined && compareItems(known, write.item, { within: 'account' }) === 'same'
        ? [own]
        : []
    const copies = [
      ...new Map(
        [...byKey, ...(answer?.outcome === 'found' ? answer.items : [])].map((one) => [one.rating_key, one]),
      ).values(),
    ]
    if (answer?.outcome === 'ambiguous') refused.set(write.key, { outcome: 'rejected', reason: 'ambiguous_identity' })
    else if (copies.length > 0) found.push({ write, copies })
    else
      refused.set(write.key, {
        outcome: 'not_found',
        reason: answer?.outcome === 'none' ? answer.reason : 'not_in_library',
      })
  }
  return { found, refused }
}

/** User state by key. Deleted items are missing. */
export async function statesOf(
  { http }: Server,
  keys: Iterable<string>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Metadata>> {
  const all = [...new Set(keys)]
  const parts = Array.from({ length: Math.ceil(all.length / KEYS) }, (_, index) =>
    all.slice(index * KEYS, (index + 1) * KEYS),
  )
  const answers = await Promise.all(
    parts.map(async (part) => {
      const path = `/library/metadata/${part.map(encodeURIComponent).join(',')}`
      const answer = await http.request({ path, query: SHORT_ROWS, accept: [404], signal })
      if (answer.status !== 404) return (await answer.json(Page)).MediaContainer.Metadata ?? []
      await answer.text()
      return []
    }),
  )
  return new Map(answers.flat().flatMap((row) => (row.ratingKey === undefined ? [] : [[row.ratingKey, row] as const])))
}

/** Sends a change without a meaningful response. */
export async function change(
  { http }: Server,
  method: 'PUT' | 'GET',
  path: '/:/scrobble' | '/:/unscrobble' | '/:/rate' | '/:/progress',
  key: string,
  more: Readonly<Record<string, string | number>> = {},
  signal?: AbortSignal,
): Promise<void> {
  const answer = await http.request({
    method,
    path,
    query: { identifier: LIBRARY, key, ...more },
    idempotent: true,
    signal,
  })
  await confirmed(answer)
}

interface Report {
  readonly key: string
  readonly positionMs: number
  readonly durationMs: number
  /** Epoch seconds; undefined leaves the time to the server. */
  readonly at: number | undefined
}

/** Reports a playback position with its time, like a player that was offline. */
export async function report(
  { http }: Server,
  { key, positionMs, durationMs, at }: Report,
  idempotent: boolean,
  signal?: AbortSignal,
): Promise<void> {
  const answer = await http.request({
    method: 'POST',
    path: '/:/timeline',
    query: {
      ratingKey: key,
      key: `/library/metadata/${key}`,
      identifier: LIBRARY,
      state: 'stopped',
      time: positionMs,
      duration: durationMs,
      continuing: 0,
      offline: 1,
      ...defined({ updated: at }),
    },
    headers: { 'X-Plex-Session-Identifier': `playhead-${key}-${at ?? 'now'}` },
    idempotent,
    signal,
  })
  await confirmed(answer)
}

/** Removes the watched mark and restores the position, which the server would clear with it. */
export async function unmark(
  server: Server,
  key: string,
  before: Metadata | undefined,
  durationMs: number | null,
  signal?: AbortSignal,
): Promise<void> {
  await change(server, 'PUT', '/:/unscrobble', key, {}, signal)
  const { viewOffset = 0, duration = durationMs ?? 0, lastViewedAt } = before ?? {}
  if (viewOffset > 0 && duration > 0)
    await report(server, { key, positionMs: viewOffset, durationMs: duration, at: lastViewedAt }, true, signal)
}

/** Runs a write. Without the person's own token no item is written, and every item reports this. */
export async function asPerson(
  session: Session,
  request: Pick<WriteRequest, 'items'>,
  work: () => Promise<WriteResult>,
  signal: AbortSignal,
): Promise<WriteResult> {
  try {
    await session.person(signal)
  } catch (error) {
    if (!isPlayheadError(error, 'PLH_FORBIDDEN') || error.wire !== NOT_APPLIED) throw error
    session.account.log.warn(
      { instance: session.account.instance },
      'nothing was written: the token of the home user could not be read',
    )
    return { outcomes: request.items.map(({ key }) => ({ key, outcome: 'rejected', reason: NOT_APPLIED })) }
  }
  return work()
}

/** One outcome per item of the request, in its order. */
export function inOrder(
  request: Pick<WriteRequest, 'items'>,
  outcomes: ReadonlyMap<string, ItemOutcome>,
  result?: WriteResult,
): WriteResult {
  return {
    outcomes: request.items.map(({ key }) => ({
      key,
      ...(outcomes.get(key) ?? { outcome: 'unknown' as const, reason: 'no_outcome' }),
    })),
    ...defined({ retryAfterMs: result?.retryAfterMs }),
  }
}

/** Outcomes of a result, by key. */
export function byKey({ outcomes }: WriteResult): Map<string, ItemOutcome> {
  return new Map(outcomes.map(({ key, ...outcome }) => [key, outcome]))
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000)
}

function nativeKeyOf({ item, current }: WriteItem): string | undefined {
  const native: Item['native'] = current?.native ?? item.native
  return native?.item_id
}
