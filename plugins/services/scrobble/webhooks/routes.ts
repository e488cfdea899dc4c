// Webhooks of media servers: the addresses that people enter there. They respond with 200 and a result, because senders treat other statuses
// as failures and stop sending.
import {
  defined,
  type PluginApp,
  providerCapability,
  readWebhooks,
  receivedAtMs,
  skipSerializer,
  Type,
  webhookBody,
  type WebhookCall,
} from '@playhead/sdk'
import type { FastifyRequest } from 'fastify'
import { type Answer, failedBody, refused } from './answer.ts'
import { createHandler, type Scrobbler, type Source, unhandled } from './handle.ts'
import { createTokenLimit } from './token-limit.ts'

const SOURCES: Readonly<Record<string, Source>> = {
  '/webhook/mediaA': { provider: 'mediaA', purpose: 'playback' },
  '/webhook/mediaAtrackA': { provider: 'mediaA', purpose: 'playback' },
  '/webhook/mediaB': { provider: 'mediaB', purpose: 'playback' },
  '/webhook/mediaBtrackA': { provider: 'mediaB', purpose: 'playback' },
  '/webhook/mediaC': { provider: 'mediaC', purpose: 'playback' },
  '/webhook/mediaCtrackA': { provider: 'mediaC', purpose: 'playback' },
  '/webhook/mediaAwatcher': { provider: 'mediaA', purpose: 'ratings' },
}
/** Default if the provider does not declare it. */
const FIELDS = ['payload', 'data', 'json']
const TOO_MANY = 429

const Target = Type.Object({
  target: Type.String({ description: '`TRACKA` for example.' }),
  target_instance: Type.String(),
  ok: Type.Boolean(),
  queued: Type.Optional(Type.Boolean({ description: 'It is stored, and will be delivered.' })),
  skipped: Type.Optional(Type.Boolean()),
  ignored: Type.Optional(Type.Boolean()),
  reason: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
})
const Result = Type.Object(
  {
    ok: Type.Boolean({ description: 'False if it could be passed on to none of its destinations.' }),
    ignored: Type.Optional(Type.Boolean({ description: 'Nothing was sent; `reason` says why.' })),
    dedup: Type.Optional(Type.Boolean()),
    debounced: Type.Optional(Type.Boolean()),
    suppressed: Type.Optional(Type.Boolean()),
    action: Type.Optional(Type.String({ description: '`start`, `pause`, `stop` or `rating`.' })),
    status: Type.Optional(Type.Integer({ description: '200, or 502 if every destination failed.' })),
    targets: Type.Optional(Type.Array(Target)),
    activity_recorded: Type.Optional(Type.Boolean()),
    reason: Type.Optional(Type.String()),
    error: Type.Optional(Type.String()),
    progress: Type.Optional(Type.Number()),
    queued: Type.Optional(Type.Boolean({ description: 'It is kept, and handled when the plugin is running again.' })),
  },
  { additionalProperties: true },
)
const Document = Type.Object({}, { additionalProperties: true, description: 'The document of the media server.' })
const Form = Type.Object(
  { payload: Type.Optional(Type.String({ description: 'The document. Also `data` or `json`.' })) },
  { additionalProperties: true },
)
const DOCUMENT = {
  'application/json': Document,
  'application/x-www-form-urlencoded': Form,
  'multipart/form-data': Form,
}
const Refusal = Type.Object({ detail: Type.String() }, { additionalProperties: true })

export function registerWebhookRoutes(app: PluginApp, scrobble: Scrobbler): void {
  const ctx = app.playhead
  const log = ctx.log.channel('WEBHOOK')
  const handler = createHandler({ ctx, log, scrobble })
  const wrongTokens = createTokenLimit()

  readWebhooks(app, { fields: async ({ routeOptions }) => fieldsOf(SOURCES[routeOptions.url ?? '']) })
  for (const [path, source] of Object.entries(SOURCES)) {
    app.post(
      path,
      {
        ...skipSerializer,
        schema: {
          summary: source.purpose === 'ratings' ? 'Ratings of a media server' : 'What plays on a media server',
          description:
            'The document is JSON: the body, a form field, or a part of a multipart body. The token is in the query.',
          takes: DOCUMENT,
          response: { 200: Result, 401: Refusal, [TOO_MANY]: Refusal },
        },
      },
      async (request, reply) => {
        const { status, body } = await answer(request, source)
        return reply.code(status as 200).send(body)
      },
    )
  }

  async function answer(request: FastifyRequest, source: Source): Promise<Answer> {
    const keptAtMs = receivedAtMs(request)
    try {
      const access = await handler.access(callOf(source, request.query))
      if (!access.ok) {
        // The host does not count requests that it delivers later, because they are unrelated to the current sender.
        const isWrong = access.reason === 'invalid_webhook_token' || access.reason === 'invalid_profile'
        const verdict = isWrong && keptAtMs === undefined ? wrongTokens.note(request.caller.address) : null
        if (verdict === null || !verdict.isOver || verdict.isFirst) {
          const facts = { path: request.routeOptions.url, reason: access.reason, address: request.caller.address }
          log.warn(facts, 'a webhook was refused')
        }
        if (verdict?.isOver !== true) return refused(access.reason)
        return {
          status: TOO_MANY,
          body: { detail: 'too_many_wrong_tokens', retry_after: Math.ceil(verdict.retryAfterMs / 1_000) },
        }
      }
      const body = webhookBody(request)
      if (!body.ok) {
        log.warn({ path: request.routeOptions.url, reason: body.reason }, 'a webhook could not be read')
        return failedBody(body.reason)
      }
      const headers = request.headers as Readonly<Record<string, string | string[] | undefined>>
      const { payload, body: bytes } = body
      const webhook = { payload, bytes, headers, atMs: keptAtMs ?? Date.now() }
      return await handler.handle(access, source, webhook, keptAtMs !== undefined)
    } catch (error) {
      return unhandled({ log, facts: { path: request.routeOptions.url }, error, isKept: keptAtMs !== undefined })
    }
  }

  async function fieldsOf(source: Source | undefined): Promise<readonly string[]> {
    try {
      const provider = ctx.tryUse(providerCapability(source?.provider.toUpperCase() ?? ''))
      return (await provider?.describe())?.playback?.webhook?.fields ?? FIELDS
    } catch {
      return FIELDS
    }
  }
}

const MAX_LENGTH = 200
const TOKENS = ['token', 'id', 'secret', 'uid']
// For ratings, `id` is the id of the route.
const RATING_TOKENS = ['token', 'secret', 'uid']
const ROUTES = ['route', 'route_id', 'webhook_id', 'id']
const NAMES = new Set(['profile', ...TOKENS, ...ROUTES])

/** Parses the token in the query, in all forms that webhook addresses have had. */
function callOf({ provider, purpose }: Source, query: unknown): WebhookCall {
  const values = new Map(Object.entries((query ?? {}) as Readonly<Record<string, unknown>>))
  const first = (names: readonly string[]): string | undefined => {
    for (const name of names) {
      const value = textOf(values.get(name))
      if (value !== undefined) return value
    }
    return undefined
  }
  const profile = first(['profile'])
  const token = first(purpose === 'ratings' ? RATING_TOKENS : TOKENS) ?? bare(values)
  const route = purpose === 'ratings' ? first(ROUTES) : undefined
  return { provider, purpose, ...defined({ profile, token, route }) }
}

/** `?<token>` alone. */
function bare(values: ReadonlyMap<string, unknown>): string | undefined {
  const [only, ...others] = values
  const isBare = only !== undefined && others.length === 0 && only[1] === '' && !NAMES.has(only[0])
  return isBare ? textOf(only[0]) : undefined
}

/** The first of several values. A value that is too long stays invalid. */
function textOf(value: unknown): string | undefined {
  const text: unknown = Array.isArray(value) ? value[0] : value
  return typeof text === 'string' && text !== '' ? text.slice(0, MAX_LENGTH) : undefined
}
