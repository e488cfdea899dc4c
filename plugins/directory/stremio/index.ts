// Stremio: the library of an account, by the API that its own apps use.
import { defineProvider, type FeatureSupport } from '@playhead/sdk/provider'
import { readFeature } from './read.ts'
import { openSession, type Session } from './session.ts'
import { CREDENTIALS, missing, normalize, Profile } from './settings.ts'
import { routes } from './sign-in.ts'
import { writeFeature } from './write.ts'

const TITLES = {
  read: true,
  add: true,
  remove: true,
  needsAnyId: ['imdb'],
  maxBatch: 100,
  idempotentAdd: true,
  showsAll: true,
} as const satisfies Partial<FeatureSupport>

export default defineProvider<typeof Profile, Session>({
  profile: Profile,
  group: 'client',
  vendor: 'Stremio',
  description: 'Syncs the watchlist, watched movies and episodes, and positions of a Stremio account.',
  bidirectional: true,
  features: {
    watchlist: { ...TITLES, update: false, kinds: ['movie', 'show'] },
    // An episode has no time of its own that could be changed.
    history: { ...TITLES, update: false, kinds: ['movie', 'episode'], days: 'noon', sharedTime: ['progress'] },
    // The position of a show moves to another episode when that is played, which removes no position elsewhere.
    progress: { ...TITLES, update: true, kinds: ['movie', 'episode'], observedDeletes: false },
  },
  signIn: {
    flow: 'api_keys',
    methods: ['password'],
    fields: [
      { key: 'stremio.email', label: 'Email', type: 'text', required: true },
      { key: 'stremio.password', label: 'Password', type: 'password', required: true },
    ],
    actions: { start: false, finish: true, refresh: false, disconnect: true },
    verifyUrl: null,
    notes: 'The password is not stored. An account without a password (Facebook, Apple) needs one first.',
  },
  credentials: CREDENTIALS,
  missing,
  normalize,
  open: openSession,
  async probe({ user }, signal) {
    user.drop()
    const { _id: id, email } = await user.get(signal)
    return { status: 'ok', account: id, user: { id, name: typeof email === 'string' ? email : id } }
  },
  read: { watchlist: readFeature('watchlist'), history: readFeature('history'), progress: readFeature('progress') },
  write: { watchlist: writeFeature('watchlist'), history: writeFeature('history'), progress: writeFeature('progress') },
  signOut: ({ api }, signal) => api.signOut(signal),
  routes,
})
