// Capabilities and sign-in of Trakt.
import type { SignInDescription, Support } from '@playhead/sdk'
import { PROGRESS, RATINGS, WATCHLIST } from './read/list.ts'

const IDS = ['tracka', 'imdb', 'tmdb', 'tvdb'] as const
const ALL_KINDS = ['movie', 'show', 'season', 'episode'] as const
const PLAYED_KINDS = ['movie', 'episode'] as const
const READ_WRITE = { read: true, add: true, remove: true, needsAnyId: IDS } as const

export const FEATURES: Support = {
  // A batch is one request, and one write per second is allowed, so batches are large.
  watchlist: { ...READ_WRITE, update: false, kinds: ALL_KINDS, maxBatch: 250, idempotentAdd: true },
  history: {
    ...READ_WRITE,
    update: false,
    kinds: PLAYED_KINDS,
    maxBatch: 500,
    plays: { read: true, write: true, removeOne: true },
    // Ids of written plays are only known by reading.
    verifyAfterWrite: true,
  },
  ratings: { ...READ_WRITE, update: true, kinds: ALL_KINDS, maxBatch: 500 },
  progress: { ...READ_WRITE, update: true, kinds: PLAYED_KINDS, maxBatch: 20, completion: { percent: 80 } },
}

export const LISTS = { watchlist: WATCHLIST, ratings: RATINGS, progress: PROGRESS } as const

export const SIGN_IN: SignInDescription = {
  flow: 'device_pin',
  methods: ['device_code'],
  fields: [
    { key: 'trackA.client_id', label: 'Client ID', type: 'text', required: true },
    { key: 'trackA.client_secret', label: 'Client secret', type: 'password', required: true },
  ],
  actions: { start: true, finish: true, refresh: true, disconnect: true },
  verifyUrl: 'https://trakt.tv/activate',
  notes:
    'Open trakt.tv/oauth/applications/new and create an application with any name.\n' +
    'Redirect URI: `urn:ietf:wg:oauth:2.0:oob`\n' +
    'Save it, and copy its Client ID and Client Secret into the fields below.\n' +
    'Get a code here, and enter it at trakt.tv/activate.',
}
