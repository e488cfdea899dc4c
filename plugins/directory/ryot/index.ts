// Ryot: movies and shows of a user of a self-hosted server, by its GraphQL API.
import { defineProvider, type FeatureSupport } from '@playhead/sdk/provider'
import { readHistory, readProgress, readRatings, readWatchlist } from './read.ts'
import { openSession, type Session } from './session.ts'
import { CREDENTIALS, missing, normalize, Profile } from './settings.ts'
import { routes } from './sign-in.ts'
import { writeHistory, writeRatings, writeWatchlist } from './write.ts'

const TITLES = {
  read: true,
  add: true,
  remove: true,
  needsAnyId: ['tmdb', 'tvdb'],
  maxBatch: 25,
  idempotentAdd: true,
  showsAll: true,
} as const satisfies Partial<FeatureSupport>

export default defineProvider<typeof Profile, Session>({
  profile: Profile,
  group: 'tracker',
  vendor: 'Ryot',
  description: 'Syncs the watchlist, history and ratings of movies and shows with a Ryot server, and reads positions.',
  bidirectional: true,
  features: {
    watchlist: { ...TITLES, update: false, kinds: ['movie', 'show'] },
    history: {
      ...TITLES,
      update: true,
      kinds: ['movie', 'episode'],
      days: 'noon',
      plays: { read: true, write: true, removeOne: true },
      // Ryot takes what is finished off the watchlist.
      writeSideEffects: ['watchlist'],
    },
    ratings: { ...TITLES, update: true, kinds: ['movie', 'show', 'season', 'episode'] },
    // Positions are percentages, which change only by steps of the apps that report them.
    progress: {
      read: true,
      add: false,
      update: false,
      remove: false,
      kinds: ['movie', 'episode'],
      observedDeletes: false,
    },
  },
  signIn: {
    flow: 'api_keys',
    methods: ['password'],
    fields: [
      {
        key: 'ryot.server',
        label: 'Address of Ryot',
        type: 'text',
        required: true,
        placeholder: 'http://192.168.1.20:8000',
      },
      { key: 'ryot.username', label: 'Username', type: 'text', required: false },
      { key: 'ryot.password', label: 'Password', type: 'password', required: false },
      { key: 'ryot.api_token', label: 'Token', type: 'password', required: false },
    ],
    actions: { start: false, finish: true, refresh: false, disconnect: true },
    verifyUrl: null,
    notes:
      'Enter your name and password, or a token of Ryot if you sign in with another service or a second factor. The password is not stored.',
  },
  credentials: CREDENTIALS,
  missing,
  normalize,
  open: openSession,
  async probe(session, signal) {
    session.refresh()
    const { account, user, version } = await session.known.get(signal)
    return { status: 'ok', account, user: { id: user.id, name: user.name }, extras: { version } }
  },
  read: { watchlist: readWatchlist, history: readHistory, ratings: readRatings, progress: readProgress },
  write: { watchlist: writeWatchlist, history: writeHistory, ratings: writeRatings },
  routes,
})
