// Capabilities and sign-in of MDBList.
import type { SignInDescription, Support } from '@playhead/sdk'

export const IDS = ['imdb', 'tmdb', 'tvdb', 'tracka'] as const
const PLAYED_KINDS = ['movie', 'episode'] as const
// Responses have counts per kind and seldom name items, so doubtful writes are verified by reading again.
const READ_WRITE = {
  read: true,
  add: true,
  remove: true,
  needsAnyId: IDS,
  maxBatch: 500,
  verifyAfterWrite: true,
} as const

export const FEATURES: Support = {
  watchlist: { ...READ_WRITE, update: false, kinds: ['movie', 'show'], idempotentAdd: true, showsAll: true },
  history: {
    ...READ_WRITE,
    update: false,
    kinds: PLAYED_KINDS,
    showsAll: true,
    plays: { read: true, write: true, removeOne: true },
    days: 'noon',
  },
  ratings: { ...READ_WRITE, update: true, kinds: ['movie', 'show', 'season', 'episode'], showsAll: true },
  progress: {
    ...READ_WRITE,
    update: true,
    kinds: PLAYED_KINDS,
    needsAnyId: ['imdb'],
    maxBatch: 20,
    verifyAfterWrite: false,
    completion: { percent: 80 },
  },
}

export const SIGN_IN: SignInDescription = {
  flow: 'device_code',
  methods: ['device_code', 'api_key'],
  fields: [{ key: 'listA.api_key', label: 'API key', type: 'password', required: false }],
  actions: { start: true, finish: true, refresh: true, disconnect: true },
  verifyUrl: 'https://mdblist.com/oauth/device/',
  notes: 'Enter the API key from your preferences at mdblist.com, or sign in with a code if a client ID is set.',
}
