// Floppy: movies and shows of a user of a self-hosted server, by its REST API.
import { defineProvider, type FeatureSupport } from '@playhead/sdk/provider'
import { readHistory, readProgress, readRatings, readWatchlist } from './read.ts'
import { openSession, probe, type Session } from './session.ts'
import { CREDENTIALS, missing, normalize, Profile } from './settings.ts'
import { routes } from './sign-in.ts'
import { writeHistory, writeProgress, writeTitle } from './write.ts'

const TITLES = {
  read: true,
  add: true,
  remove: true,
  needsAnyId: ['tmdb'],
  showsAll: true,
  // An entry that gets another status, or moves to the anime library, was not taken off by the person.
  observedDeletes: false,
} as const satisfies Partial<FeatureSupport>

export default defineProvider<typeof Profile, Session>({
  profile: Profile,
  group: 'tracker',
  vendor: 'Floppy',
  description: 'Syncs planned titles, watched movies and episodes, ratings and positions with a Floppy server.',
  bidirectional: true,
  features: {
    watchlist: { ...TITLES, update: false, kinds: ['movie', 'show'], idempotentAdd: true },
    history: {
      ...TITLES,
      update: false,
      // A movie without its plays stays completed, and what Floppy takes for a wrong number loses all of its plays.
      remove: false,
      kinds: ['movie', 'episode'],
      idempotentAdd: true,
      days: 'noon',
      // An entry has one status: what was watched is not planned.
      writeSideEffects: ['watchlist'],
    },
    ratings: {
      ...TITLES,
      update: true,
      kinds: ['movie', 'show'],
      untimed: true,
      compares: ['add', 'update', 'remove'],
    },
    progress: { ...TITLES, update: true, kinds: ['movie', 'episode'], compares: ['add', 'update', 'remove'] },
  },
  signIn: {
    flow: 'api_keys',
    methods: ['api_key'],
    fields: [
      {
        key: 'floppy.server',
        label: 'Address of Floppy',
        type: 'text',
        required: true,
        placeholder: 'http://192.168.1.20:8000',
      },
      { key: 'floppy.api_token', label: 'Token', type: 'password', required: true },
    ],
    actions: { start: false, finish: true, refresh: false, disconnect: true },
    verifyUrl: null,
    notes: 'In Floppy under Settings, Integrations, create an app token with the permissions that are preset.',
  },
  credentials: CREDENTIALS,
  missing,
  normalize,
  open: openSession,
  probe,
  read: { watchlist: readWatchlist, history: readHistory, ratings: readRatings, progress: readProgress },
  write: {
    watchlist: writeTitle('watchlist'),
    history: writeHistory,
    ratings: writeTitle('ratings'),
    progress: writeProgress,
  },
  routes,
})
