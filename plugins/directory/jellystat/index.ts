// Jellystat: each play of a Jellyfin or Emby server, which itself keeps one time for each title
// (https://github.com/CyferShepard/Jellystat: backend/routes, backend/tasks/ActivityMonitor.js, backend/classes/db-helper.js).
import { defineProvider } from '@playhead/sdk/provider'
import { readHistory } from './read.ts'
import { openSession, probe, type Session } from './session.ts'
import { CREDENTIALS, missing, normalize, Profile } from './settings.ts'
import { routes } from './sign-in.ts'

export default defineProvider<typeof Profile, Session>({
  profile: Profile,
  group: 'other',
  vendor: 'Jellystat',
  description: 'Reads each play of a Jellyfin or Emby server that Jellystat has recorded.',
  bidirectional: false,
  features: {
    history: {
      read: true,
      add: false,
      update: false,
      remove: false,
      kinds: ['movie', 'episode'],
      // Purging the log does not mean unwatched.
      observedDeletes: false,
      plays: { read: true, write: false, removeOne: false },
    },
  },
  signIn: {
    flow: 'api_keys',
    methods: ['api_key'],
    fields: [
      {
        key: 'jellystat.server',
        label: 'Address of Jellystat',
        type: 'text',
        required: true,
        placeholder: 'http://192.168.1.20:3000',
      },
      { key: 'jellystat.api_key', label: 'API key of Jellystat', type: 'password', required: true },
      {
        key: 'jellystat.media_server',
        label: 'Address of Jellyfin or Emby',
        type: 'text',
        required: true,
        placeholder: 'http://192.168.1.20:8096',
      },
      { key: 'jellystat.media_key', label: 'API key of Jellyfin or Emby', type: 'password', required: true },
      { key: 'jellystat.user', label: 'User', type: 'text', required: false },
    ],
    actions: { start: false, finish: true, refresh: false, disconnect: true },
    verifyUrl: null,
    notes:
      'The key of Jellystat is in its settings under API Keys, that of Jellyfin or Emby in its dashboard under API Keys. If several people use the server, enter whose plays are read.',
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
