// Caches a value while the service reports no change, for at most a day.
import { PlayheadError } from '../../errors.ts'
import { isFullReadRecent } from './checkpoints.ts'

export interface WhileUnchangedOptions<Value> {
  /** The service's change times; undefined if they are unreliable. */
  readonly stamps: () => Promise<Stamps | undefined>
  /** Loads the complete value or throws. */
  readonly load: (signal: AbortSignal) => Promise<Value>
  /** Identifies the account, for example `current` of a lineage. */
  readonly owner: () => Promise<string>
  /** Epoch milliseconds. */
  readonly now: () => number
}

/**
 * For small lists without a checkpoint. Throws errors of `stamps` and `load`, and `PLH_CONFLICT` (`account_changed`)
 * if another account signed in meanwhile.
 *
 * @example
 * const stamps = async () => stampsFor(await activities.get(), ['blocked_at'])
 * const blocked = whileUnchanged({ stamps, load: readBlocked, owner, now })
 * const list = await blocked(signal)
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
      throw new PlayheadError('PLH_CONFLICT', 'Another account signed in during the read.', { wire: 'account_changed' })
    if (last !== undefined) known = { of, stamps: last, value, atMs }
    return value
  }
}

/** Change times of the service, by name such as `watched_at`. */
export type Stamps = Readonly<Record<string, string>>

/**
 * The change times of a feature; undefined if a required one is missing.
 * @param names required
 * @param also optional
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
