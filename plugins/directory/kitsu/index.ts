// Kitsu: the anime of a library, by its JSON:API (https://hummingbird-me.github.io/api-docs).
import { defineProvider, type FeatureSupport } from '@playhead/sdk/provider'
import { readHistory, readRatings, readWatchlist } from './read.ts'
import { openSession, type Session } from './session.ts'
import { CREDENTIALS, normalize, Profile } from './settings.ts'
import { routes } from './sign-in.ts'
import { SCHEMES, writeFeature } from './write.ts'

const COMMON = {
  read: true,
  add: true,
  remove: true,
  needsAnyId: SCHEMES,
  maxBatch: 50,
  showsAll: true,
  // An entry that moves to another status, that a filter hides, or whose count begins again was not taken off by the person.
  observedDeletes: false,
} as const satisfies Partial<FeatureSupport>

export default defineProvider<typeof Profile, Session>({
  profile: Profile,
  group: 'tracker',
  vendor: 'Kitsu',
  description: 'Syncs the watchlist, watched episodes and ratings of a Kitsu account.',
  bidirectional: true,
  features: {
    watchlist: { ...COMMON, update: false, kinds: ['movie', 'show'], idempotentAdd: true },
    history: {
      ...COMMON,
      update: false,
      kinds: ['movie', 'episode'],
      idempotentAdd: true,
      untimed: true,
      // An entry has one status: what is being watched is not planned.
      writeSideEffects: ['watchlist'],
    },
    ratings: {
      ...COMMON,
      update: true,
      kinds: ['movie', 'show'],
      untimed: true,
      compares: ['add', 'update', 'remove'],
    },
  },
  signIn: {
    flow: 'api_keys',
    methods: ['password'],
    fields: [
      { key: 'kitsu.username', label: 'Email or user name', type: 'text', required: true },
      { key: 'kitsu.password', label: 'Password', type: 'password', required: true },
    ],
    actions: { start: false, finish: true, refresh: false, disconnect: true },
    verifyUrl: null,
    notes:
      'The password is sent to Kitsu once, and is not stored. An account made with Facebook needs a password first.',
  },
  credentials: CREDENTIALS,
  missing: ({ access_token: token }) => (token === '' ? 'not_configured' : undefined),
  normalize,
  open: openSession,
  async probe({ user, library }, signal) {
    // A run starts with a probe and needs fresh data.
    library.drop()
    const { id, name } = await user.fresh(signal)
    return { status: 'ok', account: id, user: { id, name } }
  },
  read: { watchlist: readWatchlist, history: readHistory, ratings: readRatings },
  write: { watchlist: writeFeature('watchlist'), history: writeFeature('history'), ratings: writeFeature('ratings') },
  titlePage: ({ ids }) => (ids.kitsu === undefined ? undefined : `https://kitsu.app/anime/${ids.kitsu}`),
  routes,
})
