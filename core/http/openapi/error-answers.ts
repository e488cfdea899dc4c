// The error responses of the description: shared components, and the ones that an operation can return.
import { STATUS_CODES } from '../node-http.ts'
import type { ErrorReasons } from '@playhead/sdk'
import { ERRORS } from '@playhead/sdk/host'
import type { RouteAccess } from '../access/access.ts'
import type { RouteScope } from '../access/scopes.ts'

interface ErrorFacts {
  readonly method: string
  readonly access: RouteAccess
  /** Scope that an API token needs. */
  readonly scope: RouteScope
  readonly hasParams: boolean
  readonly hasQuery: boolean
  readonly reasons: ErrorReasons
}

const INTERNAL = 'An unexpected error; `request_id` is in the log, too.'
const NOT_RUNNING = 'The plugin is starting, off, or being replaced. Try again after `Retry-After`.'

/** Codes of the host, by status; the rest come from the registry of errors. */
const HOST_REASONS: ErrorReasons = {
  400: {
    bad_request: 'The request cannot be read.',
    invalid_key: 'The body has a key named `__proto__` or `constructor`.',
  },
  401: {
    Unauthorized: 'Neither a session nor a token that the operation accepts.',
    invalid_token: 'The API token is unknown or was revoked.',
    token_expired: 'The API token has expired.',
  },
  403: {
    'Authentication setup required': 'There is no account yet.',
    'Host not allowed': 'The host name is not one of this service.',
    'Origin mismatch': 'The request comes from a page of another site.',
  },
  429: { too_many_wrong_tokens: 'Too many wrong tokens were sent from this address.' },
  404: { not_found: 'What the address names does not exist.' },
  409: {
    restart_required:
      'A backup is restored with the next start, and until then no settings are changed and no work begins. Restart the service.',
    restarting: 'The service restarts, and no work begins until it is back.',
  },
  413: { payload_too_large: 'The body is larger than the operation accepts.' },
  414: { uri_too_long: 'A part of the address is too long.' },
  415: { unsupported_media_type: 'The body is not of an accepted type.' },
  500: {
    internal: INTERNAL,
    config_save_failed: 'The settings could not be saved. Check the space and the rights of the data directory.',
  },
  503: {
    'Service unavailable': 'The settings cannot be read.',
    data_read_only: 'The data directory cannot be written to. Nothing was changed.',
  },
  507: { disk_full: 'The disk is full. Nothing was changed.' },
}

const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  413: 'PayloadTooLarge',
  414: 'AddressTooLong',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooMany',
  500: 'Internal',
  502: 'BadGateway',
  503: 'Unavailable',
  504: 'GatewayTimeout',
  507: 'NoSpace',
}

/** 403 of operations with access control: as above, plus the refusals of API tokens. */
const TOKEN_REFUSALS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  InsufficientScope: { insufficient_scope: 'The API token may not do this; one with the scope `needed_scope` may.' },
  SessionRequired: { session_required: 'Only a person who is signed in may do this, no API token.' },
}

function forbiddenName({ access: { auth }, scope }: ErrorFacts): string {
  if (auth === 'P' || auth === 'W') return 'Forbidden'
  return scope === 'session' ? 'SessionRequired' : 'InsufficientScope'
}

const ref = (kind: 'schemas' | 'responses', name: string) => ({ $ref: `#/components/${kind}/${name}` })
const json = (schema: object, more: object = {}) => ({ content: { 'application/json': { schema, ...more } } })

/** Responses that an operation can return beside its results, from its access rule, its inputs and its own reasons. */
export function errorAnswers(facts: ErrorFacts): Readonly<Record<string, object>> {
  const { access, reasons } = facts
  const isUnsafe = facts.method !== 'GET' && facts.method !== 'HEAD'
  const isWebhook = access.auth === 'W'
  const statuses = new Set<number>()
  if (access.always !== true) {
    if (access.auth !== 'P' && !isWebhook) for (const status of [401, 429]) statuses.add(status)
    if (!isWebhook) statuses.add(403)
    if (facts.hasParams) for (const status of [404, 414]) statuses.add(status)
    // A body is read and checked even where none is needed.
    if (isUnsafe) for (const status of [400, 413, 415]) statuses.add(status)
    if (isUnsafe || facts.hasQuery || facts.hasParams) statuses.add(422)
    statuses.add(500)
    statuses.add(503)
    if (isUnsafe && !isWebhook) statuses.add(409)
    if (isUnsafe) statuses.add(507)
  }
  const own = Object.keys(reasons).map(Number)
  return Object.fromEntries(
    [...new Set([...own, ...statuses])]
      .sort((a, b) => a - b)
      .map((status) => {
        const shared = status === 403 ? forbiddenName(facts) : NAMES[status]
        return [String(status), answerOf(status, reasons[status], statuses.has(status) ? shared : undefined)] as const
      }),
  )
}

/** `shared` names the host's answer for this status; without it, all reasons are the operation's own. */
function answerOf(status: number, reasons: Readonly<Record<string, string>> | undefined, shared?: string): object {
  if (reasons === undefined && shared !== undefined) return ref('responses', shared)
  const all = { ...(shared === undefined ? {} : hostReasons(status, shared)), ...reasons }
  return {
    description: describeReasons(status, all),
    // 422 has two shapes: malformed requests, and settings that do not satisfy a schema.
    ...json(
      status === 422
        ? { anyOf: [ref('schemas', 'ValidationError'), ref('schemas', 'Error')] }
        : ref('schemas', 'Error'),
    ),
  }
}

/** The response with further reasons: a shared one is replaced, the operation's own is extended. */
export function withReasons<Answer extends { description?: string; $ref?: string }>(
  answer: Answer | undefined,
  status: number,
  reasons: Readonly<Record<string, string>>,
): Answer {
  if (answer?.description === undefined) return answerOf(status, reasons, answer?.$ref?.split('/').at(-1)) as Answer
  const rows = Object.entries(reasons).filter(([code]) => !answer.description?.includes(`- \`${code}\``))
  if (rows.length === 0) return answer
  const isRefusal = status < 300
  const lead = isRefusal ? '\n\nWith `ok: false`, the reason:\n\n' : '\n\n'
  const separator = answer.description.includes('\n- ') ? '\n' : lead
  return { ...answer, description: `${answer.description}${separator}${listed(rows)}` }
}

function listed(rows: readonly (readonly [code: string, meaning: string])[]): string {
  return rows.map(([code, meaning]) => `- \`${code}\`${meaning === '' ? '' : `: ${meaning}`}`).join('\n')
}

function describeReasons(status: number, reasons: Readonly<Record<string, string>>): string {
  const rows = Object.entries(reasons)
  return `${STATUS_CODES[status] ?? 'Error'}.${rows.length === 0 ? '' : `\n\n${listed(rows)}`}`
}

/** The components that operations share. */
export function errorComponents(isUsed: (name: string) => boolean): {
  readonly schemas: Readonly<Record<string, object>>
  readonly responses: Readonly<Record<string, object>>
} {
  const shared = [...Object.entries(NAMES), ...Object.keys(TOKEN_REFUSALS).map((name) => ['403', name] as const)]
  const responses = shared.flatMap(([status, name]) => {
    if (!isUsed(name)) return []
    const rows = Object.entries(hostReasons(Number(status), name))
    const lead = DESCRIPTIONS[Number(status)] ?? `${STATUS_CODES[status]}.`
    return [
      [
        name,
        {
          description: rows.length === 0 ? lead : `${lead}\n\n${listed(rows)}`,
          ...(status === '429' || status === '503' ? { headers: { 'Retry-After': RETRY_AFTER } } : {}),
          ...json(
            status === '422'
              ? { anyOf: [ref('schemas', 'ValidationError'), ref('schemas', 'Error')] }
              : ref('schemas', 'Error'),
            { example: EXAMPLES[name] ?? EXAMPLES[status] ?? { ok: false, error: rows[0]?.[0] } },
          ),
        },
      ] as const,
    ]
  })
  return { schemas: ERROR_SCHEMAS, responses: Object.fromEntries(responses) }
}

/** The host's codes for a status with their meanings; empty where the name is clear. */
function hostReasons(status: number, shared: string): Readonly<Record<string, string>> {
  const meanings = { ...HOST_REASONS[status], ...TOKEN_REFUSALS[shared] }
  const others = registeredCodes(status).filter((code) => !Object.hasOwn(meanings, code))
  return { ...meanings, ...Object.fromEntries(others.map((code) => [code, ''])) }
}

/** Responses of every operation. Faults are reported as `internal`; errors of a single plugin's files are excluded. */
function registeredCodes(status: number): string[] {
  return Object.entries<{ status: number; wire: string; fault?: boolean }>(ERRORS)
    .filter(([code, one]) => one.status === status && one.fault !== true && !OF_PLUGINS.test(code))
    .map(([, { wire }]) => wire)
}
const OF_PLUGINS = /^PLH_(CAPABILITY_(MISSING|CONFLICT|CYCLE)|PLUGIN_(?!DISPOSED|QUARANTINED))/

const RETRY_AFTER = { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } }

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  401: 'Sign in first, or send a valid token.',
  404: 'This does not exist.',
  409: 'It does not fit the present state; the detail says why.',
  422: 'The request is malformed (`detail` names each place), or settings do not satisfy their schema.',
  429: 'Too many at once, or a third party asks to wait.',
  502: 'A third party failed or refused.',
  503: NOT_RUNNING,
  504: 'A third party did not answer in time.',
}

/** Example bodies, by the answer's name or its status. */
const EXAMPLES: Readonly<Record<string, object>> = {
  InsufficientScope: {
    ok: false,
    error: 'insufficient_scope',
    detail: 'This needs an API token with the scope "run"; "Dashboard" has "read".',
    needed_scope: 'run',
    scope: 'read',
  },
  SessionRequired: {
    ok: false,
    error: 'session_required',
    detail: 'Only a person who is signed in may do this, no API token.',
  },
  404: { ok: false, error: 'not_found', detail: 'There is no such run.' },
  409: { ok: false, error: 'conflict', detail: 'The settings were changed meanwhile. Load them again.' },
  422: { detail: [{ loc: ['query', 'limit'], msg: 'Input should be a valid integer', type: 'int_parsing' }] },
  429: { ok: false, error: 'rate_limited', detail: 'The service asks to wait 7 s.', retry_after: 7 },
  500: { ok: false, error: 'internal', request_id: 'req-1f' },
  502: { ok: false, error: 'upstream_error', detail: 'Could not reach the service.' },
  503: { ok: false, error: 'not_ready', detail: 'The plugin is starting.', retry_after: 1 },
}

const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    ok: { type: 'boolean', const: false },
    error: {
      type: 'string',
      description: 'The reason: a code that programs can rely on, or a sentence where `reason` is the code.',
    },
    reason: { type: 'string', description: 'A code, in answers of sign-ins and of services.' },
    detail: { type: 'string', description: 'One sentence for people: what failed and what to do.' },
    message: { type: 'string' },
    needed_scope: { type: 'string', description: 'With `insufficient_scope`: what the API token needs.' },
    scope: { type: 'string', description: 'With `insufficient_scope`: what the API token has.' },
    retry_after: { type: 'number', description: 'Seconds to wait; also in the header `Retry-After`.' },
    request_id: { type: 'string', description: 'With `internal`: names the request in the log.' },
  },
}

const VALIDATION_ERROR = {
  type: 'object',
  required: ['detail'],
  properties: {
    detail: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['loc', 'msg', 'type'],
        properties: {
          loc: {
            type: 'array',
            description: 'Where: `body`, `query`, `path` or `header`, then names and positions.',
            items: { type: ['string', 'integer'] },
          },
          msg: { type: 'string' },
          type: { type: 'string', description: 'What is wrong, for example `missing` or `int_parsing`.' },
        },
      },
    },
  },
}

export const ERROR_SCHEMAS = { Error: ERROR, ValidationError: VALIDATION_ERROR }
