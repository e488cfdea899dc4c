// Reads history. Per item: watched items with the time of the last play. Per play: the play log, plus a row for items
// that were marked as watched manually, without a log entry.
import { defined, type ReadPart, type ReadRequest } from '@playhead/sdk'
import { compareItems, type Item } from '@playhead/sdk/items'
import { timeText } from '../items.ts'
import { itemOf } from '../library/store.ts'
import { COPIES_S, lastLogged, type Logged, readLog, SAME_PLAY_S } from './play-log.ts'
import { beginRead, type LibraryRead, listed, type Plan, readLibrary } from './library.ts'
import type { Session } from '../session.ts'
import { removedPlays } from './removed-plays.ts'
import type { Metadata } from '../wire.ts'

const KINDS = ['movie', 'episode'] as const
const WATCHED = { unwatched: 0 }
/** Limit of items that are being rewatched, for which the log is queried one by one. */
const MAX_LOOKUPS = 50
const MAX_KEPT = 5_000

export async function* readHistory(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const withMarked = session.account.profile.history.include_marked_watched
  if (request.plays === true) yield* readPlays(session, request, withMarked, signal)
  else if (withMarked) yield* readLibrary(session, request, await watchedPlan(session, signal), signal)
  else yield* readLoggedItems(session, request, signal)
}

async function watchedPlan(session: Session, signal: AbortSignal): Promise<Plan> {
  const server = await session.server(signal)
  let lookups = 0
  return {
    kinds: KINDS,
    filter: WATCHED,
    async toRow(row, item) {
      if (!isWatched(row)) return undefined
      // A started rewatch moves the time of the last view, which then is not the time of a play.
      if ((row.viewOffset ?? 0) === 0) return withTime(item, row.lastViewedAt)
      return withTime(item, await lastPlayOf(row))
    },
  }

  async function lastPlayOf({ ratingKey = '', viewCount: views = 0 }: Metadata): Promise<number | undefined> {
    const known = server.lastPlays.get(ratingKey)
    if (known?.views === views) return known.at
    lookups += 1
    if (lookups > MAX_LOOKUPS) return undefined
    const at = await lastLogged(server, ratingKey, signal)
    server.lastPlays.set(ratingKey, { views, at })
    if (server.lastPlays.size > MAX_KEPT) server.lastPlays.delete(server.lastPlays.keys().next().value as string)
    return at
  }
}

/** Only completed plays of items that are still marked as watched. */
async function* readLoggedItems(session: Session, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> {
  const last = new Map<string, number>()
  const log = readLog(await session.server(signal), signal)
  let page = await log.next()
  for (; page.done !== true; page = await log.next()) {
    for (const { ratingKey, viewedAt } of page.value) {
      if (ratingKey !== undefined) last.set(ratingKey, Math.max(viewedAt, last.get(ratingKey) ?? -Infinity))
    }
  }
  const { reason } = page.value
  const plan: Plan = {
    kinds: KINDS,
    filter: WATCHED,
    toRow: (row, item) =>
      isWatched(row) && last.has(row.ratingKey ?? '') ? withTime(item, last.get(row.ratingKey as string)) : undefined,
  }
  for await (const part of readLibrary(session, request, plan, signal)) {
    yield part.type === 'end' && reason !== undefined
      ? { type: 'end', end: { ...part.end, complete: false, reason } }
      : part
  }
}

async function* readPlays(
  session: Session,
  request: ReadRequest,
  withMarked: boolean,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const read = await beginRead(session, request, KINDS, signal)
  const covered = new Set(read.lists.map(({ section }) => section.key))
  const kinds = new Set<string>(read.lists.map(({ kind }) => kind))
  const logged = new Map<string, number[]>()
  const late: Logged[] = []

  const isOfCopy = createCopies()
  const log = readLog(read.server, signal)
  let page = await log.next()
  for (; page.done !== true; page = await log.next()) {
    for (const { ratingKey, viewedAt } of page.value) if (ratingKey !== undefined) remember(logged, ratingKey, viewedAt)
    const mine = page.value.filter(
      ({ row, section }) => kinds.has(row.type ?? '') && (section === undefined || covered.has(section)),
    )
    const { rows, unknown } = await toPlays(read, mine, isOfCopy)
    late.push(...unknown)
    if (rows.length > 0) yield { type: 'rows', rows }
  }
  read.note(page.value)

  const removed = withMarked ? await removedPlays(session.account.store) : undefined
  const isUnlogged = (row: Metadata) =>
    isWatched(row) &&
    isMarkedOnly(row, logged.get(row.ratingKey ?? '') ?? []) &&
    removed?.has(row.ratingKey ?? '', row.lastViewedAt) !== true
  const toMarked = (pairs: readonly (readonly [Metadata, Item])[]) =>
    pairs
      .filter(([row]) => isUnlogged(row))
      .flatMap(([row, item]) => {
        const made = withTime(item, (row.viewOffset ?? 0) > 0 ? undefined : row.lastViewedAt)
        return made.watched_at === undefined ? [] : [made]
      })
  if (withMarked) {
    for (const { section, kind } of read.lists) {
      for await (const rows of listed(read, section, kind, WATCHED, signal)) {
        const marked = toMarked(await read.items(rows.filter(isUnlogged)))
        if (marked.length > 0) yield { type: 'rows', rows: marked }
      }
    }
  }
  await read.settle()
  const { rows, unknown } = await toPlays(read, late, isOfCopy)
  for (const { row } of unknown) read.unreadable({ reason: 'deleted_from_library', ...defined({ title: row.title }) })
  const rest = [...rows, ...toMarked(await read.late())]
  if (rest.length > 0) yield { type: 'rows', rows: rest }
  yield await read.end()
}

type IsOfCopy = (item: Item, play: Logged) => boolean

/** Whether a play duplicates a play of another copy of the work that was listed before. */
function createCopies(): IsOfCopy {
  let recent: { readonly item: Item; readonly viewedAt: number; readonly keys: Set<string | undefined> }[] = []
  return (item, { ratingKey, viewedAt }) => {
    const near = recent.filter((one) => Math.abs(one.viewedAt - viewedAt) <= COPIES_S)
    // Two log entries of one copy are two plays.
    const same = near.find(
      (one) => !one.keys.has(ratingKey) && compareItems(one.item, item, { within: 'account' }) === 'same',
    )
    same?.keys.add(ratingKey)
    recent = same === undefined ? [...near, { item, viewedAt, keys: new Set([ratingKey]) }] : near
    return same !== undefined
  }
}

/** Plays as rows; plays of unknown items are returned separately. */
async function toPlays(
  { server: { index } }: LibraryRead,
  plays: readonly Logged[],
  isOfCopy: IsOfCopy,
): Promise<{ rows: Item[]; unknown: Logged[] }> {
  const items = await index.items(plays.flatMap(({ ratingKey }) => ratingKey ?? []))
  const shows = await index.items([...items.values()].flatMap(({ show_key: key }) => key ?? []))
  const rows: Item[] = []
  const unknown: Logged[] = []
  for (const play of plays) {
    const stored = items.get(play.ratingKey ?? '')
    const show = shows.get(stored?.show_key ?? '')
    const isPartial = stored !== undefined && stored.show_key !== null && show === undefined
    const item = stored === undefined || isPartial ? undefined : itemOf(stored, show)
    const at = timeText(play.viewedAt)
    if (item === undefined || at === undefined) unknown.push(play)
    else if (!isOfCopy(item, play)) {
      rows.push({
        ...item,
        watched: true,
        watched_at: at,
        native: { item_id: play.ratingKey as string, ...defined({ event_id: play.eventId }) },
      })
    }
  }
  return { rows, unknown }
}

// More views than log entries, the last at another time: marked manually, or older than the log.
function isMarkedOnly({ viewCount = 0, lastViewedAt }: Metadata, times: readonly number[]): boolean {
  if (viewCount <= times.length) return false
  return lastViewedAt === undefined || times.every((at) => Math.abs(at - lastViewedAt) > SAME_PLAY_S)
}

function isWatched({ viewCount = 0 }: Metadata): boolean {
  return viewCount > 0
}

function withTime(item: Item, seconds: number | undefined): Item {
  const at = timeText(seconds)
  return { ...item, watched: true, ...defined({ watched_at: at }) }
}

function remember(logged: Map<string, number[]>, ratingKey: string, viewedAt: number): void {
  const times = logged.get(ratingKey)
  if (times === undefined) logged.set(ratingKey, [viewedAt])
  else times.push(viewedAt)
}
