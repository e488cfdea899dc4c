// Items that both accounts of a pair have watched, more than a day apart. Pairs that sync every play have no such
// conflict: a different time is a different play there.
import { formatTime } from '@playhead/sdk/items'
import { defineAnalyzer } from '@playhead/sdk/analyzer'

const DAY_MS = 86_400_000

export default defineAnalyzer({
  label: 'Different dates',
  problems: [
    {
      type: 'date_conflict',
      severity: 'info',
      category: 'history',
      meaning: 'The two accounts of the pair have the item as watched on different days.',
    },
  ],
  needs: { features: ['history'], peers: true },
  *inspect({ rows }) {
    for (const row of rows) {
      if (Number.isNaN(row.atMs)) continue
      for (const { route, row: other } of row.peers) {
        // The counterpart is the row that is nearest in time.
        if (other === undefined || route.plays || Number.isNaN(other.atMs)) continue
        const apart = apartMs(row, other)
        if (apart <= DAY_MS || !row.isLatest) continue
        yield {
          type: 'date_conflict',
          key: row.key,
          message: `${route.source.label} has ${day(row.atMs)}, ${route.target.label} ${day(other.atMs)}.`,
          fields: {
            target: route.target.name,
            target_key: other.key,
            days: Math.round(apart / DAY_MS),
            watched_at: { [route.source.name]: iso(row.atMs), [route.target.name]: iso(other.atMs) },
          },
        }
      }
    }
  },
})

interface Timed {
  readonly atMs: number
  readonly isDay: boolean
}

/** A date covers the whole day in every time zone. */
function apartMs(a: Timed, b: Timed): number {
  const apart = Math.abs(a.atMs - b.atMs)
  return a.isDay || b.isDay ? Math.max(0, apart - DAY_MS) : apart
}

function iso(atMs: number): string {
  return formatTime({ atMs, precision: 'second' })
}

function day(atMs: number): string {
  return formatTime({ atMs, precision: 'date' })
}
