import { defineProvider, providerRoutes } from '@playhead/sdk/provider'
import { commonRows, mediaBrowserProvider } from '@playhead/media-browser'
import dialect from './dialect.ts'
import { QUICK_CONNECT } from './quick-connect-routes.ts'
import { resumedQuickConnect } from './quick-connect.ts'

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
      notes: 'With Quick Connect, enter the code under Quick Connect in your Jellyfin profile.',
    },
  }),
  signInFlow: (kit, instance, method) => (method === 'quick_connect' ? resumedQuickConnect(kit, instance) : undefined),
  routes: providerRoutes({ ...commonRows(dialect, { tellsVersion: true }), ...QUICK_CONNECT }),
})
