// Finds impossible times of plays: before the release, in the future, or many works at one second, as imports create them.
import { formatTime, type Item } from '@playhead/sdk/items'
import { type AnalyzerPage, type AnalyzerRow, defineAnalyzer, type Finding } from '@playhead/sdk/analyzer'

const DAY_MS = 86_400_000
/** Tolerance for server clocks and time zones. */
const FUTURE_MS = DAY_MS
/** Festivals and other countries may show a work earlier. */
const PREMIERE_MS = 60 * DAY_MS
/** Marking a season as watched gives its episodes the same time. */
const MANY_ROWS = 10
const MANY_WORKS = 3

export default defineAnalyzer({
  label: 'Impossible times',
  problems: [
    {
      type: 'watched_before_release',
      severity: 'warn',
      category: 'history',
      meaning: 'The item was watched before it was released.',
    },
    { type: 'time_in_future', severity: 'warn', category: 'history', meaning: 'The time is in the future.' },
    {
      type: 'many_at_once',
      severity: 'info',
      category: 'history',
      meaning: 'Many titles were watched in the same second, so the times probably come from an import.',
    },
  ],
  needs: { features: ['history', 'ratings'], metadata: true },
  begin({ nowMs }) {
    let counting: Counting | undefined
    return {
      *inspect(page) {
        if (counting !== undefined && counting.name !== nameOf(page)) yield* counting.findings()
        if (page.feature === 'history' && counting?.name !== nameOf(page)) counting = countSeconds(page)
        for (const row of page.rows) {
          if (Number.isNaN(row.atMs)) continue
          if (row.atMs > nowMs + FUTURE_MS)
            yield {
              type: 'time_in_future',
              key: row.key,
              fields: { at: formatTime({ atMs: row.atMs, precision: 'second' }) },
            }
          else if (page.feature === 'history') yield* beforeRelease(row)
          if (page.feature === 'history' && !row.isDay) counting?.add(row)
        }
      },
      *end() {
        if (counting !== undefined) yield* counting.findings()
      },
    }
  },
})

function* beforeRelease({ key, item, atMs, released }: AnalyzerRow): Iterable<Finding> {
  const releasedMs = released === undefined ? Number.NaN : Date.parse(released)
  if (!Number.isNaN(releasedMs)) {
    if (atMs < releasedMs - PREMIERE_MS)
      yield {
        type: 'watched_before_release',
        key,
        message: `It was released on ${released}.`,
        fields: { release: released },
      }
    return
  }
  const year = yearOf(item)
  // The year may be that of a later release, so the preceding year is possible.
  if (year !== undefined && new Date(atMs).getUTCFullYear() < year - 1)
    yield {
      type: 'watched_before_release',
      key,
      message: `It is of the year ${year}.`,
      fields: { release: String(year) },
    }
}

function yearOf({ type, year, series_year: seriesYear }: Item): number | undefined {
  return (type === 'movie' || type === 'show' || type === 'anime' ? year : seriesYear) ?? undefined
}

interface Second {
  count: number
  /** At most `MANY_WORKS`. */
  readonly works: string[]
}

interface Counting {
  readonly name: string
  add(row: AnalyzerRow): void
  findings(): Iterable<Finding>
}

function countSeconds(page: AnalyzerPage): Counting {
  // Most seconds have a single row, so the work alone is stored.
  const seconds = new Map<number, Second | string>()
  return {
    name: nameOf(page),
    add(row) {
      const second = Math.floor(row.atMs / 1_000)
      const work = workOf(row)
      const known = seconds.get(second)
      if (known === undefined) return void seconds.set(second, work)
      if (typeof known === 'string')
        return void seconds.set(second, { count: 2, works: known === work ? [work] : [known, work] })
      known.count += 1
      if (known.works.length < MANY_WORKS && !known.works.includes(work)) known.works.push(work)
    },
    *findings() {
      for (const [second, known] of seconds) {
        if (typeof known === 'string' || known.count < MANY_ROWS || known.works.length < MANY_WORKS) continue
        const at = formatTime({ atMs: second * 1_000, precision: 'second' })
        yield {
          type: 'many_at_once',
          account: page.account,
          feature: page.feature,
          message: `${known.count} rows have the time ${at}.`,
          fields: { at, count: known.count },
        }
      }
      seconds.clear()
    },
  }
}

/** For a part of a show, the show. The key of a part whose show has no id does not contain it. */
function workOf({ key, item }: AnalyzerRow): string {
  return /^(episode|season):/.test(key) ? (item.series_title ?? '') : key.replace(/[#@].*$/s, '')
}

function nameOf({ account, feature }: AnalyzerPage): string {
  return `${account.name} ${feature}`
}
