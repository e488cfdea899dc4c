// An answer that is kept for as long as the service says that nothing changed, and not longer than a day.
import { PlayheadError } from '../errors.ts'
import { isFullReadRecent } from './checkpoints.ts'
import { sameStamps, type Stamps } from './stamps.ts'

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
