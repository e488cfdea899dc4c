// Checks of values: reads and writes must agree with the service's own view of the account.
import type { Item } from '../../../items/item.ts'
import { progressOf } from '../../../items/progress.ts'
import { formatTime, parseTime, sameTime } from '../../../items/time.ts'
import type { FeatureSupport } from '../../../provider/contract.ts'
import type { Feature } from '../../../provider/features.ts'
import type { Check, Subject } from '../contract.ts'
import { createTokenIndex } from '../token-index.ts'
import { all, each, featuresOf, must, needsFeature, seeded, writable } from './support.ts'

/** Services round times to minutes, and positions to whole percents. */
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const PERCENT = 1
const TIMES: { readonly [feature in Feature]?: 'added_at' | 'watched_at' | 'rated_at' | 'progress_at' } = {
  watchlist: 'added_at',
  history: 'watched_at',
  ratings: 'rated_at',
  progress: 'progress_at',
}

const tellsRows = ({ can }: Subject): true | string => can.rows || 'its adapter does not tell what the account holds'
const isTimed = (feature: Feature, { untimed }: FeatureSupport) => feature !== 'playlists' && untimed !== true

/** The first difference of two lists of rows; undefined if they are equal. */
function difference(
  feature: Feature,
  wanted: readonly Item[],
  found: readonly Item[],
  timed: boolean,
  isRead: boolean,
) {
  if (wanted.length !== found.length) return `${found.length} of ${wanted.length} rows`
  const index = createTokenIndex<Item>((row) => row, { within: 'provider' })
  for (const row of found) index.add(row)
  for (const item of wanted) {
    const name = nameOf(item)
    const match = index.find(item)
    const row = match.outcome === 'match' ? match.rows[0] : undefined
    if (match.outcome !== 'match' || match.by !== 'token' || row === undefined) return `${name} is not among them`
    const differs = valueDifference(feature, item, row, timed, isRead)
    if (differs !== undefined) return `${name}: ${differs}`
  }
  return undefined
}

function valueDifference(
  feature: Feature,
  wanted: Item,
  row: Item,
  timed: boolean,
  isRead: boolean,
): string | undefined {
  if (wanted.type !== row.type) return `it is a ${row.type}, not a ${wanted.type}`
  for (const field of ['season', 'episode'] as const)
    if (wanted[field] !== row[field]) return `its ${field} is ${row[field]}, not ${wanted[field]}`
  const ids = (item: Item) => Object.entries({ ...item.ids, ...prefixed(item.show_ids) })
  const own = new Map(ids(row))
  const other = ids(wanted).find(([name, id]) => own.has(name) && own.get(name) !== id)
  if (other !== undefined) return `its ${other[0]} is ${String(own.get(other[0]))}, not ${other[1]}`
  const lost = ids(wanted).find(([name]) => !own.has(name))
  if (lost !== undefined && isRead) return `its ${lost[0]} ${lost[1]} is missing`
  if (feature === 'ratings' && wanted.rating !== row.rating) return `the rating is ${row.rating}, not ${wanted.rating}`
  if (feature === 'progress') {
    const [one, two] = [progressOf(wanted), progressOf(row)]
    if (one.percent !== undefined && two.percent !== undefined && Math.abs(one.percent - two.percent) > PERCENT)
      return `the position is ${two.percent} %, not ${one.percent} %`
    for (const field of ['progress_ms', 'duration_ms'] as const) {
      const [a, b] = [wanted[field], row[field]]
      if (a !== undefined && b !== undefined && Math.abs(a - b) > Math.max(MINUTE_MS, a / 50))
        return `${field} is ${b}, not ${a} milliseconds`
    }
  }
  const name = TIMES[feature]
  if (!timed || name === undefined) return undefined
  const [is, should] = [row[name], wanted[name]]
  if (should === undefined) return is === undefined ? undefined : `${name} is ${is}, and the service has none`
  const [one, two] = [parseTime(should), parseTime(is)]
  if (is === undefined || one === undefined || two === undefined) return undefined
  // Some services only store a day.
  const toleranceMs = one.precision === 'date' || two.precision === 'date' ? 24 * 60 * MINUTE_MS : MINUTE_MS
  return Math.abs(one.atMs - two.atMs) > toleranceMs ? `${name} is ${is}, not ${should}` : undefined
}

const prefixed = (ids: Item['show_ids'] = {}) =>
  Object.fromEntries(Object.entries(ids).map(([name, id]) => [`show's ${name}`, id]))

function nameOf({ type, title, series_title: series, season, episode }: Item): string {
  const part = [season, episode].filter((number) => number !== undefined).join('×')
  return `${type} "${title ?? series ?? ''}"${part === '' ? '' : ` ${part}`}`
}

export const truth: readonly Check[] = [
  {
    id: 'reads.true',
    group: 'reads',
    title: 'rows have the kind, ids, numbers, value and time that the service shows, and none that it does not',
    points: 3,
    applies: tellsRows,
    run: (subject) =>
      each(subject, featuresOf(subject), async (bench, feature) => {
        await seeded(bench, feature, 13)
        const wanted = (await bench.simulator.rows?.(0, feature)) ?? []
        const { rows } = await bench.read(feature)
        const differs = difference(feature, wanted, rows, isTimed(feature, supportOf(subject, feature)), true)
        must(differs === undefined, `read: ${differs}`)
      }),
  },
  {
    id: 'writes.true',
    group: 'writes',
    title: 'what the service has after a write is what was asked for',
    points: 3,
    applies: all(needsFeature(writable, 'nothing can be added'), tellsRows),
    run: (subject) =>
      each(subject, featuresOf(subject, writable), async ({ simulator, outcomesOf }, feature) => {
        // More items than kinds, so that every kind occurs.
        const items = await simulator.fresh(feature, 8)
        const outcomes = await outcomesOf(feature, 'add', items)
        const done = items.filter((_, index) => ['applied', 'already'].includes(outcomes[index]?.outcome ?? ''))
        const differs = difference(
          feature,
          done,
          (await simulator.rows?.(0, feature)) ?? [],
          feature === 'history',
          false,
        )
        must(differs === undefined, `written: ${differs}`)
      }),
  },
  {
    id: 'writes.no-time',
    group: 'writes',
    title: 'a play without a time is not given one',
    points: 2,
    applies: needsFeature(writable, 'nothing can be added'),
    run: (subject) =>
      each(
        subject,
        featuresOf(subject, writable).filter((feature) => feature === 'history'),
        async ({ simulator, outcomesOf, read }, feature) => {
          const [{ watched_at: _at, ...item }] = (await simulator.fresh(feature, 1)) as [Item]
          await outcomesOf(feature, 'add', [item])
          for (const { watched_at: at } of (await read(feature)).rows)
            must(at === undefined, `it is now told to have been watched at ${at}`)
          await daysAreWritten(subject)
        },
      ),
  },
]

/** A play with only a day, as the provider declares it: `FeatureSupport.days`. */
async function daysAreWritten(subject: Subject): Promise<void> {
  const { days } = supportOf(subject, 'history')
  if (days === undefined) return
  await using bench = await subject.open()
  const day = { atMs: Math.floor(Date.now() / DAY_MS - 30) * DAY_MS, precision: 'date' } as const
  const [item] = (await bench.simulator.fresh('history', 1)) as [Item]
  const play = { ...item, watched_at: formatTime(day) }
  const [outcome] = await bench.outcomesOf('history', 'add', [play])
  if (days === 'none') {
    must(outcome?.reason === 'day_unsupported', `a day that is not taken is ${outcome?.outcome} (${outcome?.reason})`)
    return must((await bench.simulator.count(0, 'history')) === 0, 'a day that is not taken was written')
  }
  must(outcome?.outcome === 'applied', `a play of a day is ${outcome?.outcome} (${outcome?.reason})`)
  const { rows } = await bench.read('history')
  const time = parseTime(rows[0]?.watched_at)
  must(
    rows.length === 1 && time !== undefined && sameTime(time, day, 0),
    `a play of ${play.watched_at} is read back as one of ${rows[0]?.watched_at}`,
  )
  must((time?.precision === 'date') === (days === 'kept'), `a day is read back as ${rows[0]?.watched_at}`)
  const again = await bench.outcomesOf('history', 'add', [play])
  const isOnce = supportOf(subject, 'history').idempotentAdd === true
  if (isOnce) must(again[0]?.outcome === 'already', `the same day again is ${again[0]?.outcome}`)
}

function supportOf({ description }: Subject, feature: Feature): FeatureSupport {
  return description.features[feature] as FeatureSupport
}
