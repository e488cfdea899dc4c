// What a complete read leaves for the next one: whose account it was, what the service said of it then, and when all of
// it was read last.
import { Type, type Static, type TObject } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'

const VERSION = 1
const FULL_AT_LEAST_EVERY_MS = 24 * 3_600_000

export interface CheckpointBase {
  /** As `ReadEnd.account`. */
  readonly account: string
  /** When all of it was read last. Epoch milliseconds. */
  readonly fullAtMs: number
}

export interface CheckpointQuestion {
  /** Whose checkpoint it has to be: the account of this read. */
  readonly account: string
  /** Epoch milliseconds. */
  readonly nowMs: number
  /**
   * How long changes are believed before everything is read again. Default: a day, so that whatever the service did not
   * tell is put right.
   */
  readonly trustedMs?: number
}

export interface Checkpoints<Fields> {
  /** The text for `ReadEnd.checkpoint`. */
  encode(checkpoint: CheckpointBase & Fields): string
  /**
   * The checkpoint in the text of `ReadRequest.since`, if it is of this account, whole and young enough; anything else
   * is none.
   */
  decode(text: string | undefined, question: CheckpointQuestion): (CheckpointBase & Fields) | undefined
}

/**
 * Checkpoints with these fields beside account and time.
 *
 * @param fields what the provider needs to ask for changes: a cursor, the times of the last change. Plain JSON
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

/**
 * Whether what was read whole at `fullAtMs` may still be brought up to date by changes alone. Both in epoch
 * milliseconds.
 */
export function isFullReadRecent(fullAtMs: number, nowMs: number, trustedMs = FULL_AT_LEAST_EVERY_MS): boolean {
  const ageMs = nowMs - fullAtMs
  return ageMs >= 0 && ageMs < trustedMs
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A text of somebody else's is no checkpoint.
    return undefined
  }
}
