import { defineProvider, providerRoutes } from '@playhead/sdk/provider'
import { commonRows, mediaBrowserProvider } from '@playhead/media-browser'
import dialect from './dialect.ts'
import { QUICK_CONNECT } from './quick-connect-routes.ts'
import { storedQuickConnect } from './quick-connect.ts'

export default defineProvider({
  ...mediaBrowserProvider({
    dialect,
    description:
      'Syncs the watchlist, history and progress of a user, with Jellyfin 10.9 or later. Jellyfin stores only the last play of ' +
      'each title and a count. It has no ratings, so ratings are not synced.',
    signIn: {
      flow: 'token',
      methods: ['password', 'quick_connect'],
      fields: [
        {
          key: 'mediaB.server',
          label: 'Server',
          type: 'text',
          required: true,
          placeholder: 'http://192.168.1.20:8096',
        },
        { key: 'mediaB.username', label: 'Username', type: 'text', required: false },
        { key: 'mediaB.password', label: 'Password', type: 'password', required: false },
      ],
      actions: { start: true, finish: false, refresh: false, disconnect: true },
      verifyUrl: null,
      notes: 'Enter the code under Quick Connect in your Jellyfin profile.',
      notesFor: ['quick_connect'],
    },
  }),
  signInFlow: (kit, instance, method) => (method === 'quick_connect' ? storedQuickConnect(kit, instance) : undefined),
  routes: providerRoutes({ ...commonRows(dialect, { tellsVersion: true }), ...QUICK_CONNECT }),
})
