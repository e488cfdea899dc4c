// Scrob: movies and shows of a user of a self-hosted server, by the API of its pages, which takes an API key.
import { defineProvider, type FeatureSupport } from '@playhead/sdk/provider'
import { readHistory, readRatings, readWatchlist } from './read.ts'
import { openSession, probe, type Session } from './session.ts'
import { CREDENTIALS, missing, normalize, Profile } from './settings.ts'
import { routes } from './sign-in.ts'
import { writeHistory, writeRatings, writeWatchlist } from './write.ts'

const TITLES = {
  read: true,
  add: true,
  remove: true,
  needsAnyId: ['tmdb'],
  showsAll: true,
} as const satisfies Partial<FeatureSupport>

export default defineProvider<typeof Profile, Session>({
  profile: Profile,
  group: 'tracker',
  vendor: 'Scrob',
  description: 'Syncs the watchlist, history and ratings of movies and shows with a Scrob server.',
  bidirectional: true,
  features: {
    watchlist: { ...TITLES, update: false, kinds: ['movie', 'show'], idempotentAdd: true },
    history: {
      ...TITLES,
      update: true,
      kinds: ['movie', 'episode'],
      idempotentAdd: true,
      days: 'noon',
      plays: { read: true, write: true, removeOne: true },
    },
    ratings: { ...TITLES, update: true, kinds: ['movie', 'show', 'season'], compares: ['add', 'update', 'remove'] },
  },
  signIn: {
    flow: 'api_keys',
    methods: ['api_key'],
    fields: [
      {
        key: 'scrob.server',
        label: 'Address of Scrob',
        type: 'text',
        required: true,
        placeholder: 'http://192.168.1.20:7330',
      },
      { key: 'scrob.username', label: 'Username', type: 'text', required: true },
      { key: 'scrob.api_key', label: 'API key', type: 'password', required: true },
    ],
    actions: { start: false, finish: true, refresh: false, disconnect: true },
    verifyUrl: null,
    notes: 'Your API key is in Scrob under Connections.',
  },
  credentials: CREDENTIALS,
  missing,
  normalize,
  open: openSession,
  probe,
  read: { watchlist: readWatchlist, history: readHistory, ratings: readRatings },
  write: { watchlist: writeWatchlist, history: writeHistory, ratings: writeRatings },
  routes,
})
