// Maps a failed try to the caller's error and to retry advice.
import { PlayheadError, type PlayheadErrorCode, isPlayheadError } from '@playhead/sdk'
import type { RateHints } from './send.ts'
import { defined } from '@playhead/sdk/host'

/** `any`: nothing was sent, so any request may be repeated. `safe`: only idempotent requests. */
type Repeat = 'any' | 'safe' | 'never'

export interface Failure {
  readonly error: PlayheadError
  readonly repeat: Repeat
  /** Wait before the next try, instead of the backoff. */
  readonly waitMs?: number | undefined
  /** The wait applies to the whole account. */
  readonly pause: boolean
}

export interface About {
  readonly account: string
  /** Method and address without query and secrets. */
  readonly shown: string
}

const REPEATED_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524])

const STATUS_CODES: Readonly<Record<number, PlayheadErrorCode>> = {
  401: 'PLH_AUTH_FAILED',
  404: 'PLH_NOT_FOUND',
  420: 'PLH_RATE_LIMITED',
  429: 'PLH_RATE_LIMITED',
}

// For a 429 without a time.
const MIN_PAUSE_MS = 1_000

interface StatusContext {
  readonly hints: RateHints
  /** The credential was refreshed for this request. */
  readonly wasRefreshed: boolean
  /** Default wait before the next try. */
  readonly backoffMs: number
}

export function failureOfStatus(
  about: About,
  status: number,
  { hints, wasRefreshed, backoffMs }: StatusContext,
): Failure {
  const code = status === 403 && wasRefreshed ? 'PLH_AUTH_FAILED' : (STATUS_CODES[status] ?? 'PLH_UPSTREAM')
  // 420 is a limit of the account's plan, unless it has a retry time.
  const isRate = status === 429 || (status === 420 && hints.retryAfterMs !== undefined)
  const waitMs = hints.retryAfterMs ?? (isRate ? (hints.exhaustedMs ?? Math.max(MIN_PAUSE_MS, backoffMs)) : undefined)
  const error = new PlayheadError(code, `${about.account}: ${about.shown} was answered with status ${status}.`, {
    details: { account: about.account, status },
    ...defined({ retryAfterMs: waitMs }),
  })
  return {
    error,
    repeat: REPEATED_STATUSES.has(status) || isRate ? 'safe' : 'never',
    waitMs,
    pause: isRate || (status === 503 && waitMs !== undefined),
  }
}

/** `details.reason` of a web page that came instead of an answer. */
export const BLOCKED = 'blocked'
/** Retry hint for a block without a time. */
const BLOCKED_MS = 60_000

/**
 * A web page came instead of a response, with any status: the service does not accept programs. The details have the
 * status only if it is temporary: callers must not take it for a verdict of the service on the credential.
 */
export function failureOfPage(about: About, status: number, hints: RateHints): Failure {
  const isTemporary = REPEATED_STATUSES.has(status)
  const retryAfterMs = hints.retryAfterMs ?? (isTemporary ? undefined : BLOCKED_MS)
  const error = new PlayheadError(
    'PLH_UPSTREAM',
    `${about.account}: ${about.shown} was answered with a web page (status ${status}), not with data. Something in front of the service keeps programs out.`,
    {
      details: { account: about.account, reason: BLOCKED, ...(isTemporary ? { status } : {}) },
      ...defined({ retryAfterMs }),
    },
  )
  return { error, repeat: isTemporary ? 'safe' : 'never', waitMs: hints.retryAfterMs, pause: false }
}

interface Kind {
  readonly codes: RegExp
  /** Only while connecting: nothing was sent yet. */
  readonly connecting?: true
  readonly code: PlayheadErrorCode
  readonly reason: string
  readonly text: string
  readonly repeat: Repeat
  readonly wire?: string
}

const unreached = (code: PlayheadErrorCode, reason: string, text: string) =>
  ({ code, reason, text, repeat: 'any' }) as const
const final = (code: PlayheadErrorCode, reason: string, text: string) =>
  ({ code, reason, text, repeat: 'never' }) as const
const NO_CONNECTION = unreached('PLH_UPSTREAM_TIMEOUT', 'connect_timeout', 'no connection within the time limit')
const REFUSED = unreached(
  'PLH_UPSTREAM',
  'refused',
  'the server refused the connection; is it running, and is the port right?',
)
const UNTRUSTED = final(
  'PLH_UPSTREAM',
  'tls_error',
  'no secure connection could be made, or the certificate is not trusted',
)
const TLS_CODES = [
  'ERR_TLS_',
  'ERR_SSL_',
  'CERT_',
  'UNABLE_TO_',
  'SELF_SIGNED_',
  'DEPTH_ZERO_',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_',
  'EPROTO$',
]

// The first match applies. Codes of Node, OpenSSL, zlib and undici.
const KINDS: readonly Kind[] = [
  { codes: /^UND_ERR_CONNECT_TIMEOUT$/, ...NO_CONNECTION },
  { codes: /^ETIMEDOUT$/, connecting: true, ...NO_CONNECTION },
  { codes: /^ECONNREFUSED$/, connecting: true, ...REFUSED },
  {
    codes: /^(?:ENOTFOUND|EAI_)/,
    connecting: true,
    ...unreached('PLH_UPSTREAM', 'unknown_host', 'no server of this name was found'),
  },
  {
    codes: /^E(?:HOST|NET)UNREACH$/,
    connecting: true,
    ...unreached('PLH_UPSTREAM', 'unreachable', 'the server cannot be reached'),
  },
  { codes: new RegExp(`^(?:${TLS_CODES.join('|')})`), ...UNTRUSTED, wire: 'tls_error' },
  {
    codes: /^(?:Z_|ERR__|ERR_BROTLI)/,
    ...final('PLH_UPSTREAM_INVALID', 'encoding', 'the body is not encoded as announced'),
  },
  {
    codes: /^(?:HPE_|HTTPParserError$|UND_ERR_HEADERS_)/,
    ...final('PLH_UPSTREAM_INVALID', 'not_http', 'the answer is not proper HTTP'),
  },
  {
    codes: /^(?:UND_ERR_INVALID_ARG$|ERR_INVALID_)/,
    ...final('PLH_INVALID', 'invalid_request', 'the request cannot be sent like this'),
  },
  { codes: /^UND_ERR_(?:DESTROYED|CLOSED)$/, ...final('PLH_ABORTED', 'closed', 'the plugin ended') },
]
const LOST: Kind = {
  codes: /^/,
  code: 'PLH_UPSTREAM',
  reason: 'connection_lost',
  text: 'the connection broke',
  repeat: 'safe',
}

/** A connection failure, while sending or reading. */
export function failureOfError(about: About, error: unknown): Failure {
  if (isPlayheadError(error)) return { error, repeat: 'never', pause: false }
  const { code, syscall } = originOf(error)
  const isConnecting = syscall === 'connect' || syscall === 'getaddrinfo'
  const kind = KINDS.find(({ codes, connecting }) => codes.test(code) && (isConnecting || connecting !== true)) ?? LOST
  return {
    error: new PlayheadError(kind.code, `${about.account}: ${about.shown} failed: ${kind.text}.`, {
      details: { account: about.account, reason: kind.reason },
      // Without the original error, which references sockets and data.
      cause: Object.assign(new Error(code), { code }),
      ...defined({ wire: kind.wire }),
    }),
    repeat: kind.repeat,
    pause: false,
  }
}

/** True for a truncated body, which may be read again. */
export function isBrokenOff(error: unknown): boolean {
  return isPlayheadError(error, 'PLH_UPSTREAM') && error.details?.['reason'] === LOST.reason
}

// If all addresses of a name fail, the error contains one per address. Parser errors have no code.
function originOf(error: unknown): { readonly code: string; readonly syscall: string | undefined } {
  const { code, name, syscall, errors } = error as {
    code?: unknown
    name?: unknown
    syscall?: unknown
    errors?: readonly unknown[]
  }
  if (typeof syscall !== 'string' && Array.isArray(errors) && errors.length > 0) return originOf(errors[0])
  return {
    code: typeof code === 'string' ? code : String(name),
    syscall: typeof syscall === 'string' ? syscall : undefined,
  }
}

const FIRST_MS = 500
const MAX_MS = 60_000

/** @param tries made so far, at least 1 */
export function backoffMs(tries: number, random: () => number): number {
  return Math.round(random() * Math.min(MAX_MS, FIRST_MS * 2 ** (tries - 1)))
}
