// Errors between threads: they keep their type, message, stack and the fields of Playhead's own errors.
import { defined, isPlayheadError, PlayheadError, type PlayheadErrorCode } from '@playhead/sdk/host'

export interface WireError {
  readonly message: string
  readonly stack?: string | undefined
  /** Codes of the system (`ENOSPC`) and of SQLite. */
  readonly codes?: Readonly<Record<string, unknown>>
  readonly playhead?: {
    readonly code: PlayheadErrorCode
    readonly status: number
    readonly wire: string
    readonly retryAfterMs: number | undefined
    readonly details: unknown
  }
}

const CODES = ['code', 'errcode', 'syscall', 'path']

export function toWire(error: unknown): WireError {
  const message = error instanceof Error ? error.message : String(error)
  const stack = error instanceof Error ? error.stack : undefined
  if (!isPlayheadError(error)) {
    const given = Object(error) as Readonly<Record<string, unknown>>
    const codes = Object.fromEntries(
      CODES.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
    )
    return { message, stack, ...(typeof given['code'] === 'string' ? { codes } : {}) }
  }
  const { code, status, wire, retryAfterMs, details } = error
  return { message, stack, playhead: { code, status, wire, retryAfterMs, details } }
}

export function fromWire({ message, stack, codes, playhead }: WireError): Error {
  const error =
    playhead === undefined
      ? new Error(message)
      : new PlayheadError(playhead.code, message, {
          status: playhead.status,
          wire: playhead.wire,
          ...defined({
            retryAfterMs: playhead.retryAfterMs,
            details: playhead.details as Readonly<Record<string, unknown>> | undefined,
          }),
        })
  if (stack !== undefined) error.stack = stack
  return codes === undefined ? error : Object.assign(error, codes)
}
