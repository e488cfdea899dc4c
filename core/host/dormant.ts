// Answers for a plugin that is declared and not running. A webhook's caller must not see a failure, or it gives up on
// us; everyone else learns which plugin is missing and why. The gate stands before it as before any other answer.
import type { Gate } from '../http/access.ts'
import type { HeaderRequest } from '../http/security-headers.ts'
import type { DormantRoute } from './composition.ts'
import type { Routing } from './requests.ts'

export function createDormantAnswer(
  gate: Gate,
  headersFor: (path: string, request: HeaderRequest) => Readonly<Record<string, string>>,
): (route: DormantRoute) => Routing {
  return ({ plugin, state, route }) =>
    (request, response) => {
      const url = request.url ?? '/'
      const path = url.split('?', 1)[0] as string
      const send = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
        // Whatever was being sent is not read: the connection ends with this answer.
        response.writeHead(status, {
          ...headersFor(path, request),
          'content-type': 'application/json; charset=utf-8',
          connection: 'close',
          ...headers,
        })
        response.end(JSON.stringify(body))
      }
      const answer = () => {
        if (route.whenDown !== undefined) send(route.whenDown.status, route.whenDown.body)
        else
          send(503, {
            ok: false,
            error: 'plugin_unavailable',
            plugin,
            state,
            detail: `This belongs to the plugin "${plugin}", which is ${state}. See the list of plugins.`,
          })
      }
      const decide = async () =>
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

      decide().then(
        (decision) => {
          if (decision.pass) answer()
          else if (decision.redirect !== undefined)
            send(decision.status, {}, { ...decision.headers, location: decision.redirect })
          else send(decision.status, decision.body, decision.headers)
        },
        () => send(503, { ok: false, error: 'Service unavailable' }),
      )
    }
}
