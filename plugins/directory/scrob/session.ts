// A signed-in user: the HTTP client, who answers, and the lists of the user, each with a proof that it is complete.
import { PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, type AccountHealth, serviceOptions } from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'
import { type Entry, type Event, HistoryPage, Lists, OneList, type Rating, Ratings, Users } from './wire.ts'

const AT_ONCE = 2
const MAX_BYTES = 64 * 1_024 * 1_024
const MAX_PAGES = 20_000

export interface Session {
  readonly account: AccountContext<Profile>
  readonly api: UpstreamAccount
}

export interface Me {
  readonly id: number
  readonly name: string
  /** As `ReadEnd.account`. */
  readonly account: string
}

/** Scrob's pages forward what is below `api/proxy`. */
export function openApi(account: AccountContext<Profile>, isAnonymous = false): UpstreamAccount {
  const { server, verify_ssl: verifyTls } = account.profile
  return account.upstream({
    ...serviceOptions(account),
    baseUrl: `${server}/api/proxy`,
    verifyTls,
    maxBytes: MAX_BYTES,
    limits: { concurrency: AT_ONCE },
    ...(isAnonymous
      ? {}
      : {
          credential: {
            secrets: () => ({ key: account.current().api_key || undefined }),
            place: [{ in: 'header', name: 'x-api-key', template: '{key}' }],
          },
        }),
  })
}

export function openSession(account: AccountContext<Profile>): Session {
  return { account, api: openApi(account) }
}

/** The owner of the key, who is found by the name; undefined if the key is of another user. */
export async function ownerOf({ account, api }: Session, name: string, signal?: AbortSignal): Promise<Me | undefined> {
  const query = { q: name }
  const { results } = await api.json(
    { path: 'profile/search', query, ...(signal === undefined ? {} : { signal }) },
    Users,
  )
  const found = results.find(({ is_self: isSelf }) => isSelf)
  if (found === undefined || found.username.toLowerCase() !== name.toLowerCase()) return undefined
  const { id, username } = found
  return { id, name: username, account: `${new URL(account.profile.server).host}/${id}` }
}

/** Throws `PLH_AUTH_FAILED` (409 `user_changed`) if the key is not of the user who signed in. */
export async function me(session: Session, signal: AbortSignal): Promise<Me> {
  const { username, user_id: id } = session.account.profile
  const found = await ownerOf(session, username, signal)
  if (found?.id === id) return found
  throw otherUser()
}

function otherUser(): PlayheadError {
  return new PlayheadError(
    'PLH_AUTH_FAILED',
    'Scrob answered as another user than the one who signed in. Nothing is read or written. Sign in again.',
    { wire: 'user_changed', status: 409, details: { reason: 'user_changed' } },
  )
}

export async function probe(session: Session, signal: AbortSignal): Promise<AccountHealth> {
  const { id, name, account } = await me(session, signal)
  return { status: 'ok', account, user: { id: String(id), name } }
}

/**
 * All completed plays, newest first, page by page. Returns why they may be incomplete: plays are counted on each page, and one that
 * is added meanwhile moves another one to the next page, where it comes twice.
 */
export async function* playsOf(
  { api, account }: Session,
  { id: user }: Me,
  signal: AbortSignal,
): AsyncGenerator<readonly Event[], string | undefined> {
  const { page_size: size } = account.profile
  const seen = new Set<number>()
  let total: number | undefined
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const query = { page, page_size: size }
    const { total_results: count, results } = await api.json({ path: 'history', query, signal }, HistoryPage)
    if (results.some((event) => event.user_id !== user)) throw otherUser()
    total ??= count
    if (count !== total) return 'changed_while_reading'
    const before = seen.size
    for (const { id } of results) seen.add(id)
    if (seen.size !== before + results.length) return 'repeated_page'
    yield results
    if (seen.size === total) return undefined
    if (seen.size > total || results.length === 0) return 'total_mismatch'
  }
  return 'too_many_pages'
}

/** All ratings, the latest first. */
export async function ratingsOf({ api }: Session, { id: user }: Me, signal: AbortSignal): Promise<readonly Rating[]> {
  const { results } = await api.json({ path: 'ratings', signal }, Ratings)
  if (results.some((rating) => rating.user_id !== user)) throw otherUser()
  return results
}

export interface Watchlist {
  /** Undefined: there is no such list, or several. */
  readonly id?: number
  readonly entries: readonly Entry[]
  /** Why the entries are not proven to be those of the watchlist. */
  readonly flaw?: string
}

/** The list with the name of the settings; names are not unique in Scrob. */
export async function watchlistOf({ api, account }: Session, signal: AbortSignal): Promise<Watchlist> {
  const wanted = account.profile.watchlist.toLowerCase()
  const { lists } = await api.json({ path: 'lists', signal }, Lists)
  const [found, ...others] = lists.filter(({ name }) => name.trim().toLowerCase() === wanted)
  if (found === undefined) return { entries: [], flaw: 'watchlist_missing' }
  if (others.length > 0) return { entries: [], flaw: 'watchlist_ambiguous' }
  const { id } = found
  const { items, item_count: count, is_owner: isOwn } = await api.json({ path: `lists/${id}`, signal }, OneList)
  if (!isOwn) throw otherUser()
  const isWhole = items.length === count && new Set(items.map((entry) => entry.id)).size === count
  return { id, entries: items, ...(isWhole ? {} : { flaw: 'total_mismatch' }) }
}
