// Seerr, and its forerunners Jellyseerr and Overseerr: the requests of a person as a watchlist
// (https://github.com/seerr-team/seerr: seerr-api.yml, server/routes, server/entity).
import { defineProvider } from '@playhead/sdk/provider'
import { users } from './people.ts'
import { readWatchlist } from './read.ts'
import { openSession, probe, type Session } from './session.ts'
import { CREDENTIALS, missing, normalize, Profile } from './settings.ts'
import { routes } from './sign-in.ts'
import { writeWatchlist } from './write.ts'

export default defineProvider<typeof Profile, Session>({
  profile: Profile,
  group: 'other',
  vendor: 'Seerr',
  description: 'Requests what is on a watchlist, as the right person.',
  bidirectional: true,
  features: {
    watchlist: {
      read: true,
      add: true,
      update: false,
      remove: true,
      kinds: ['movie', 'show'],
      needsAnyId: ['tmdb', 'imdb', 'tvdb'],
      // Administrators decline requests, and titles are deleted with theirs.
      observedDeletes: false,
      maxBatch: 50,
      idempotentAdd: true,
      showsAll: true,
    },
  },
  signIn: {
    flow: 'api_keys',
    methods: ['api_key', 'password'],
    fields: [
      {
        key: 'seerr.server',
        label: 'Address of Seerr',
        type: 'text',
        required: true,
        placeholder: 'http://192.168.1.20:5055',
      },
      { key: 'seerr.api_key', label: 'API key', type: 'password', required: true, methods: ['api_key'] },
      { key: 'seerr.user', label: 'User', type: 'text', required: false },
      { key: 'seerr.password', label: 'Password', type: 'password', required: true, methods: ['password'] },
    ],
    actions: { start: false, finish: true, refresh: false, disconnect: true },
    verifyUrl: null,
    notes:
      'The API key is in Seerr under Settings, General; with it enter whose requests these are. Without it sign in with your name and password at Seerr or Jellyfin.',
  },
  credentials: CREDENTIALS,
  missing,
  normalize,
  open: openSession,
  probe,
  read: { watchlist: readWatchlist },
  write: { watchlist: writeWatchlist },
  users,
  async signOut({ account, api }, signal) {
    if (account.profile.api_key === '') await api.request({ method: 'POST', path: 'auth/logout', json: {}, signal })
  },
  routes,
})
