// Capabilities and sign-in of Trakt.
import type { SignInDescription, Support } from '@playhead/sdk'

const IDS = ['tracka', 'imdb', 'tmdb', 'tvdb'] as const
const ALL_KINDS = ['movie', 'show', 'season', 'episode'] as const
const PLAYED_KINDS = ['movie', 'episode'] as const
const READ_WRITE = { read: true, add: true, remove: true, needsAnyId: IDS } as const

export const FEATURES: Support = {
  // A batch is one request, and one write per second is allowed, so batches are large.
  watchlist: { ...READ_WRITE, update: false, kinds: ALL_KINDS, maxBatch: 250, idempotentAdd: true, showsAll: true },
  history: {
    ...READ_WRITE,
    update: false,
    kinds: PLAYED_KINDS,
    maxBatch: 500,
    showsAll: true,
    plays: { read: true, write: true, removeOne: true },
    days: 'noon',
    // A title leaves the watchlist when it is watched.
    writeSideEffects: ['watchlist'],
    // Ids of written plays are only known by reading.
    verifyAfterWrite: true,
  },
  ratings: { ...READ_WRITE, update: true, kinds: ALL_KINDS, maxBatch: 500, showsAll: true },
  progress: { ...READ_WRITE, update: true, kinds: PLAYED_KINDS, maxBatch: 20, completion: { percent: 80 } },
}

export const SIGN_IN: SignInDescription = {
  flow: 'device_pin',
  methods: ['device_code', 'oauth'],
  fields: [
    { key: 'trackA.client_id', label: 'Client ID', type: 'text', required: true },
    // New applications have no secret. Browser sign-in works without it (PKCE).
    {
      key: 'trackA.client_secret',
      label: 'Client secret',
      type: 'password',
      required: false,
      methods: ['device_code'],
    },
  ],
  actions: { start: true, finish: true, refresh: true, disconnect: true },
  verifyUrl: 'https://trakt.tv/activate',
  notes:
    'Open developer.trakt.tv and create an application with any name. You need a GitHub account, but no Trakt VIP. A free account can have two applications.\n' +
    'Redirect URI, https only: `<this address>/callback/trackA`\n' +
    'Save, then copy the Client ID into the field below, and the Client Secret if there is one.',
  fieldsAtStart: true,
}
