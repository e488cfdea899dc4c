// A signed-in person: who it is now, and the ids of shows, which plays of episodes lack.
import { isPlayheadError, PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { type Ids, normaliseId } from '@playhead/sdk/items'
import { type AccountContext, type AccountHealth, serviceOptions, withMeanings, yearAt } from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'
import { Media, People, type Person, textOf } from './wire.ts'

/** The limit of a key is 240 requests a minute. */
const READS_PER_SECOND = 3
const AT_ONCE = 2
const PEOPLE_AT_ONCE = 100
const MAX_PAGES = 1_000
/** A match may be corrected. */
const SHOW_MS = 7 * 86_400_000
const SCHEMES = ['tmdb', 'imdb', 'tvdb'] as const

export interface Show {
  readonly ids: Ids
  readonly title?: string
  readonly year?: number
}

export interface Session {
  readonly account: AccountContext<Profile>
  readonly api: UpstreamAccount
}

/** @param isAnonymous without the key, because something else may answer there */
export function openApi(account: AccountContext<Profile>, isAnonymous = false): UpstreamAccount {
  const { server, verify_ssl: verifyTls } = account.profile
  const api = account.upstream({
    ...serviceOptions(account),
    baseUrl: server,
    verifyTls,
    limits: { concurrency: AT_ONCE, readsPerSecond: READS_PER_SECOND, burst: 20 },
    ...(isAnonymous
      ? {}
      : {
          credential: {
            secrets: () => ({ key: account.current().api_key || undefined }),
            place: [{ in: 'header', name: 'authorization', template: 'Bearer {key}' }],
          },
        }),
  })
  return withMeanings(api, {
    403: () =>
      new PlayheadError('PLH_AUTH_FAILED', 'The API key of Tracearr is of no owner any more. Make another one.', {
        details: { status: 403 },
      }),
  })
}

export function openSession(account: AccountContext<Profile>): Session {
  return { account, api: openApi(account) }
}

/** Everybody that Tracearr knows. Throws `PLH_UPSTREAM_INVALID` for a list without an end. */
export async function peopleOf(api: UpstreamAccount, signal?: AbortSignal): Promise<readonly Person[]> {
  const people: Person[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { data, meta } = await api.json(
      {
        path: 'api/v2/public/users',
        query: { pageSize: PEOPLE_AT_ONCE, ...(cursor === undefined ? {} : { cursor }) },
        ...(signal === undefined ? {} : { signal }),
      },
      People,
    )
    people.push(...data)
    if (meta.nextCursor === null) return people
    if (meta.nextCursor === cursor) break
    cursor = meta.nextCursor
  }
  throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Tracearr gives a list of people without an end.')
}

/** Throws `PLH_AUTH_FAILED` (409 `user_gone`) if Tracearr does not have the person any more. */
export async function me({ account, api }: Session, signal: AbortSignal): Promise<Person> {
  const { user_id: id, user } = account.profile
  const found = (await peopleOf(api, signal)).find((one) => one.id === id)
  if (found !== undefined) return found
  throw new PlayheadError('PLH_AUTH_FAILED', `Tracearr has no user ${user} any more. Nothing is read.`, {
    wire: 'user_gone',
    status: 409,
    details: { reason: 'user_gone' },
  })
}

export const nameOf = ({ username, email, id }: Person): string => textOf(username) ?? textOf(email) ?? id

export async function probe(session: Session, signal: AbortSignal): Promise<AccountHealth> {
  const person = await me(session, signal)
  return { status: 'ok', account: person.id, user: { id: person.id, name: nameOf(person) } }
}

export function idsOf(row: {
  readonly imdb_id?: unknown
  readonly tmdb_id?: unknown
  readonly tvdb_id?: unknown
}): Ids {
  return Object.fromEntries(
    SCHEMES.flatMap((scheme) => {
      const id = normaliseId(scheme, row[`${scheme}_id`])
      return id === undefined ? [] : [[scheme, id]]
    }),
  )
}

/** The show with this id of Tracearr; asked once a week. Without ids if Tracearr does not know it any more. */
export async function showOf({ account, api }: Session, id: string, signal: AbortSignal): Promise<Show> {
  const key = `show/${id}`
  const kept = await account.store.get<Show>(key)
  if (kept !== undefined) return kept
  let show: Show = { ids: {} }
  try {
    const media: Media = await api.json({ path: `api/v2/public/media/${encodeURIComponent(id)}`, signal }, Media)
    const title = textOf(media.title)
    show = { ids: idsOf(media), ...(title === undefined ? {} : { title }), ...yearAt('year', media.year) }
  } catch (error) {
    if (!isPlayheadError(error, 'PLH_NOT_FOUND')) throw error
  }
  if (Object.keys(show.ids).length > 0) await account.store.set(key, show, SHOW_MS)
  return show
}
