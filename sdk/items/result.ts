// What a reading of foreign data gives: a value, or a refusal that says why. Nothing here guesses a default.
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
  /** The keys between which nobody can choose, where there are any. */
  readonly candidates: readonly string[]
}

export type Result<T> = { readonly ok: true; readonly value: T } | Refusal

export function accept<T>(value: T): Result<T> {
  return { ok: true, value }
}

export function refuse(reason: RefusalReason, message: string, candidates: readonly string[] = []): Refusal {
  return { ok: false, reason, message, candidates }
}

/** Neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
