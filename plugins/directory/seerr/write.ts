// Writing: a title that is added is requested as the person, and a removal cancels only a request of the person that still waits.
// The title is looked at just before.
import { isPlayheadError, type Item, type WriteRequest, type WriteResult } from '@playhead/sdk'
import { type ItemOutcome, writeInTurn } from '@playhead/sdk/provider'
import { type Listed, type ListEntry, listOf } from './lists.ts'
import { keyOf } from './read.ts'
import { type Me, type Session, textOf } from './session.ts'
import { Found, type Kind, Made, MEDIA, OneRequest, type PublicSettings, REQUEST, Title } from './wire.ts'

const AT_ONCE = 2
// 202: no season is left to request. 409: requested already.
const NOTHING_TO_REQUEST = [202, 409]
const LOOKUP_INCOMPLETE: ItemOutcome = { outcome: 'failed', reason: 'lookup_incomplete' }

interface Run {
  readonly session: Session
  readonly me: Me
  readonly signal: AbortSignal
  /** The watchlist that Seerr keeps, read once a batch. */
  readonly listed: () => Promise<Listed<ListEntry>>
  /** As they are now, read once a batch. */
  readonly settings: () => Promise<PublicSettings>
  /** Kinds whose quota is spent. */
  readonly spent: Set<Kind>
}

interface Sought {
  readonly kind: Kind
  readonly id: number
}

export async function writeWatchlist(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const me = await session.me(signal)
  let listed: Promise<Listed<ListEntry>> | undefined
  let settings: Promise<PublicSettings> | undefined
  const run: Run = {
    session,
    me,
    signal,
    spent: new Set(),
    settings: () => (settings ??= session.server.fresh(signal)),
    listed: () => (listed ??= listOf(session, me, signal)),
  }
  return writeInTurn(
    items,
    async ({ item }) => {
      const sought = await seek(run, item)
      if (sought === undefined) return { outcome: 'not_found', reason: 'not_found' }
      return op === 'remove' ? cancel(run, sought) : request(run, sought)
    },
    { log: session.account.log, atOnce: AT_ONCE },
  )
}

/** The title by its id of TMDB, or by one that Seerr looks up there; undefined if TMDB has none. */
async function seek({ session: { api }, signal }: Run, { type, ids }: Item): Promise<Sought | undefined> {
  const kind: Kind = type === 'show' ? 'tv' : 'movie'
  if (ids.tmdb !== undefined) return { kind, id: Number(ids.tmdb) }
  const query = ids.imdb !== undefined ? `imdb:${ids.imdb}` : ids.tvdb !== undefined ? `tvdb:${ids.tvdb}` : undefined
  if (query === undefined) return undefined
  const { results } = await api.json({ path: 'search', query: { query }, signal }, Found)
  const [id, ...others] = new Set(results.filter(({ mediaType }) => mediaType === kind).map((one) => one.id))
  return id === undefined || others.length > 0 ? undefined : { kind, id }
}

interface Looked {
  readonly title: Title
  /** Own requests that were not declined. */
  readonly own: readonly OneRequest[]
  readonly declined: boolean
  readonly isListed: boolean
}

/** Undefined if the title is on a watchlist that cannot be read whole: that of this kind, or of the other with the same number. */
async function look({ session: { api }, me, signal, listed }: Run, { kind, id }: Sought): Promise<Looked | undefined> {
  const title = await api.json({ path: `${kind}/${id}`, signal }, Title)
  const mine = (title.mediaInfo?.requests ?? []).filter(({ requestedBy }) => requestedBy?.id === me.id)
  const own = mine.filter(({ status }) => status !== REQUEST.declined)
  const { rows, flaw }: Listed<ListEntry> = title.onUserWatchlist === true ? await listed() : { rows: [] }
  const isListed = rows.some((one) => one.kind === kind && one.tmdb === id)
  if (!isListed && flaw !== undefined) return undefined
  return { title, own, declined: mine.length > own.length, isListed }
}

async function request(run: Run, sought: Sought): Promise<ItemOutcome> {
  const { session, signal, spent } = run
  const { is_4k: is4k, seasons } = session.account.profile
  const { kind, id } = sought
  const looked = await look(run, sought)
  if (looked === undefined) return LOOKUP_INCOMPLETE
  const { title, own, declined, isListed } = looked
  if (own.length > 0 || isListed) return { outcome: 'already' }
  if (declined) return { outcome: 'rejected', reason: 'declined' }
  const { status, status4k } = title.mediaInfo ?? {}
  const there = (is4k ? status4k : status) ?? MEDIA.unknown
  if (there === MEDIA.available) return listInstead(run, sought, title, 'available')
  // The remaining seasons of a show can be requested beside the requests of others.
  if (kind === 'movie' && (there === MEDIA.pending || there === MEDIA.processing))
    return listInstead(run, sought, title, 'requested')
  if (is4k) {
    const { movie4kEnabled, series4kEnabled } = await run.settings()
    if ((kind === 'tv' ? series4kEnabled : movie4kEnabled) !== true)
      return { outcome: 'rejected', reason: 'no_4k_server' }
  }
  if (spent.has(kind)) return { outcome: 'rejected', reason: 'provider_limit' }
  try {
    const answer = await session.api.request({
      method: 'POST',
      path: 'request',
      json: {
        mediaType: kind,
        mediaId: id,
        is4k,
        ...(kind === 'tv' ? { seasons: seasons === 'first' ? [1] : 'all' } : {}),
      },
      accept: NOTHING_TO_REQUEST,
      signal,
    })
    if (NOTHING_TO_REQUEST.includes(answer.status)) {
      await answer.text().catch(() => '')
      return await listInstead(run, sought, title, 'requested')
    }
    await answer.json(Made)
    return { outcome: 'applied', native: { item_id: keyOf(kind, id) } }
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === undefined) throw error
    if (reason === 'provider_limit') spent.add(kind)
    return { outcome: 'rejected', reason }
  }
}

/** Why Seerr forbids it; undefined for other errors. */
function reasonOf(error: unknown): string | undefined {
  const reason = isPlayheadError(error, 'PLH_FORBIDDEN') ? error.details?.['reason'] : undefined
  return typeof reason === 'string' ? reason : undefined
}

/** Nothing has to be requested: the title goes to the watchlist of the user, if Seerr keeps one. */
async function listInstead(
  { session: { api, account }, me, signal }: Run,
  { kind, id }: Sought,
  { title, name }: Title,
  reason: 'available' | 'requested',
): Promise<ItemOutcome> {
  if (!me.hasList || !account.profile.list_the_rest) return { outcome: 'already', reason }
  const words = textOf(title) ?? textOf(name)
  const json = { tmdbId: id, mediaType: kind, ...(words === undefined ? {} : { title: words }) }
  // 404: an old Jellyseerr.
  const answer = await api.request({ method: 'POST', path: 'watchlist', json, accept: [404, 409], signal })
  if (answer.status === 404 || answer.status === 409) {
    await answer.text().catch(() => '')
    return { outcome: 'already', reason }
  }
  await answer.json(Made)
  return { outcome: 'applied', reason, native: { item_id: keyOf(kind, id) } }
}

async function cancel(run: Run, sought: Sought): Promise<ItemOutcome> {
  const { session, me, signal } = run
  const looked = await look(run, sought)
  if (looked === undefined) return LOOKUP_INCOMPLETE
  const { own, isListed } = looked
  if (own.length === 0 && !isListed) return { outcome: 'already' }
  if (own.some(({ status }) => status !== REQUEST.pending)) return { outcome: 'rejected', reason: 'not_pending' }
  for (const { id } of own) {
    // Seerr lets people also cancel requests that were approved meanwhile, or that others made.
    const now = await present(() => session.api.json({ path: `request/${id}`, signal }, OneRequest))
    if (now === undefined) continue
    if (now.status !== REQUEST.pending || now.requestedBy?.id !== me.id)
      return { outcome: 'rejected', reason: 'not_pending' }
    await drop(session, `request/${id}`, [404], signal)
  }
  // 401 is its answer for a title that is not on the list; a missing sign-in is 403.
  if (isListed) await drop(session, `watchlist/${sought.id}`, [401, 404], signal)
  return { outcome: 'applied' }
}

async function present<Value>(load: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await load()
  } catch (error) {
    if (isPlayheadError(error, 'PLH_NOT_FOUND')) return undefined
    throw error
  }
}

async function drop({ api }: Session, path: string, accept: readonly number[], signal: AbortSignal): Promise<void> {
  const answer = await api.request({ method: 'DELETE', path, accept, signal })
  await answer.text().catch(() => '')
}
