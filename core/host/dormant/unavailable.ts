// Answers for plugins that are not running. A dormant or loading plugin is waited for and then answers itself.
// Otherwise webhook callers get a success, because they would give up after a failure, and other callers learn which
// plugin is unavailable and why. Webhooks of some routes are kept and delivered later. The gate applies as always.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Logger, orAfter } from '@playhead/sdk'
import type { Clock } from '../../clock.ts'
import type { Gate } from '../../http/access/access.ts'
import type { HeaderRequest } from '../../http/security-headers.ts'
import type { UnavailableRoute } from '../compose/composition.ts'
import { receiveRequest } from '../kept/receive.ts'
import type { KeptStore } from '../kept/store.ts'
import type { Routing } from '../run/requests.ts'
import { shownState, type Slot } from '../compose/slot.ts'
import type { Slots } from '../compose/slots.ts'
import { WAIT_MS } from './dormant.ts'
import { defined } from '@playhead/sdk/host'

/** Requests whose bodies are read immediately. */
const MAX_RECEIVING = 50

interface UnavailableAnswerDependencies {
  readonly gate: Gate
  readonly headersFor: (path: string, request: HeaderRequest) => Readonly<Record<string, string>>
  readonly slots: Pick<Slots, 'find'>
  readonly kept: Pick<KeptStore, 'keep' | 'emptied'>
  readonly clock: Clock
  readonly log: Logger
  /** Loads it, or waits for the current load. */
  readonly activate: (slot: Slot) => Promise<unknown>
  /** Routes the request through the current composition; false if no plugin has the route. */
  readonly routeAgain: (request: IncomingMessage, response: ServerResponse) => boolean
  /** The required capabilities of the plugin are available. */
  readonly isComplete: (plugin: string) => boolean
  /** A request of this plugin is stored now. */
  readonly onKept: (plugin: string) => void
}

export function createUnavailableAnswer({
  gate,
  headersFor,
  slots,
  kept,
  clock,
  log,
  activate,
  routeAgain,
  isComplete,
  onKept,
}: UnavailableAnswerDependencies): (route: UnavailableRoute) => Routing {
  let receiving = 0

  /** True once the plugin is active and its stored requests are delivered: requests arrive in order. */
  async function becomesActive(plugin: string, isKept = false): Promise<boolean> {
    const slot = slots.find(plugin)
    if (slot === undefined) return false
    await orAfter(activate(slot), WAIT_MS, null)
    // On a busy machine the limit may expire in the same turn in which the plugin became active.
    const isLive = slot.state.live !== null
    if (!isLive || !isKept) return isLive
    return isComplete(plugin) && (await kept.emptied(plugin, WAIT_MS))
  }

  /** False if there are too many at once. A request that cannot be stored is logged: its sender would not retry. */
  async function keep(plugin: string, request: IncomingMessage, atMs: number): Promise<boolean> {
    if (receiving >= MAX_RECEIVING) return false
    receiving += 1
    try {
      const received = await receiveRequest(request, atMs)
      if ('request' in received) {
        await kept.keep(plugin, received.request)
        onKept(plugin)
      } else
        log.warn({ plugin, reason: received.refused }, 'a request could not be kept for a plugin that is not running')
    } catch (error) {
      log.error({ plugin, err: error }, 'a request could not be kept for a plugin that is not running')
    } finally {
      receiving -= 1
    }
    return true
  }

  async function answer({ plugin, route }: UnavailableRoute, request: IncomingMessage, response: ServerResponse) {
    const atMs = clock.now()
    const isKept = route.auth === 'W' && route.whenDown?.keep === true
    const url = request.url ?? '/'
    const path = url.split('?', 1)[0] as string
    const send = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
      // The body may be unread, so the connection is closed.
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
          ...defined({ scope: route.scope }),
        },
      )

    try {
      // Only the plugin itself can check a token.
      const decision = route.auth === 'T' && (await becomesActive(plugin)) ? null : await decide()
      if (decision === null || decision.pass) {
        const isLive = decision === null || (await becomesActive(plugin, isKept))
        if (response.destroyed || (isLive && routeAgain(request, response))) return
        const slot = slots.find(plugin)
        const state = slot === undefined ? 'removed' : shownState(slot.state)
        const isAnswered = !isKept || (await keep(plugin, request, atMs))
        if (route.whenDown !== undefined && isAnswered) return send(route.whenDown.status, route.whenDown.body)
        const isLoading = state === 'building' || state === 'staging'
        send(
          503,
          {
            ok: false,
            error: 'plugin_unavailable',
            plugin,
            state,
            detail: `This belongs to the plugin "${plugin}", which is ${state}. See the list of plugins.`,
            ...(slot?.state.lastError == null ? {} : { reason: slot.state.lastError.message }),
          },
          isLoading ? { 'retry-after': '5' } : {},
        )
      } else if (decision.redirect !== undefined)
        send(decision.status, {}, { ...decision.headers, location: decision.redirect })
      else send(decision.status, decision.body, decision.headers)
    } catch {
      if (!response.headersSent) send(503, { ok: false, error: 'Service unavailable' })
    }
  }

  return (route) => (request, response) => void answer(route, request, response)
}
