// Answers for plugins that are not running. A dormant or loading plugin is waited for and then answers itself.
// Otherwise webhook callers get a success, because they would give up after a failure, and other callers learn which
// plugin is unavailable and why. The gate applies as always.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Gate } from '../../http/access/access.ts'
import type { HeaderRequest } from '../../http/security-headers.ts'
import type { UnavailableRoute } from '../compose/composition.ts'
import type { Routing } from '../run/requests.ts'
import { type LivePlugin, type Slot, stateOf } from '../compose/slot.ts'
import type { Slots } from '../compose/slots.ts'

/** How long a request waits for a plugin to load. */
const WAIT_MS = 5_000

export interface UnavailableAnswerDependencies {
  readonly gate: Gate
  readonly headersFor: (path: string, request: HeaderRequest) => Readonly<Record<string, string>>
  readonly slots: Pick<Slots, 'find'>
  readonly activate: (slot: Slot) => Promise<LivePlugin | null>
  /** Routes the request through the current composition; false if no plugin has the route. */
  readonly routeAgain: (request: IncomingMessage, response: ServerResponse) => boolean
}

export function createUnavailableAnswer({
  gate,
  headersFor,
  slots,
  activate,
  routeAgain,
}: UnavailableAnswerDependencies): (route: UnavailableRoute) => Routing {
  async function becomesActive(plugin: string): Promise<boolean> {
    const slot = slots.find(plugin)
    if (slot === undefined) return false
    const live = await Promise.race([activate(slot), sleep(WAIT_MS, null, { ref: false })])
    return live !== null
  }

  async function answer({ plugin, route }: UnavailableRoute, request: IncomingMessage, response: ServerResponse) {
    const url = request.url ?? '/'
    const path = url.split('?', 1)[0] as string
    const send = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
      // The body is not read, so the connection is closed.
      response.writeHead(status, {
        ...headersFor(path, request),
        'content-type': 'application/json; charset=utf-8',
        connection: 'close',
        ...headers,
      })
      response.end(JSON.stringify(body))
    }
    const decide = () =>
      gate.decide(
        {
          method: request.method ?? 'GET',
          path,
          url,
          headers: request.headers,
          remoteAddress: request.socket.remoteAddress ?? '',
          encrypted: (request.socket as { encrypted?: boolean }).encrypted === true,
        },
        {
          auth: route.auth ?? 'S',
          duringSetup: route.duringSetup === true || route.auth === 'W' || route.auth === 'SS',
          effects: route.effects === true,
        },
      )

    try {
      // Only the plugin itself can check a token.
      const decision = route.auth === 'T' && (await becomesActive(plugin)) ? null : await decide()
      if (decision === null || decision.pass) {
        const isLive = decision === null || (await becomesActive(plugin))
        if (response.destroyed || (isLive && routeAgain(request, response))) return
        const slot = slots.find(plugin)
        const state = slot === undefined ? 'removed' : stateOf(slot)
        if (route.whenDown !== undefined) return send(route.whenDown.status, route.whenDown.body)
        send(503, {
          ok: false,
          error: 'plugin_unavailable',
          plugin,
          state,
          detail: `This belongs to the plugin "${plugin}", which is ${state}. See the list of plugins.`,
        })
      } else if (decision.redirect !== undefined)
        send(decision.status, {}, { ...decision.headers, location: decision.redirect })
      else send(decision.status, decision.body, decision.headers)
    } catch {
      if (!response.headersSent) send(503, { ok: false, error: 'Service unavailable' })
    }
  }

  return (route) => (request, response) => void answer(route, request, response)
}
