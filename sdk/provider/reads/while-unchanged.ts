// An answer that is kept for as long as the service says that nothing changed, and not longer than a day.
import { PlayheadError } from '../../errors.ts'
import { isFullReadRecent } from './checkpoints.ts'

export interface WhileUnchangedOptions<Value> {
  /** What the service says of the last change; undefined where it says nothing that can be relied on. */
  readonly stamps: () => Promise<Stamps | undefined>
  /** All of it, or it throws. */
  readonly load: (signal: AbortSignal) => Promise<Value>
  /** Whose answer it is, for example the `current` of a lineage. */
  readonly owner: () => Promise<string>
  /** Epoch milliseconds. */
  readonly now: () => number
}

/**
 * For small lists of an account that have no checkpoint of their own. Throws what `stamps` and `load` throw, and
 * `PLH_CONFLICT` (`account_changed`) when somebody else signed in while it was read.
 *
 * @example const blocked = whileUnchanged({ stamps: async () => stampsFor(await activities.get(), ['blocked_at']),
 * load: readBlocked, owner, now }) const list = await blocked(signal)
 */
export function whileUnchanged<Value>({
  stamps,
  load,
  owner,
  now,
}: WhileUnchangedOptions<Value>): (signal: AbortSignal) => Promise<Value> {
  let known: { readonly of: string; readonly stamps: Stamps; readonly value: Value; readonly atMs: number } | undefined

  return async (signal) => {
    const of = await owner()
    const last = await stamps()
    const isKnown =
      known !== undefined &&
      last !== undefined &&
      known.of === of &&
      isFullReadRecent(known.atMs, now()) &&
      sameStamps(known.stamps, last)
    if (known !== undefined && isKnown) return known.value
    known = undefined
    const atMs = now()
    const value = await load(signal)
    if ((await owner()) !== of)
      throw new PlayheadError('PLH_CONFLICT', 'Somebody else signed in while it was read.', { wire: 'account_changed' })
    if (last !== undefined) known = { of, stamps: last, value, atMs }
    return value
  }
}

/** `watched_at` and the like, to what the service wrote. */
export type Stamps = Readonly<Record<string, string>>

/**
 * The stamps that concern a feature; undefined when the service leaves one of them out, for then nothing can be told by
 * them.
 * @param names those that are needed
 * @param also those that count where there are any
 */
export function stampsFor(stamps: Stamps, names: readonly string[], also: readonly string[] = []): Stamps | undefined {
  if (names.some((name) => stamps[name] === undefined)) return undefined
  return Object.fromEntries(
    [...names, ...also].flatMap((name) => (stamps[name] === undefined ? [] : [[name, stamps[name]]])),
  )
}

/** The same names with the same times. */
export function sameStamps(a: Stamps, b: Stamps): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}
