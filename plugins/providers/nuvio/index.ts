import { defineProvider, type ProviderDefinition } from '@playhead/sdk/provider'
import { FEATURES, SIGN_IN } from './features.ts'
import { probe } from './sign-in/probe.ts'
import { readTable } from './read/read.ts'
import { routes } from './sign-in/routes.ts'
import { openSession, type Session } from './session.ts'
import { CREDENTIALS, missing, normalize, Profile } from './settings.ts'
import { TABLES } from './tables.ts'
import { logOut } from './sign-in/log-out.ts'
import { tvLogin } from './sign-in/tv-login.ts'
import { writeLibrary } from './write/library.ts'
import { writeProgress } from './write/progress.ts'
import { writeWatched } from './write/watched.ts'

export const definition: ProviderDefinition<typeof Profile, Session> = {
  profile: Profile,
  group: 'client',
  vendor: 'Nuvio',
  description:
    'Syncs the watchlist, history and progress of a Nuvio profile. Experimental: Nuvio changes its API from time to time.',
  features: FEATURES,
  signIn: SIGN_IN,
  credentials: CREDENTIALS,
  missing,
  normalize,
  open: openSession,
  probe,
  read: {
    watchlist: (session, request, signal) => readTable(session, TABLES.watchlist, request, signal),
    history: (session, request, signal) => readTable(session, TABLES.history, request, signal),
    progress: (session, request, signal) => readTable(session, TABLES.progress, request, signal),
  },
  write: { watchlist: writeLibrary, history: writeWatched, progress: writeProgress },
  signOut: ({ account }, signal) => logOut(account, signal),
  signInFlow: (kit, instance, method) => (method === 'tv_login' ? tvLogin(kit, instance) : undefined),
  routes,
}

export default defineProvider(definition)
