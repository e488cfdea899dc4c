import { defineProvider, type ProviderDefinition } from '@playhead/sdk/provider'
import { deviceFlow } from './sign-in/device-flow.ts'
import { FEATURES, SIGN_IN } from './features.ts'
import { LISTS } from './lists.ts'
import { probe } from './sign-in/probe.ts'
import { readHistory, readProgress, readRatings, readWatchlist } from './read/read.ts'
import { routes } from './sign-in/routes.ts'
import { PLAYBACK } from './scrobble.ts'
import type { Session } from './session.ts'
import { openSession } from './open-session.ts'
import { CREDENTIALS, isConfigured, normalize, Profile } from './settings.ts'
import { WRITES } from './write/features.ts'
import { writeProgress } from './write/progress.ts'

export const definition: ProviderDefinition<typeof Profile, Session> = {
  profile: Profile,
  group: 'tracker',
  vendor: 'MDBList',
  bidirectional: true,
  features: FEATURES,
  signIn: SIGN_IN,
  credentials: CREDENTIALS,
  missing: (profile) => (isConfigured(profile) ? undefined : 'not_configured'),
  normalize,
  open: openSession,
  probe,
  read: { watchlist: readWatchlist, history: readHistory, ratings: readRatings, progress: readProgress },
  write: { watchlist: WRITES.watchlist, history: WRITES.history, ratings: WRITES.ratings, progress: writeProgress },
  droppedShows: (session, signal) => session.droppedShows(signal),
  playback: PLAYBACK,
  lists: LISTS,
  titlePage({ type, ids, show_ids: showIds }) {
    if (type === 'movie') return ids.imdb === undefined ? undefined : `https://mdblist.com/movie/${ids.imdb}`
    const show = type === 'show' ? ids.imdb : showIds?.imdb
    return show === undefined ? undefined : `https://mdblist.com/show/${show}`
  },
  signInFlow: (kit, instance, method) => (method === 'device_code' ? deviceFlow(kit, instance) : undefined),
  routes,
}

export default defineProvider(definition)
