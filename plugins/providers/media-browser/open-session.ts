import { createLimiter, createTurns, PlayheadError } from '@playhead/sdk'
import { type AccountContext, createKeyedCache, createMemo } from '@playhead/sdk/provider'
import { type Dialect, everything, withQuery } from './dialect.ts'
import { type Series, seriesOf } from './items.ts'
import { createLibrary, listViews } from './library.ts'
import { openListing } from './read/listing.ts'
import type { MediaBrowserProfile } from './settings.ts'
import { readFacts } from './read/states.ts'
import { readLibrariesOf } from './playback/libraries.ts'
import { User } from './wire.ts'
import { CONCURRENCY, connection, type Identity, isById, plain, type Session } from './session.ts'
import type { Library } from './library-contract.ts'

const SERIES_PAGE = 1_000

const FILE_FIELDS = 'Path,MediaSources'

/** The sessions of all devices of a server are one message. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024

const SILENCE_MS = 90_000

const SERIES_FRESH_MS = 60_000

export function openSession(
  account: AccountContext<MediaBrowserProfile>,
  dialect: Dialect,
  now: () => number = () => Date.now(),
): Session {
  const { profile, store, log } = account
  const actsAsUser = account.actsAs !== undefined
  const byId = isById({ profile, actsAsUser })
  const upstream = account.upstream(connection(account, dialect))
  const libraries = new Map<string, Library>()
  let titles: Library | undefined
  let series: { readonly readAtMs: number; readonly shows: ReadonlyMap<string, Series> } | undefined

  async function ask(signal: AbortSignal): Promise<Identity> {
    const user = await upstream.json({ ...dialect.user(profile.user_id, byId), signal }, User)
    if (!user.ServerId)
      throw new PlayheadError('PLH_UPSTREAM_INVALID', `${account.name}: the server does not say which server it is.`)
    if (profile.user_id !== '' && plain(profile.user_id) !== plain(user.Id)) {
      throw new PlayheadError(
        'PLH_UPSTREAM_INVALID',
        `${account.name}: the token belongs to another user; sign in again.`,
      )
    }
    return {
      account: `${user.ServerId}/${user.Id}`,
      userId: user.Id,
      userName: user.Name ?? '',
      serverId: user.ServerId,
      // Only an administrator's sign-in can act as a user.
      seesOthers: byId || user.Policy?.IsAdministrator === true,
    }
  }

  const identity = createMemo({ load: ask, ttlMs: Infinity, now })
  const who = (fresh = false, signal?: AbortSignal) => (fresh ? identity.fresh(signal) : identity.get(signal))

  async function listSeries(signal: AbortSignal | undefined): Promise<ReadonlyMap<string, Series>> {
    const { userId } = await who(false, signal)
    const query = {
      ...everything(dialect),
      includeItemTypes: 'Series',
      sortBy: 'SortName',
      sortOrder: 'Ascending',
      enableUserData: false,
    }
    const listing = openListing({ upstream, dialect }, withQuery(dialect, dialect.items(userId), query), {
      limit: SERIES_PAGE,
      signal,
    })
    const shows = new Map<string, Series>()
    for await (const rows of listing.pages()) for (const row of rows) shows.set(row.Id, seriesOf(row))
    return shows
  }

  const session: Session = {
    dialect,
    profile,
    actsAsUser,
    upstream,
    store,
    log,
    identity: who,
    async series(needed, signal) {
      const missing = [...needed].some((id) => series?.shows.has(id) !== true)
      if (series === undefined || missing || now() - series.readAtMs > SERIES_FRESH_MS) {
        const readAtMs = now()
        series = { readAtMs, shows: await listSeries(signal) }
      }
      return series.shows
    },
    facts: createKeyedCache({ load: (ids, signal) => readFacts(session, ids, signal), now }),
    files: createKeyedCache({ load: (ids, signal) => readFacts(session, ids, signal, FILE_FIELDS), now }),
    librariesOf: createKeyedCache({ load: (ids, signal) => readLibrariesOf(session, ids, signal), now }),
    socket(signal) {
      const { path, place } = dialect.socket
      const { credential, ...options } = connection(account, dialect)
      const connected =
        place.length === 0 || credential === undefined
          ? upstream
          : account.upstream({ ...options, credential: { ...credential, place: [...credential.place, ...place] } })
      return connected.socket({
        path,
        query: { deviceId: profile.device_id || account.name },
        maxMessageBytes: MAX_MESSAGE_BYTES,
        silenceMs: SILENCE_MS,
        signal,
      })
    },
    async missingLibraries(chosen) {
      if (chosen.length === 0) return []
      const seen = new Set((await listViews(session)).map(({ key }) => key))
      return chosen.filter((id) => !seen.has(id))
    },
    get titles() {
      return (titles ??= createLibrary(session, [], now, 'Movie,Series'))
    },
    library(chosen = []) {
      const scope = [...chosen].sort().join(',')
      const known = libraries.get(scope)
      if (known !== undefined) return known
      const library = createLibrary(session, chosen, now)
      libraries.set(scope, library)
      return library
    },
    turns: { writes: createLimiter(CONCURRENCY), shared: createTurns() },
  }
  return session
}
