import { defineProvider, missingSignIn, type ProviderDefinition } from '@playhead/sdk/provider'
import { HISTORY, RATINGS, WATCHLIST, readDroppedShows, readLibrary } from './read/library.ts'
import { FEATURES, SIGN_IN } from './features.ts'
import { LISTS } from './lists.ts'
import { parseNative } from './items.ts'
import { pinFlow } from './sign-in/pin-flow.ts'
import { probe, signOut } from './sign-in/probe.ts'
import { readProgress } from './read/progress.ts'
import { PROBES } from './probes.ts'
import { routes } from './sign-in/routes.ts'
import { PLAYBACK } from './scrobble.ts'
import { openSession, type Session } from './session.ts'
import { CREDENTIALS, normalize, Profile } from './settings.ts'
import { writeHistory } from './write/history.ts'
import { writeProgress } from './write/progress.ts'
import { writeRatings } from './write/ratings.ts'
import { writeWatchlist } from './write/status.ts'

export const definition: ProviderDefinition<typeof Profile, Session> = {
  profile: Profile,
  group: 'tracker',
  vendor: 'SIMKL',
  features: FEATURES,
  signIn: SIGN_IN,
  credentials: CREDENTIALS,
  missing: missingSignIn,
  normalize,
  open: openSession,
  probe,
  read: {
    watchlist: (session, request, signal) => readLibrary(session, WATCHLIST, request, signal),
    history: (session, request, signal) => readLibrary(session, HISTORY, request, signal),
    ratings: (session, request, signal) => readLibrary(session, RATINGS, request, signal),
    progress: readProgress,
  },
  write: { watchlist: writeWatchlist, history: writeHistory, ratings: writeRatings, progress: writeProgress },
  probes: PROBES,
  droppedShows: readDroppedShows,
  playback: PLAYBACK,
  lists: LISTS,
  // Only the account's own rows say which of the three kinds of pages a title has.
  titlePage({ native }) {
    const own = parseNative(native?.item_id)
    return own === undefined ? undefined : `https://simkl.com/${own.part === 'shows' ? 'tv' : own.part}/${own.id}`
  },
  signOut,
  signInFlow: (kit, instance, method) => (method === 'device_pin' ? pinFlow(kit, instance) : undefined),
  routes,
}

export default defineProvider(definition)
