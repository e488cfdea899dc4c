// MyAnimeList: the anime list of an account, by the API v2 (https://myanimelist.net/apiconfig/references/api/v2). Notes on its
// errors: https://myanimelist.net/blog.php?eid=835707
import { defineProvider, type FeatureSupport, missingSignIn } from '@playhead/sdk/provider'
import { readHistory, readRatings, readWatchlist } from './read.ts'
import { openSession, type Session } from './session.ts'
import { CREDENTIALS, normalize, Profile } from './settings.ts'
import { routes } from './sign-in.ts'
import { readUser } from './upstream.ts'
import { writeFeature } from './write.ts'

const COMMON = {
  read: true,
  add: true,
  remove: true,
  needsAnyId: ['mal'],
  maxBatch: 50,
  showsAll: true,
  // An entry that moves to another status, or whose count begins again, was not taken off by the person.
  observedDeletes: false,
} as const satisfies Partial<FeatureSupport>

export default defineProvider<typeof Profile, Session>({
  profile: Profile,
  group: 'tracker',
  vendor: 'MyAnimeList',
  description: 'Syncs the watchlist, watched episodes and ratings of a MyAnimeList account.',
  bidirectional: true,
  features: {
    watchlist: { ...COMMON, update: false, kinds: ['movie', 'show'], idempotentAdd: true, untimed: true },
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
    flow: 'oauth2',
    methods: ['oauth'],
    fields: [
      { key: 'myanimelist.client_id', label: 'Client ID', type: 'text', required: true },
      { key: 'myanimelist.client_secret', label: 'Client secret', type: 'password', required: false },
    ],
    actions: { start: true, finish: false, refresh: false, disconnect: true },
    verifyUrl: null,
    fieldsAtStart: true,
    notes:
      'Open myanimelist.net/apiconfig and choose “Create ID”. App type: “other”, which has no secret. Purpose: “hobbyist”.\nApp redirect URL: `<this address>/callback/myanimelist`\nSave, then copy the client ID into the field below.',
  },
  credentials: CREDENTIALS,
  missing: missingSignIn,
  normalize,
  open: openSession,
  async probe({ upstream, collection }, signal) {
    // A run starts with a probe and needs fresh data.
    collection.drop()
    const { id, name } = await readUser(upstream, signal)
    return { status: 'ok', account: String(id), user: { id: String(id), name } }
  },
  read: { watchlist: readWatchlist, history: readHistory, ratings: readRatings },
  write: { watchlist: writeFeature('watchlist'), history: writeFeature('history'), ratings: writeFeature('ratings') },
  titlePage: ({ ids }) => (ids.mal === undefined ? undefined : `https://myanimelist.net/anime/${ids.mal}`),
  routes,
})
