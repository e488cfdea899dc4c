// Compares ids from the tokens of items. For an item that is no longer in a list, only its tokens are known.
import { STRONG_SCHEMES } from '@playhead/sdk'

const STRONG: ReadonlySet<string> = new Set(STRONG_SCHEMES)

/** Ids by kind and scheme; the show ids of a season or episode have separate names. */
export type Slots = Map<string, string>

/**
 * Only strong schemes contradict each other.
 *
 * @example slotsOf(['show:tvdb:121361#s01e01']) // Map { 'show:tvdb#' => '121361' }
 */
export function slotsOf(tokens: Iterable<string>): Slots {
  const slots: Slots = new Map()
  for (const token of tokens) {
    const [kind = '', scheme = ''] = token.split(':', 2)
    if (!STRONG.has(scheme)) continue
    const text = token.slice(kind.length + scheme.length + 2)
    const part = text.indexOf('#')
    if (part < 0) slots.set(`${kind}:${scheme}`, text)
    else slots.set(`${kind}:${scheme}#`, text.slice(0, part))
  }
  return slots
}

/** Whether the ids of a scheme differ, for the work or its show. */
export function contradict(a: Slots, b: Slots): boolean {
  for (const [slot, id] of a) if (b.has(slot) && b.get(slot) !== id) return true
  return false
}

/** Whether both have ids of a common scheme: without a common token they are then different items. */
export function areComparable(a: Slots, b: Slots): boolean {
  for (const slot of a.keys()) if (b.has(slot)) return true
  return false
}
