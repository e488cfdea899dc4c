// Sends requests to the host without a network, as the caller that the test specifies.
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Caller } from '@playhead/sdk'
import type { PluginHost } from '../host/host.ts'
import type { HostDependencies } from '../host/dependencies.ts'
import { MAX_PARAM_LENGTH } from '../host/run/stage.ts'
import type { Gate, GateDecision, RouteAccess } from '../http/access/access.ts'
import { createInstance } from '../http/instance.ts'
import { prelude } from '../http/prelude.ts'
import { failForWrongAnswers } from './answers.ts'

const CALLER_HEADER = 'x-playhead-test-caller'

const SIGNED_IN: Caller = {
  address: '127.0.0.1',
  secure: false,
  host: 'playhead.test',
  session: { id: 'test-session', username: 'tester' },
}

/** Admits every caller; for T routes a caller without a session needs a valid token. */
export const openGate: Gate = {
  decide({ headers }, access) {
    const told = headers[CALLER_HEADER]
    // Hidden from the plugin.
    delete headers[CALLER_HEADER]
    const caller = typeof told === 'string' ? (JSON.parse(told) as Caller) : SIGNED_IN
    if (caller.session !== null || access.auth !== 'T') return { pass: true, caller }
    return withToken(caller, /^Bearer +([^\s]+)$/i.exec(headers.authorization ?? '')?.[1], access)
  },
}

async function withToken(caller: Caller, token: string | undefined, { accepts }: RouteAccess): Promise<GateDecision> {
  if (token !== undefined && (await accepts?.(token)) === true) return { pass: true, caller }
  return { pass: false, status: 401, body: { ok: false, error: 'Unauthorized' } }
}

type Requester = (request: InjectOptions | string, caller?: Partial<Caller>) => Promise<LightMyRequestResponse>

export function createRequester(core: HostDependencies, host: PluginHost, closers: AsyncDisposableStack): Requester {
  let opened: Promise<FastifyInstance> | undefined
  return async (request, caller = {}) => {
    const app = await (opened ??= openApp(core, host, closers))
    const injected = typeof request === 'string' ? { url: request } : request
    const headers = { ...injected.headers, [CALLER_HEADER]: JSON.stringify({ ...SIGNED_IN, ...caller }) }
    const answer = await app.inject({ ...injected, headers })
    failForWrongAnswers()
    return answer
  }
}

async function openApp(
  core: HostDependencies,
  host: PluginHost,
  closers: AsyncDisposableStack,
): Promise<FastifyInstance> {
  const app = createInstance(
    { headersFor: core.prelude.headersFor, redact: core.redact },
    { maxParamLength: MAX_PARAM_LENGTH },
  )
  closers.defer(() => app.close())
  app.addHook('onRequest', (request, reply, done) => {
    // An injected request has no connection.
    Object.assign(request.raw.socket, { setTimeout: () => {}, setNoDelay: () => {} })
    if (host.route(request.raw, reply.raw)) reply.hijack()
    else done()
  })
  await app.register(prelude, { ...core.prelude, log: core.log, redact: core.redact, methodsAt: host.methodsAt })
  await app.ready()
  return app
}
