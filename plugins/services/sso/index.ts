// Sign-in to Playhead with the linked Plex account.
import { definePlugin, Type } from '@playhead/sdk'
import { createFlows, type Flows, type StoredFlow } from './flows.ts'
import { createPlexIdentity, type PlexIdentity } from './plex.ts'
import { createStartLimit, type StartLimit } from './start-limit.ts'
import { registerRoutes } from './routes.ts'

const settings = Type.Object({
  cloud_url: Type.String({
    default: '',
    maxLength: 500,
    pattern: '^$|^https?://\\S+$',
    description: 'Replaces https://plex.tv; for tests.',
  }),
})

export interface SsoServices {
  readonly flows: Flows
  readonly startLimit: StartLimit
  readonly plex: PlexIdentity
}

export default definePlugin<typeof settings, SsoServices>({
  config: settings,
  services: {
    flows: () => createFlows(),
    startLimit: () => createStartLimit(),
    plex: ({ config, upstream, host, log }) =>
      createPlexIdentity({ cloudUrl: config.cloud_url, upstream, version: host.version, log }),
  },
  routes: registerRoutes,
  // A flow may be open at the service while this plugin is replaced.
  handover: {
    give: ({ services }) => services.flows.snapshot(),
    take: ({ services }, flows) => services.flows.restore(flows as readonly StoredFlow[]),
  },
})
