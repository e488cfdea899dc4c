// What AniList can do, and how people sign in.
import type { FeatureSupport, SignInDescription, Support } from '@playhead/sdk'

const COMMON = {
  read: true,
  add: true,
  remove: true,
  // Entries are series and films, never single episodes; and nothing is looked up by a title.
  kinds: ['movie', 'show'],
  needsAnyId: ['anilist', 'mal'],
  maxBatch: 50,
  // A person may hide entries, and moving one to another list is no removal.
  observedDeletes: false,
} as const satisfies Partial<FeatureSupport>

export const FEATURES: Support = {
  watchlist: {
    ...COMMON,
    update: false,
    idempotentAdd: true,
    // Taking a title off deletes its whole entry. Entries with anything in them are refused as well, see
    // write-watchlist.ts.
    removalSideEffects: ['ratings'],
  },
  // An entry has one time for all of it, which says nothing about when it was rated.
  ratings: { ...COMMON, update: true, untimed: true },
}

export const SIGN_IN: SignInDescription = {
  flow: 'oauth2',
  methods: ['oauth'],
  fields: [
    { key: 'animeA.client_id', label: 'Client ID', type: 'text', required: true },
    { key: 'animeA.client_secret', label: 'Client secret', type: 'password', required: true },
  ],
  actions: { start: true, finish: false, refresh: false, disconnect: true },
  verifyUrl: null,
  notes:
    'Make an application of your own at anilist.co/settings/developer with the redirect address <this address>/callback/animeA.',
}
