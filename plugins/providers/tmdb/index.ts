import { defineProvider, type ProviderDefinition } from '@playhead/sdk/provider'
import { FEATURES, SIGN_IN } from './features.ts'
import { LISTS } from './own-lists.ts'
import { RATINGS, readLists, WATCHLIST } from './read/lists.ts'
import { routes } from './sign-in/routes.ts'
import { openSession, readAccount, type Session } from './session.ts'
import { CREDENTIALS, normalize, Profile } from './settings.ts'
import { endSession, tokenFlow } from './sign-in/sign-in.ts'
import { writeRatings, writeWatchlist } from './write/write.ts'

const definition: ProviderDefinition<typeof Profile, Session> = {
  profile: Profile,
  group: 'tracker',
  vendor: 'TMDB',
  features: FEATURES,
  signIn: SIGN_IN,
  credentials: CREDENTIALS,
  missing: ({ api_key: key, session_id: session }) => (key === '' || session === '' ? 'not_configured' : undefined),
  normalize,
  open: openSession,
  async probe({ api }, signal) {
    const { id, username } = await readAccount(api, signal)
    return { status: 'ok', account: String(id), user: { id: String(id), name: username || String(id) } }
  },
  read: {
    watchlist: (session, request, signal) => readLists(session, WATCHLIST, request, signal),
    ratings: (session, request, signal) => readLists(session, RATINGS, request, signal),
  },
  write: { watchlist: writeWatchlist, ratings: writeRatings },
  lists: LISTS,
  titlePage({ type, ids, show_ids: showIds, season, episode }) {
    const [own, show] = [ids.tmdb, showIds?.tmdb]
    if (type === 'movie' || type === 'show')
      return own === undefined ? undefined : `https://www.themoviedb.org/${type === 'movie' ? 'movie' : 'tv'}/${own}`
    if (show === undefined || season === undefined) return undefined
    const part = episode === undefined ? '' : `/episode/${episode}`
    return `https://www.themoviedb.org/tv/${show}/season/${season}${part}`
  },
  signOut: ({ account }, signal) => endSession(account, signal),
  signInFlow: (kit, instance, method) => (method === 'request_token' ? tokenFlow(kit, instance) : undefined),
  routes,
}

export default defineProvider(definition)
