// Checkpoints of complete reads: the account, the service's change markers, and the time of the last full read.
import { Type, type Static, type TObject } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'

const VERSION = 1
const FULL_AT_LEAST_EVERY_MS = 24 * 3_600_000

export interface CheckpointBase {
  /** As `ReadEnd.account`. */
  readonly account: string
  /** Time of the last full read, epoch milliseconds. */
  readonly fullAtMs: number
}

export interface CheckpointQuestion {
  /** The account of this read; checkpoints of other accounts are rejected. */
  readonly account: string
  /** Epoch milliseconds. */
  readonly nowMs: number
  /** Maximum age of a full read. Default: a day, to correct changes that the service did not report. */
  readonly trustedMs?: number
}

export interface Checkpoints<Fields> {
  /** The text for `ReadEnd.checkpoint`. */
  encode(checkpoint: CheckpointBase & Fields): string
  /** Decodes `ReadRequest.since`; undefined unless it belongs to this account, is well-formed and recent. */
  decode(text: string | undefined, question: CheckpointQuestion): (CheckpointBase & Fields) | undefined
}

/**
 * Checkpoints with these fields beside account and time.
 *
 * @param fields facts that the provider needs to request changes: a cursor, times of the last change. Plain JSON
 *
 * @example
 * const checkpoints = createCheckpoints(Type.Object({ cursor: Type.Integer() }))
 * const since = checkpoints.decode(request.since, { account, nowMs: Date.now() })
 */
export function createCheckpoints<Fields extends TObject>(fields: Fields): Checkpoints<Static<Fields>> {
  const schema = Type.Intersect([
    Type.Object({ v: Type.Literal(VERSION), account: Type.String(), fullAtMs: Type.Number() }),
    fields,
  ])
  let check: TypeCheck<typeof schema> | undefined

  return {
    encode: (checkpoint) => JSON.stringify({ v: VERSION, ...(checkpoint as object) }),
    decode(text, { account, nowMs, trustedMs }) {
      const value = text === undefined ? undefined : parse(text)
      check ??= TypeCompiler.Compile(schema)
      if (!check.Check(value)) return undefined
      const { v: _version, ...found } = value as { readonly v: unknown } & CheckpointBase & Static<Fields>
      return found.account === account && isFullReadRecent(found.fullAtMs, nowMs, trustedMs)
        ? (found as CheckpointBase & Static<Fields>)
        : undefined
    },
  }
}

/** Whether a full read at `fullAtMs` may still be updated incrementally. Epoch milliseconds. */
export function isFullReadRecent(fullAtMs: number, nowMs: number, trustedMs = FULL_AT_LEAST_EVERY_MS): boolean {
  const ageMs = nowMs - fullAtMs
  return ageMs >= 0 && ageMs < trustedMs
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Foreign texts are not checkpoints.
    return undefined
  }
}
