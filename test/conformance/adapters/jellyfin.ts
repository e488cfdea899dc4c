// Jellyfin for the conformance kit, with Quick Connect.
import type { FlowScript } from '@playhead/sdk/testing/conformance'
import { type Jellyfin, startJellyfin } from '../../upstreams/jellyfin.ts'
import { mediaBrowserAdapter } from './media-browser.ts'
import { postOk } from './support.ts'

const BASE = '/api/mediaB/quickconnect'
const STATES = ['pending', 'authorized', 'denied', 'expired', 'failed'] as const

function flowsOf(server: Jellyfin): readonly FlowScript[] {
  return [
    {
      method: 'quick_connect',
      async start(host, instance) {
        const { code } = await postOk(host, `${BASE}/start?instance=${instance}`, { server: server.url })
        return { code: String(code) }
      },
      async poll(host, instance) {
        const { state, reason } = (await host.inject(`${BASE}/poll?instance=${instance}`)).json() as {
          state?: string
          reason?: string
        }
        return STATES.find((one) => one === state) ?? (reason === 'expired' ? 'expired' : 'missing')
      },
      cancel: async (host, instance) => void (await postOk(host, `${BASE}/cancel?instance=${instance}`)),
      approve: (code) => void server.approveQuickConnect(code, 'sam'),
      // A restarted server has lost its codes.
      expire: () => server.actions.restart({ startingRequests: 0 }),
    },
  ]
}

export default mediaBrowserAdapter('/api/mediaB', startJellyfin, flowsOf)
