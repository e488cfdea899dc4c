import { defineProvider, missingSignIn, type ProviderDefinition } from '@playhead/sdk/provider'
import { deviceFlow } from './sign-in/device-flow.ts'
import { FEATURES, SIGN_IN } from './features.ts'
import { OWN_LISTS } from './own-lists.ts'
import { titlePage } from './title-page.ts'
import { probe } from './sign-in/probe.ts'
import { readHistory } from './read/history.ts'
import { PROGRESS, RATINGS, readerOf, WATCHLIST } from './read/list.ts'
import { PROBES } from './probes.ts'
import { routes } from './sign-in/routes.ts'
import { PLAYBACK } from './scrobble.ts'
import type { Session } from './session.ts'
import { openSession } from './open-session.ts'
import { CREDENTIALS, normalize, Profile } from './settings.ts'
import { revokeTokens } from './sign-in/tokens.ts'
import { WRITES } from './write/features.ts'
import { writeProgress } from './write/progress.ts'

export const definition: ProviderDefinition<typeof Profile, Session> = {
  profile: Profile,
  group: 'tracker',
  vendor: 'Trakt',
  features: FEATURES,
  signIn: SIGN_IN,
  credentials: CREDENTIALS,
  missing: missingSignIn,
  normalize,
  open: openSession,
  probe,
  read: {
    watchlist: readerOf(WATCHLIST),
    history: readHistory,
    ratings: readerOf(RATINGS),
    progress: readerOf(PROGRESS),
  },
  write: { watchlist: WRITES.watchlist, history: WRITES.history, ratings: WRITES.ratings, progress: writeProgress },
  signOut: ({ account }, signal) => revokeTokens(account, signal),
  probes: PROBES,
  droppedShows: (session, signal) => session.droppedShows(signal),
  playback: PLAYBACK,
  lists: OWN_LISTS,
  titlePage,
  signInFlow: (kit, instance, method) => (method === 'device_code' ? deviceFlow(kit, instance) : undefined),
  routes,
}

export default defineProvider(definition)
