import { defineProvider, providerRoutes } from '@playhead/sdk/provider'
import { commonRows, mediaBrowserProvider } from '@playhead/media-browser'
import dialect from './dialect.ts'

export default defineProvider({
  ...mediaBrowserProvider({
    dialect,
    description:
      'Syncs the watchlist, history and progress of a user. Emby stores only the last play of each title and a count. It has ' +
      'no ratings, so ratings are not synced.',
    signIn: {
      flow: 'token',
      methods: ['password'],
      fields: [
        {
          key: 'mediaC.server',
          label: 'Server',
          type: 'text',
          required: true,
          placeholder: 'http://192.168.1.20:8096',
        },
        { key: 'mediaC.username', label: 'Username', type: 'text', required: true },
        { key: 'mediaC.password', label: 'Password', type: 'password', required: true },
      ],
      actions: { start: true, finish: false, refresh: false, disconnect: true },
      verifyUrl: null,
      notes: null,
    },
  }),
  routes: providerRoutes(commonRows(dialect, { tellsVersion: false })),
})
