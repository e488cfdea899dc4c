// Sign-in to Playhead with the linked Plex account.
import { createClientLimit, definePlugin, Type } from '@playhead/sdk'
import { createFlows, type StoredFlow } from './flows.ts'
import { createPlexIdentity } from './plex.ts'
import { registerRoutes, type SsoParts } from './routes.ts'

const settings = Type.Object({
  cloud_url: Type.String({
    default: '',
    maxLength: 500,
    pattern: '^$|^https?://\\S+$',
    description: 'Replaces https://plex.tv, for tests.',
  }),
})

export default definePlugin({
  config: settings,
  setup: ({ config, upstream, host, log }): SsoParts => ({
    flows: createFlows(),
    // Each start calls Plex and uses memory.
    startLimit: createClientLimit({
      most: 10,
      withinMs: 600_000,
      message: 'Too many sign-ins were started from here. Try again later.',
    }),
    plex: createPlexIdentity({ cloudUrl: config.cloud_url, upstream, version: host.version, log }),
  }),
  routes: registerRoutes,
  // A flow may be open at Plex while this plugin is replaced.
  handover: {
    give: (_ctx, made) => made.flows.snapshot(),
    take: (_ctx, flows, made) => made.flows.restore(flows as readonly StoredFlow[]),
  },
})
