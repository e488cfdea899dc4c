// A signed-in user: the HTTP client, what its refusals mean, and the lists of the user, each with a proof that it is complete.
import { PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import {
  type AccountContext,
  type AccountHealth,
  createLineage,
  overlappingPages,
  type OverlappingPages,
  serviceOptions,
  withMeanings,
} from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'
import { type Position, Positions, type Row, Rows } from './wire.ts'

const AT_ONCE = 2
const MAX_BYTES = 64 * 1_024 * 1_024
const DIGEST_LENGTH = 22

/** Types of Floppy's lists. Anime is a library of its own, also for shows of TMDB. */
export type ListName = 'movie' | 'tv' | 'season' | 'episode' | 'anime'

export interface Session {
  readonly account: AccountContext<Profile>
  readonly api: UpstreamAccount
}

export function openApi(account: AccountContext<Profile>, isAnonymous = false): UpstreamAccount {
  const { server, verify_ssl: verifyTls } = account.profile
  const api = account.upstream({
    ...serviceOptions(account),
    baseUrl: `${server}/api/v1`,
    verifyTls,
    maxBytes: MAX_BYTES,
    limits: { concurrency: AT_ONCE },
    ...(isAnonymous
      ? {}
      : {
          credential: {
            secrets: () => ({ token: account.current().api_token || undefined }),
            place: [{ in: 'header', name: 'x-api-key', template: '{token}' }],
          },
        }),
  })
  return withMeanings(api, { 403: (_answer, text) => refusal(text) })
}

/** A token that ended and one without the permission are both 403. */
function refusal(text: string): PlayheadError {
  const details = { status: 403 }
  return /"detail"[^}]*permission/i.test(text)
    ? new PlayheadError(
        'PLH_FORBIDDEN',
        'The token of Floppy lacks a permission. Make one with the permissions that are preset.',
        { details },
      )
    : new PlayheadError('PLH_AUTH_FAILED', 'Floppy no longer accepts the token.', { details })
}

export function openSession(account: AccountContext<Profile>): Session {
  return { account, api: openApi(account) }
}

/**
 * As `ReadEnd.account`. Floppy does not say whose token it is. A token belongs to one user, so its digest stands for the user: another
 * token is another account.
 */
export async function accountOf({ account }: Session): Promise<string> {
  const digest = await createLineage(account, ({ api_token: token }) => token).current()
  return `${new URL(account.profile.server).host}/${digest.slice(0, DIGEST_LENGTH)}`
}

export async function probe(session: Session, signal: AbortSignal): Promise<AccountHealth> {
  await check(session.api, signal)
  return { status: 'ok', account: await accountOf(session) }
}

/** Asks for one row of each kind of data. Throws `PLH_NOT_FOUND` for a Floppy that has no positions yet. */
export async function check(api: UpstreamAccount, signal?: AbortSignal): Promise<void> {
  const more = { query: { limit: 1 }, ...(signal === undefined ? {} : { signal }) }
  await api.json({ path: 'media/movie/', ...more }, Rows)
  await api.json({ path: 'playback/progress/', ...more }, Positions)
}

/** Throws `PLH_UPSTREAM_INVALID` if another page came than the requested one. */
function checked<Result>(
  offset: number,
  {
    pagination,
    results,
  }: { readonly pagination: { readonly offset: number; readonly total: number }; readonly results: readonly Result[] },
) {
  const { total } = pagination
  if (pagination.offset === offset) return { rows: results, hasMore: offset + results.length < total, total }
  throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Floppy answered with another page than the requested one.')
}

/** All entries of a library. An old Floppy has a row for each play of an episode. */
export function listOf(session: Session, name: ListName, signal: AbortSignal): Promise<OverlappingPages<Row>> {
  return rowsAt(session, `media/${name}/`, { sort: 'id_asc' }, signal)
}

/** All episodes that the service behind Floppy has of a season. */
export function seasonOf(session: Session, path: string, signal: AbortSignal): Promise<OverlappingPages<Row>> {
  return rowsAt(session, `${path}/episodes/`, {}, signal)
}

function rowsAt(
  { api, account }: Session,
  path: string,
  more: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<OverlappingPages<Row>> {
  return overlappingPages({
    async fetchPage(offset) {
      const query = { ...more, limit: account.profile.page_size, offset }
      return checked(offset, await api.json({ path, query, signal }, Rows))
    },
    idOf: ({ id, consumption_id: entry, item }) =>
      `${id} ${entry} ${item.source} ${item.media_id} ${item.season_number} ${item.episode_number}`,
  })
}

/** All positions of movies and episodes, the latest first. */
export function positionsOf({ api, account }: Session, signal: AbortSignal): Promise<OverlappingPages<Position>> {
  return overlappingPages({
    async fetchPage(offset) {
      const query = { media_type: 'movie,episode', limit: account.profile.page_size, offset }
      return checked(offset, await api.json({ path: 'playback/progress/', query, signal }, Positions))
    },
    idOf: (row) => JSON.stringify(row),
  })
}
