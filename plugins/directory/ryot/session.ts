// A signed-in user, and ids of titles that were seen.
import { type Static, Type, type UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, createMemo, type Memo } from '@playhead/sdk/provider'
import { type Ask, askWith, openApi, sessionEnded } from './api.ts'
import type { Profile } from './settings.ts'
import { type Facts, idsOf } from './titles.ts'

const SHARED_MS = 10 * 60_000

const User = Type.Object({
  id: Type.String({ minLength: 1 }),
  name: Type.String(),
  preferences: Type.Object({ general: Type.Object({ reviewScale: Type.String() }) }),
})
export type User = Static<typeof User>
const WhoAmI = Type.Object({
  userDetails: Type.Union([User, Type.Object({ error: Type.String() })]),
  coreDetails: Type.Object({ version: Type.String() }),
})
const Collections = Type.Object({
  userCollectionsList: Type.Object({
    response: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        isDefault: Type.Boolean(),
        creator: Type.Object({ id: Type.String() }),
      }),
    ),
  }),
})

export interface Known {
  readonly user: User
  /** As `ReadEnd.account`. */
  readonly account: string
  readonly version: string
}

export interface Session {
  readonly account: AccountContext<Profile>
  readonly api: UpstreamAccount
  readonly ask: Ask
  readonly known: Memo<Known>
  /** The collection that Ryot keeps as watchlist; undefined if the user has none. */
  readonly watchlist: Memo<string | undefined>
  /** Ryot's ids of titles by kind and id at TMDB or TVDB. */
  readonly index: Map<string, string>
  refresh(): void
}

export function openSession(account: AccountContext<Profile>): Session {
  const api = openApi(account)
  const ask = askWith(api)
  const known = createMemo({
    load: (signal) => whoAmI(ask, account.profile.server, signal),
    ttlMs: SHARED_MS,
    now: Date.now,
  })
  const watchlist = createMemo({
    async load(signal) {
      const { user } = await known.get(signal)
      const query = 'query { userCollectionsList { response { id name isDefault creator { id } } } }'
      const { userCollectionsList } = await ask({ query }, Collections, { signal })
      return userCollectionsList.response.find(
        ({ name, isDefault, creator }) => name === 'Watchlist' && isDefault && creator.id === user.id,
      )?.id
    },
    ttlMs: SHARED_MS,
    now: Date.now,
  })
  return {
    account,
    api,
    ask,
    known,
    watchlist,
    index: new Map(),
    refresh() {
      known.drop()
      watchlist.drop()
    },
  }
}

/** Throws `PLH_AUTH_FAILED` without a valid token. */
export async function whoAmI(ask: Ask, server: string, signal?: AbortSignal): Promise<Known> {
  const query = `query {
    userDetails {
      ... on UserDetails { id name preferences { general { reviewScale } } }
      ... on UserDetailsError { error }
    }
    coreDetails { version }
  }`
  const { userDetails: found, coreDetails } = await ask({ query }, WhoAmI, { signal })
  if ('error' in found) throw sessionEnded()
  const user = found as User
  return { user, account: `${new URL(server).host}/${user.id}`, version: coreDetails.version }
}

export const indexKeys = (facts: Facts): readonly string[] =>
  Object.entries(idsOf(facts)).map(([scheme, id]) => `${facts.lot} ${scheme} ${id}`)

export function remember({ index }: Session, facts: Facts): void {
  for (const key of indexKeys(facts)) index.set(key, facts.id)
}
