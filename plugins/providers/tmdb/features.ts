// Capabilities and sign-in of TMDB.
import type { SignInDescription, Support } from '@playhead/sdk'

const READ_WRITE = {
  read: true,
  add: true,
  remove: true,
  maxBatch: 100,
  // TMDB ids, or ids that TMDB can resolve.
  needsAnyId: ['tmdb', 'imdb', 'tvdb'],
  // Lists have no times.
  untimed: true,
  // Paged, with a total; if there are more pages than TMDB serves, the read is incomplete.
  showsAll: true,
} as const

export const FEATURES: Support = {
  watchlist: { ...READ_WRITE, update: false, kinds: ['movie', 'show'], idempotentAdd: true },
  ratings: { ...READ_WRITE, update: true, kinds: ['movie', 'show', 'episode'] },
}

export const SIGN_IN: SignInDescription = {
  flow: 'api_keys',
  methods: ['request_token', 'api_key'],
  fields: [
    { key: 'metaA_sync.api_key', label: 'API key', type: 'password', required: true },
    { key: 'metaA_sync.session_id', label: 'Session', type: 'password', required: false, readonly: true },
  ],
  actions: { start: false, finish: false, refresh: true, disconnect: true },
  verifyUrl: null,
  notes:
    'Open themoviedb.org/settings/api. If you have no API key yet, request one for personal use.\n' +
    'Copy the API Key (not the API Read Access Token) into the field below.\n' +
    'Allow access on the page that opens.',
}
