// Capabilities and sign-in of PublicMetaDB. Ratings cannot be listed, so they are not synced.
import type { SignInDescription, Support } from '@playhead/sdk'

/** Works are identified by TMDB id and kind. */
const READ_WRITE = { read: true, add: true, remove: true, needsAnyId: ['tmdb'] } as const
const PLAYED_KINDS = ['movie', 'episode'] as const

export const FEATURES: Support = {
  watchlist: {
    ...READ_WRITE,
    update: false,
    kinds: ['movie', 'show'],
    maxBatch: 50,
    idempotentAdd: true,
    showsAll: true,
  },
  history: {
    ...READ_WRITE,
    update: false,
    kinds: PLAYED_KINDS,
    maxBatch: 50,
    showsAll: true,
    plays: { read: true, write: true, removeOne: true },
    days: 'noon',
    compares: ['remove'],
    verifyAfterWrite: true,
  },
  progress: {
    ...READ_WRITE,
    update: true,
    kinds: PLAYED_KINDS,
    maxBatch: 50,
    needsDuration: true,
    completion: { percent: 80 },
  },
}

export const SIGN_IN: SignInDescription = {
  flow: 'api_keys',
  methods: ['api_key'],
  fields: [{ key: 'metaB.api_key', label: 'API key', type: 'password', required: true }],
  actions: { start: false, finish: true, refresh: false, disconnect: true },
  verifyUrl: null,
  notes: 'Create an API key in your settings at publicmetadb.com.',
}
