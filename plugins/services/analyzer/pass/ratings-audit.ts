// The ratings audit: ratings that differ, precede the release, or are missing. Release dates come from the cache alone.
import { isRating, type Item } from '@playhead/sdk/items'
import type { PassResult } from './analyze.ts'
import { accountText, wireItem } from './wire.ts'

const MAX_ROWS = 1_000

/** One work and the differing values of all accounts. */
interface Conflict extends Pick<ReturnType<typeof wireItem>, 'title' | 'year' | 'type' | 'ids'> {
  readonly keys: string[]
  readonly values: Record<string, { readonly rating: number | null; readonly rated_at: string | null }>
  spread: number
}

export function auditRatings(
  { table, tasks, counts, verdict }: PassResult,
  released: Readonly<Record<string, string>>,
) {
  const providers: Record<string, { ratings: Record<string, { ids: Item['ids']; tmdb_release: { date?: string } }> }> =
    {}
  const conflicts = new Map<number, Conflict>()
  const beforeRelease: object[] = []
  const invalid: object[] = []
  const missing: object[] = []
  const totals = { rated: 0, conflicts: 0, invalid: 0, missing: 0, rated_before_release: 0 }
  let pending = 0
  for (const [position, segment] of table.segments.entries()) {
    if (segment.feature !== 'ratings') continue
    const name = accountText(segment)
    const own = tasks.flatMap((task, at) => (task.source === position && task.target >= 0 ? [at] : []))
    const shown: (typeof providers)[string] = { ratings: {} }
    providers[name] = shown
    let listed = 0
    for (const { start, rows } of table.pages(segment)) {
      for (const [at, [key, item]] of rows.entries()) {
        const row = start + at
        totals.rated += 1
        if (!isRating(item.rating)) {
          totals.invalid += 1
          if (invalid.length < MAX_ROWS) invalid.push({ provider: name, key, rating: item.rating ?? null })
        }
        if (item.type === 'movie' && item.ids.tmdb !== undefined) {
          const date = released[`movie ${item.ids.tmdb}`]
          if (date === undefined) pending += 1
          if (listed < MAX_ROWS) {
            shown.ratings[key] = { ids: item.ids, tmdb_release: date === undefined ? {} : { date } }
            listed += 1
          }
          if (date !== undefined && item.rated_at !== undefined && item.rated_at.slice(0, 10) < date) {
            totals.rated_before_release += 1
            if (beforeRelease.length < MAX_ROWS)
              beforeRelease.push({
                provider: name,
                key,
                title: item.title ?? null,
                rated_at: item.rated_at,
                release: date,
              })
          }
        }
        const targets: string[] = []
        const group = table.group(row).name
        let conflict = conflicts.get(group)
        for (const route of own) {
          const found = verdict(row, route)
          const target = accountText(counts[route]!.route.target)
          if (found.state === 'missing') targets.push(target)
          if (found.row < 0 || table.rating(found.row) === 0 || item.rating === undefined) continue
          if (table.rating(found.row) === item.rating) continue
          const other = table.item(found.row)
          if (conflict === undefined) {
            const { title, year, type, ids } = wireItem(item)
            conflict = { keys: [], title, year, type, ids, values: {}, spread: 0 }
            conflicts.set(group, conflict)
          }
          // Other pairs know further values of the same work.
          for (const [of, ownKey, one] of [
            [name, key, item],
            [target, table.key(found.row), other],
          ] as const) {
            if (!conflict.keys.includes(ownKey)) conflict.keys.push(ownKey)
            conflict.values[of] = { rating: one.rating ?? null, rated_at: one.rated_at ?? null }
          }
          const ratings = Object.values(conflict.values).flatMap(({ rating }) => rating ?? [])
          conflict.spread = Math.max(...ratings) - Math.min(...ratings)
        }
        if (targets.length > 0) {
          totals.missing += 1
          if (missing.length < MAX_ROWS) missing.push({ provider: name, key, targets })
        }
      }
    }
  }
  totals.conflicts = conflicts.size
  return {
    providers,
    conflicts: [...conflicts.values()].slice(0, MAX_ROWS),
    rated_before_release: beforeRelease,
    invalid,
    missing,
    summary: totals,
    pending_metadata: pending,
  }
}
