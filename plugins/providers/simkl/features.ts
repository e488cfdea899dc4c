// Capabilities and sign-in of SIMKL.
import type { SignInDescription, Support } from '@playhead/sdk'

export const IDS = ['trackb', 'imdb', 'tmdb', 'tvdb', 'mal', 'anidb', 'anilist', 'kitsu'] as const
const WORKS = ['movie', 'show'] as const
const PLAYED = ['movie', 'episode'] as const
const READ_WRITE = { read: true, add: true, remove: true, needsAnyId: IDS } as const

export const FEATURES: Support = {
  watchlist: {
    ...READ_WRITE,
    update: false,
    kinds: WORKS,
    maxBatch: 100,
    idempotentAdd: true,
    showsAll: true,
    // Plan-to-watch is a status of the entry; removing it removes the whole entry.
    removalSideEffects: ['history', 'ratings'],
    verifyAfterWrite: true,
  },
  history: {
    ...READ_WRITE,
    update: false,
    kinds: PLAYED,
    maxBatch: 100,
    showsAll: true,
    days: 'noon',
    // Watched titles move to another list.
    writeSideEffects: ['watchlist'],
    // An unwatched film leaves the library with its rating.
    removalSideEffects: ['ratings'],
    verifyAfterWrite: true,
  },
  ratings: {
    ...READ_WRITE,
    update: true,
    kinds: WORKS,
    maxBatch: 100,
    showsAll: true,
    // A rated movie counts as watched.
    writeSideEffects: ['history'],
  },
  progress: {
    ...READ_WRITE,
    update: true,
    kinds: PLAYED,
    maxBatch: 20,
    completion: { percent: 80 },
    anime: true,
    // Positions expire after some days, and a show has only one.
    observedDeletes: false,
  },
}

export const SIGN_IN: SignInDescription = {
  flow: 'oauth',
  methods: ['device_pin', 'oauth'],
  fields: [
    { key: 'trackB.client_id', label: 'Client ID', type: 'text', required: true },
    // For a "Server apps & services" application; the other kinds are public.
    { key: 'trackB.client_secret', label: 'Client secret', type: 'password', required: false, methods: ['oauth'] },
  ],
  actions: { start: true, finish: false, refresh: false, disconnect: true },
  verifyUrl: null,
  notes:
    'Open simkl.com/settings/developer/new and create an application with any name. Applications created before September 18, 2026 no longer work.\n' +
    'To sign in with a PIN, choose “TV, devices & command line”. To sign in with the browser, choose “Server apps & services” and enter the redirect URI `<this address>/callback`\n' +
    'Save, then copy the Client ID into the field below, and the Client Secret if there is one.',
}
