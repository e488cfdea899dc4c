// Results of parsing foreign data: a value, or a refusal with its reason. Defaults are never guessed.
export type RefusalReason =
  | 'missing_or_invalid_type'
  | 'no_identity'
  | 'invalid_key'
  | 'unknown_key'
  | 'ambiguous_key'
  | 'missing_watched_at'
  | 'ambiguous_identity'

export interface Refusal {
  readonly ok: false
  readonly reason: RefusalReason
  /** One sentence for people. */
  readonly message: string
  /** The candidates of an ambiguous key. */
  readonly candidates: readonly string[]
}

export type Result<T> = { readonly ok: true; readonly value: T } | Refusal

export function accept<T>(value: T): Result<T> {
  return { ok: true, value }
}

export function refuse(reason: RefusalReason, message: string, candidates: readonly string[] = []): Refusal {
  return { ok: false, reason, message, candidates }
}

/** Neither null nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
