import { defineProvider, providerRoutes } from '@playhead/sdk/provider'
import { commonRows, mediaBrowserProvider } from '@playhead/media-browser'
import dialect from './dialect.ts'
import { QUICK_CONNECT } from './quick-connect-routes.ts'
import { resumedQuickConnect } from './quick-connect.ts'

export default defineProvider({
  ...mediaBrowserProvider({
    dialect,
    description:
      'Syncs the watchlist, history and progress of one user, with Jellyfin 10.9 and later. Jellyfin keeps the last play of a ' +
      'title and a count, no single plays, and only likes instead of ratings; ratings are therefore not synced.',
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
        { key: 'mediaB.username', label: 'User name', type: 'text', required: false },
        { key: 'mediaB.password', label: 'Password', type: 'password', required: false },
      ],
      actions: { start: true, finish: false, refresh: false, disconnect: true },
      verifyUrl: null,
      notes: 'With Quick Connect, enter the code in the Quick Connect page of your Jellyfin profile.',
    },
  }),
  signInFlow: (kit, instance, method) => (method === 'quick_connect' ? resumedQuickConnect(kit, instance) : undefined),
  routes: providerRoutes({ ...commonRows(dialect, { tellsVersion: true }), ...QUICK_CONNECT }),
})
