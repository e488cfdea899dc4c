// Sign-in to Playhead with the linked Plex account.
import { definePlugin, Type } from '@playhead/sdk'
import { createFlows, type StoredFlow } from './flows.ts'
import { createPlexIdentity } from './plex.ts'
import { createStartLimit } from './start-limit.ts'
import { registerRoutes, type SsoServices } from './routes.ts'

const settings = Type.Object({
  cloud_url: Type.String({
    default: '',
    maxLength: 500,
    pattern: '^$|^https?://\\S+$',
    description: 'Replaces https://plex.tv; for tests.',
  }),
})

export default definePlugin<typeof settings, SsoServices>({
  config: settings,
  services: {
    flows: () => createFlows(),
    startLimit: () => createStartLimit(),
    plex: ({ config, upstream, host, log }) =>
      createPlexIdentity({ cloudUrl: config.cloud_url, upstream, version: host.version, log }),
  },
  routes: registerRoutes,
  // A flow may be open at Plex while this plugin is replaced.
  handover: {
    give: ({ services }) => services.flows.snapshot(),
    take: ({ services }, flows) => services.flows.restore(flows as readonly StoredFlow[]),
  },
})
