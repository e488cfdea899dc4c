// Routes that test, store and remove the API key. A key is tested before it is stored.
import {
  defined,
  isMasked,
  isPlayheadError,
  type PlayheadError,
  type PluginApp,
  type Static,
  Type,
} from '@playhead/sdk'
import { isBlocked } from '@playhead/sdk/provider'
import type { FastifyReply } from 'fastify'
import type { Parts } from './parts.ts'
import { Accepted, Status } from './wire.ts'

const Body = Type.Object({ api_key: Type.Optional(Type.Union([Type.String({ maxLength: 2_048 }), Type.Null()])) })
const Done = Type.Object({
  ok: Type.Boolean(),
  error: Type.Optional(Type.String({ description: 'An error code if `ok` is false.' })),
})
const Tested = Type.Object({ ok: Type.Boolean(), valid: Type.Boolean(), error: Type.String() })
const LIMITED = { 429: { rate_limited: 'TMDB asks to wait; see `retry_after`.' } }
const INVALID_KEY = 7
const TIMEOUT_MS = 12_000

interface Problem {
  readonly error: string
  readonly retryAfterMs?: number
}

export function registerKeyRoutes(app: PluginApp, { api, settings }: Parts): void {
  const stored = () => settings.get().metaA.api_key

  app.post(
    '/api/metaA/verify',
    { schema: { summary: 'Test an API key of TMDB', body: Body, response: { 200: Tested }, errors: LIMITED } },
    async (request, reply) => {
      const { api_key: given } = request.body as Static<typeof Body>
      const problem = await problemOf(isMasked(given) ? stored() : String(given).trim())
      return problem === undefined ? { ok: true, valid: true, error: '' } : refuse(reply, problem, { valid: false })
    },
  )

  app.post(
    '/api/metaA/save',
    { schema: { summary: 'Store an API key of TMDB', body: Body, response: { 200: Done }, errors: LIMITED } },
    async (request, reply) => {
      const { api_key: given } = request.body as Static<typeof Body>
      if (given == null) return { ok: false, error: 'api_key_required' }
      const key = given.trim()
      // An empty text removes the key; the mask keeps the stored one.
      if (key !== '') {
        if (isMasked(key)) return { ok: true }
        const problem = await problemOf(key)
        if (problem !== undefined) return refuse(reply, problem)
      }
      await app.playhead.updateConfig({ metaA: { api_key: key } })
      return { ok: true }
    },
  )

  const removal = { summary: 'Remove the API key of TMDB', response: { 200: Done } }
  app.post('/api/metaA/disconnect', { schema: removal }, async () => {
    await app.playhead.updateConfig({ metaA: { api_key: '' } })
    return { ok: true }
  })

  async function problemOf(key: string): Promise<Problem | undefined> {
    const error = keyProblem(key)
    if (error !== undefined) return { error }
    try {
      const answer = await api.withKey(key).request({ path: '/authentication', accept: [401], timeoutMs: TIMEOUT_MS })
      if (answer.status !== 401) {
        await answer.json(Accepted)
        return undefined
      }
      const { status_code: code } = await answer.json(Status)
      return { error: code === INVALID_KEY ? 'invalid_api_key' : 'unauthorized' }
    } catch (error) {
      if (!isPlayheadError(error)) throw error
      return { error: codeOf(error), ...defined({ retryAfterMs: error.retryAfterMs }) }
    }
  }
}

function refuse(reply: FastifyReply, { error, retryAfterMs }: Problem, more: object = {}): FastifyReply {
  const retryAfter = retryAfterMs === undefined ? {} : { retry_after: Math.ceil(retryAfterMs / 1_000) }
  return reply.code(error === 'rate_limited' ? 429 : 200).send({ ok: false, ...more, error, ...retryAfter })
}

function codeOf(error: PlayheadError): string {
  switch (error.code) {
    case 'PLH_RATE_LIMITED':
      return 'rate_limited'
    case 'PLH_UPSTREAM_TIMEOUT':
      return 'timeout'
    case 'PLH_UPSTREAM_INVALID':
      return 'bad_response'
    case 'PLH_HOST_DENIED':
      return 'unreachable'
    case 'PLH_UPSTREAM':
      return error.details?.['status'] === undefined && !isBlocked(error) ? 'unreachable' : 'upstream_error'
    default:
      return 'upstream_error'
  }
}

/** Undefined for a well-formed key. */
function keyProblem(key: string): string | undefined {
  if (key === '') return 'api_key_required'
  if (/^bearer\s/i.test(key)) return 'bearer_prefix'
  if (/^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(key)) return 'v4_token_given'
  return /^[0-9a-f]{32}$/i.test(key) ? undefined : 'invalid_format'
}
