// Finds rows of a read by an item, for verifying writes and for checking a row right before it is removed.
import { type Item, parseTime, tokensOf } from '@playhead/sdk'
import { contradict } from './match.ts'
import type { SideRows } from './rows.ts'

export interface Lookup {
  /** The row; null when there is none; undefined when that is ambiguous. */
  find(item: Item): number | null | undefined
}

export async function createLookup(rows: SideRows, plays: boolean, toleranceMs: number): Promise<Lookup> {
  const byToken = new Map<string, number[]>()
  const byEvent = new Map<string, number>()
  for (let index = 0; index < rows.size; index += 1) {
    const item = rows.item(index)
    const event = item.native?.event_id
    if (plays && event !== undefined) byEvent.set(event, index)
    for (const token of tokensOf(item, { within: 'provider' })) {
      const known = byToken.get(token)
      if (known === undefined) byToken.set(token, [index])
      else known.push(index)
    }
  }

  return {
    find(item) {
      const event = item.native?.event_id
      if (plays && event !== undefined && byEvent.has(event)) return byEvent.get(event)
      const met = [...new Set(tokensOf(item, { within: 'provider' }).flatMap((token) => byToken.get(token) ?? []))]
      const same = met.filter((index) => !contradict([item, rows.item(index)]))
      if (same.length < met.length) return undefined
      if (!plays)
        return same.length === 0
          ? null
          : same.some((index) => rows.value(index) !== rows.value(same[0]!))
            ? undefined
            : same[0]
      const wanted = parseTime(item.watched_at)
      if (wanted === undefined) return undefined
      const near = same.filter(
        (index) => Math.abs((parseTime(rows.item(index).watched_at)?.atMs ?? -Infinity) - wanted.atMs) <= toleranceMs,
      )
      return near.length === 0 ? null : near[0]
    },
  }
}
