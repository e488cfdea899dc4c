// Finds rows of a read by an item, for verifying writes and for checking a row right before it is removed.
import { anyContradict, type Item, parseTime, sameTime, type Time, tokensOf } from '@playhead/sdk/items'
import type { SideRows } from './rows.ts'

export interface Lookup {
  /** The row; null if there is none; undefined if the match is ambiguous. */
  find(item: Item): number | null | undefined
}

export async function createLookup(rows: SideRows, plays: boolean, toleranceMs: number): Promise<Lookup> {
  const byToken = new Map<string, number[]>()
  const byEvent = new Map<string, number>()
  for (let index = 0; index < rows.size; index += 1) {
    const item = rows.item(index)
    const event = item.native?.event_id
    if (plays && event !== undefined) byEvent.set(event, index)
    // Only plays of about the same time are compared: a title may have thousands.
    const day = plays ? dayOf(parseTime(item.watched_at)) : ''
    for (const token of tokensOf(item, { within: 'provider' }))
      byToken.getOrInsertComputed(`${token}${day}`, () => []).push(index)
  }

  return {
    find(item) {
      const event = item.native?.event_id
      if (plays && event !== undefined && byEvent.has(event)) return byEvent.get(event)
      const wanted = plays ? parseTime(item.watched_at) : undefined
      if (plays && wanted === undefined) return undefined
      const days = plays ? [0, -1, 1].map((step) => dayOf(wanted, step)) : ['']
      const names = tokensOf(item, { within: 'provider' }).flatMap((token) => days.map((day) => `${token}${day}`))
      const met = [...new Set(names.flatMap((name) => byToken.get(name) ?? []))]
      const same = met.filter((index) => !anyContradict([item, rows.item(index)]))
      if (same.length < met.length) return undefined
      if (!plays)
        return same.length === 0
          ? null
          : same.some((index) => rows.value(index) !== rows.value(same[0]!))
            ? undefined
            : same[0]
      const near = same.filter((index) => {
        const time = parseTime(rows.item(index).watched_at)
        return time !== undefined && sameTime(time, wanted!, toleranceMs)
      })
      return near.length === 0 ? null : near[0]
    },
  }
}

const DAY_MS = 86_400_000

function dayOf(time: Time | undefined, step = 0): string {
  return time === undefined ? '@none' : `@${Math.floor(time.atMs / DAY_MS) + step}`
}
