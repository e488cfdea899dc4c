// HTTP routes of API tokens, and the list of tokens that plugins check themselves.
import type { FastifyPluginAsync } from 'fastify'
import { orNull, PlayheadError, Type, TOKEN_SCOPES, type Static, type TokenUse } from '@playhead/sdk'
import type { Clock } from '../clock.ts'
import type { Auth } from './account.ts'
import { MAX_TOKEN_DAYS, type ApiTokens } from './api-tokens.ts'
import type { ApiToken } from './token-table.ts'

interface TokenRouteDependencies {
  readonly auth: Pick<Auth, 'createToken' | 'revokeToken'>
  readonly tokens: ApiTokens
  readonly clock: Clock
  /** Tokens that plugins check. */
  readonly others: () => Promise<readonly TokenUse[]>
  /** Undefined if no plugin knows the id. */
  readonly rotate: (id: string) => Promise<{ readonly secret: string } | undefined>
}

const Scope = Type.Union(
  TOKEN_SCOPES.map((scope) => Type.Literal(scope)),
  { description: 'What it may do; each includes the ones before it.' },
)
const Seconds = Type.Integer({ description: 'Epoch seconds.' })
const Facts = {
  id: Type.String(),
  name: Type.String(),
  scope: Scope,
  created_at: Seconds,
  created_by: Type.String({ description: 'The person or the token that made it.' }),
  expires_at: orNull(Seconds),
  expired: Type.Boolean(),
  last_used_at: orNull(Seconds),
  last_used_from: orNull(Type.String({ description: 'The address of the client.' })),
}
const Token = Type.Object(Facts, { title: 'ApiToken' })
const Use = Type.Object({
  id: Type.String(),
  kind: Type.String({ description: '`webhook` or `metrics`.' }),
  label: Type.String(),
  purpose: Type.String({ description: 'What it is for, in a sentence.' }),
  active: Type.Boolean({ description: 'It is set, and accepted now.' }),
  can_rotate: Type.Boolean(),
  last_used_at: orNull(Seconds),
})
const CreateBody = Type.Object(
  {
    name: Type.String({ description: 'What it is for, for example the name of a script.' }),
    scope: Scope,
    expires_in_days: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: MAX_TOKEN_DAYS }), Type.Null()], {
        description: 'Default and null: it does not expire.',
      }),
    ),
  },
  { title: 'TokenRequest' },
)
const Params = Type.Object({ id: Type.String({ maxLength: 200 }) })
const ADMIN = { access: { auth: 'S', scope: 'admin' } } as const

export function tokenRoutes({ auth, tokens, clock, others, rotate }: TokenRouteDependencies): FastifyPluginAsync {
  const schema = (summary: string, parts: object) => ({ tags: ['API tokens'], summary, ...parts })

  return async (app) => {
    app.get(
      '/api/tokens',
      {
        config: ADMIN,
        schema: schema('API tokens, and the tokens of webhooks and metrics; never the secrets', {
          response: { 200: Type.Object({ ok: Type.Boolean(), tokens: Type.Array(Token), others: Type.Array(Use) }) },
        }),
      },
      async () => ({ ok: true, tokens: tokens.list().map(toFacts), others: (await others()).map(toUse) }),
    )

    app.get(
      '/api/tokens/current',
      {
        config: { access: { auth: 'S', scope: 'read' } },
        schema: schema('The API token that the request was sent with', {
          response: { 200: Type.Object({ ok: Type.Boolean(), token: orNull(Token) }) },
        }),
      },
      async (request) => {
        const current = tokens.list().find(({ id }) => id === request.caller.token?.id)
        return { ok: true, token: current === undefined ? null : toFacts(current) }
      },
    )

    app.post(
      '/api/tokens',
      {
        config: ADMIN,
        schema: schema('Make an API token; its secret is in this answer and nowhere else', {
          body: CreateBody,
          response: {
            200: Type.Object({
              ok: Type.Boolean(),
              secret: Type.String({ description: 'Sent as `Authorization: Bearer …`. Shown this once.' }),
              token: Token,
            }),
          },
        }),
      },
      async (request, reply) => {
        const { name, scope, expires_in_days: days } = request.body as Static<typeof CreateBody>
        const { secret, token } = await auth.createToken(
          { name, scope: scope as ApiToken['scope'], expiresInDays: days ?? null },
          request.caller,
        )
        void reply.header('cache-control', 'no-store')
        return { ok: true, secret, token: toFacts(token) }
      },
    )

    app.delete(
      '/api/tokens/:id',
      {
        config: ADMIN,
        schema: schema('Revoke an API token; its open streams end', {
          params: Params,
          response: { 200: Type.Object({ ok: Type.Boolean() }) },
        }),
      },
      async (request) => {
        await auth.revokeToken((request.params as Static<typeof Params>).id, request.caller)
        return { ok: true }
      },
    )

    app.post(
      '/api/tokens/others/:id/rotate',
      {
        config: ADMIN,
        schema: schema('Replace the token of a webhook or of the metrics; the old one is refused at once', {
          params: Params,
          response: {
            200: Type.Object({
              ok: Type.Boolean(),
              secret: Type.String({ description: 'The new token, or the new address that holds it.' }),
            }),
          },
        }),
      },
      async (request, reply) => {
        const renewed = await rotate((request.params as Static<typeof Params>).id)
        if (renewed === undefined)
          throw new PlayheadError('PLH_NOT_FOUND', 'This token does not exist, or its plugin is off.', {
            wire: 'token_not_found',
          })
        void reply.header('cache-control', 'no-store')
        return { ok: true, secret: renewed.secret }
      },
    )
  }

  function toFacts(token: ApiToken): Static<typeof Token> {
    return {
      id: token.id,
      name: token.name,
      scope: token.scope,
      created_at: seconds(token.createdAtMs),
      created_by: token.createdBy,
      expires_at: token.expiresAtMs === null ? null : seconds(token.expiresAtMs),
      expired: token.expiresAtMs !== null && clock.now() >= token.expiresAtMs,
      last_used_at: token.lastUsedAtMs === null ? null : seconds(token.lastUsedAtMs),
      last_used_from: token.lastUsedFrom,
    }
  }
}

function toUse(use: TokenUse): Static<typeof Use> {
  return {
    id: use.id,
    kind: use.kind,
    label: use.label,
    purpose: use.purpose,
    active: use.active,
    can_rotate: use.canRotate,
    last_used_at: use.lastUsedAtMs === null ? null : seconds(use.lastUsedAtMs),
  }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000)
}
