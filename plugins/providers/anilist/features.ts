// Capabilities and sign-in of AniList.
import type { FeatureSupport, SignInDescription, Support } from '@playhead/sdk'

const COMMON = {
  read: true,
  add: true,
  remove: true,
  // Entries are series and films, never episodes. Titles are not searched.
  kinds: ['movie', 'show'],
  needsAnyId: ['anilist', 'mal'],
  maxBatch: 50,
  // Entries can be hidden, and moving one to another list is not a removal.
  observedDeletes: false,
} as const satisfies Partial<FeatureSupport>

export const FEATURES: Support = {
  watchlist: {
    ...COMMON,
    update: false,
    idempotentAdd: true,
    // Removing a title deletes its whole entry; see write/watchlist.ts for entries that are refused.
    removalSideEffects: ['ratings'],
  },
  // The only time of an entry is not the time of its rating.
  ratings: { ...COMMON, update: true, untimed: true, compares: ['update', 'remove'] },
}

export const SIGN_IN: SignInDescription = {
  flow: 'oauth2',
  methods: ['oauth'],
  fields: [
    { key: 'animeA.client_id', label: 'Client ID', type: 'text', required: true },
    { key: 'animeA.client_secret', label: 'Client secret', type: 'password', required: false },
  ],
  actions: { start: true, finish: false, refresh: false, disconnect: true },
  verifyUrl: null,
  notes:
    'Open anilist.co/settings/developer, choose "Create New Client" and enter any name.\n' +
    'Redirect URL: `<this address>/callback/animeA`\n' +
    'Save, then copy the ID and the secret into the fields below.\n' +
    'To paste a token instead, use the redirect URL `https://anilist.co/api/v2/oauth/pin` and enter only the ID below.',
  // Only the code grant needs a secret.
  pasted: 'access_token',
}
