// Tracearr: the plays of people at Plex, Jellyfin and Emby, by its public API, which only reads (https://docs.tracearr.com/api;
// https://github.com/connorgallopo/Tracearr: openapi-v2.json of a release).
import { defineProvider } from '@playhead/sdk/provider'
import { readHistory } from './read.ts'
import { openSession, probe, type Session } from './session.ts'
import { CREDENTIALS, missing, normalize, Profile } from './settings.ts'
import { routes } from './sign-in.ts'

export default defineProvider<typeof Profile, Session>({
  profile: Profile,
  group: 'other',
  vendor: 'Tracearr',
  description: 'Reads the plays that Tracearr has recorded of Plex, Jellyfin and Emby.',
  bidirectional: false,
  features: {
    history: {
      read: true,
      add: false,
      update: false,
      remove: false,
      kinds: ['movie', 'episode'],
      // A log that was cleaned does not mean unwatched.
      observedDeletes: false,
      plays: { read: true, write: false, removeOne: false },
    },
  },
  signIn: {
    flow: 'api_keys',
    methods: ['api_key'],
    fields: [
      {
        key: 'tracearr.server',
        label: 'Address of Tracearr',
        type: 'text',
        required: true,
        placeholder: 'http://192.168.1.20:3000',
      },
      { key: 'tracearr.api_key', label: 'API key', type: 'password', required: true },
      { key: 'tracearr.user', label: 'User', type: 'text', required: false },
    ],
    actions: { start: false, finish: true, refresh: false, disconnect: true },
    verifyUrl: null,
    notes:
      'The API key is in Tracearr under Settings, General; it begins with trr_pub_. If it knows several people, enter whose plays are read.',
  },
  credentials: CREDENTIALS,
  missing,
  normalize,
  open: openSession,
  probe,
  read: { history: readHistory },
  write: {},
  routes,
})
