// Finds rows of a read by an item, for verifying writes and for checking a row right before it is removed.
import { anyContradict, type Item, parseTime, sameTime, tokensOf } from '@playhead/sdk/items'
import { createRowNames } from './row-names.ts'
import type { SideRows } from './rows.ts'

export interface Lookup {
  /** The row; null if there is none; undefined if the match is ambiguous. */
  find(item: Item): number | null | undefined
}

const namesOf = (item: Item) => tokensOf(item, { within: 'provider' })

export async function createLookup(rows: SideRows, plays: boolean, toleranceMs: number): Promise<Lookup> {
  const byEvent = new Map<string, number>()
  const candidatesFor = createRowNames(rows, {
    namesOf,
    plays,
    onRow({ native }, index) {
      if (plays && native?.event_id !== undefined) byEvent.set(native.event_id, index)
    },
  })

  return {
    find(item) {
      const event = item.native?.event_id
      if (plays && event !== undefined && byEvent.has(event)) return byEvent.get(event)
      const wanted = plays ? parseTime(item.watched_at) : undefined
      if (plays && wanted === undefined) return undefined
      const names = new Set(namesOf(item))
      const met = [...candidatesFor(item)]
        .map((index) => ({ index, row: rows.item(index) }))
        .filter(({ row }) => namesOf(row).some((name) => names.has(name)))
      if (met.some(({ row }) => anyContradict([item, row]))) return undefined
      if (!plays) {
        const values = new Set(met.map(({ index }) => rows.value(index)))
        return values.size > 1 ? undefined : (met[0]?.index ?? null)
      }
      const near = met.find(({ row }) => {
        const time = parseTime(row.watched_at)
        return time !== undefined && sameTime(time, wanted!, toleranceMs)
      })
      return near?.index ?? null
    },
  }
}
