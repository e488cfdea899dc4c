// Capabilities and sign-in of Nuvio.
import type { SignInDescription, Support } from '@playhead/sdk'

const SHARED = {
  read: true,
  add: true,
  remove: true,
  needsAnyId: ['tmdb', 'imdb'],
  maxBatch: 500,
  verifyAfterWrite: true,
} as const

export const FEATURES: Support = {
  watchlist: { ...SHARED, update: false, kinds: ['movie', 'show'], idempotentAdd: true },
  // One row per movie and episode: a later play replaces the previous one.
  history: { ...SHARED, update: true, kinds: ['movie', 'episode'], idempotentAdd: true, days: 'noon' },
  progress: {
    ...SHARED,
    update: true,
    kinds: ['movie', 'episode'],
    needsDuration: true,
    completion: { percent: 90, minDurationSeconds: 60 },
  },
}

export const SIGN_IN: SignInDescription = {
  flow: 'tv_login',
  methods: ['tv_login'],
  fields: [],
  actions: { start: true, finish: true, refresh: true, disconnect: true },
  verifyUrl: 'https://nuvio.tv/tv-login',
  notes:
    'Requires the client key of Nuvio in the settings. Open the link, sign in to Nuvio, approve the request, then choose a profile.',
}
