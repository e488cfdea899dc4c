// Statistics of a known life: real viewings as several services record them, counted independently.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { film, openCatalog, part, scrobble, type Stored } from './world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOTED_BY = ['PLEX', 'TRAKT', 'SIMKL', 'SVC'] as const
const ZONES = ['UTC', 'America/New_York', 'Pacific/Kiritimati', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Niue']
/** Minutes by title: from the metadata service, from the services' rows, or from neither. */
const LENGTHS: Readonly<Record<string, number>> = { 'movie/1': 100, 'show/9': 50 }
const GENRES: Readonly<Record<string, readonly string[]>> = { 'movie/1': ['Crime', 'Drama'], 'show/9': ['Drama'] }
const WORKS = [
  { title: 'movie/1', season: 0, episode: 0, minutes: 100 },
  { title: 'movie/2', season: 0, episode: 0, minutes: 115 },
  { title: 'movie/3', season: 0, episode: 0, minutes: 81 },
  ...[1, 2, 3].map((episode) => ({ title: 'show/9', season: 1, episode, minutes: 50 })),
  ...[1, 2].map((episode) => ({ title: 'show/8', season: 0, episode, minutes: 45 })),
] as const
type Work = (typeof WORKS)[number]

/** One viewing of a title, recorded by some services in different ways. */
interface Viewing {
  readonly work: Work
  /** Epoch milliseconds; null: all services know only the day. */
  readonly atMs: number
  readonly isDay: boolean
  readonly services: readonly (typeof NOTED_BY)[number][]
  readonly isTwice: boolean
  readonly isScrobbled: boolean
}

const itemOf = ({ title, season, episode }: Work, more: Partial<Item>): Item => {
  const [kind, id] = title.split('/') as [string, string]
  const length = title === 'movie/3' ? { duration_ms: 81 * 60_000 } : {}
  return kind === 'movie' ? film(id, { ...length, ...more }) : part(id, season, episode, more)
}
const nameOf = ({ title, season, episode }: Work) => `${title} ${season} ${episode}`

const viewings = fc
  .array(
    fc.record({
      work: fc.constantFrom(...WORKS),
      // At least three days apart, so that two viewings of one title stay separate.
      day: fc.integer({ min: 0, max: 260 }),
      hour: fc.integer({ min: 0, max: 23 }),
      isDay: fc.boolean(),
      services: fc.uniqueArray(fc.constantFrom(...NOTED_BY), { minLength: 1 }),
      isTwice: fc.boolean(),
      isScrobbled: fc.boolean(),
    }),
    { minLength: 1, maxLength: 45 },
  )
  .map((drawn) => {
    const seen = new Set<string>()
    return drawn.flatMap(({ day, hour, isDay, work, ...rest }): Viewing[] => {
      const name = `${nameOf(work)} ${day}`
      if (seen.has(name)) return []
      seen.add(name)
      // Seven minutes past the hour, so that differences between services cross no hour in any time zone.
      const atMs = Date.UTC(2024, 0, 2) + day * 4 * DAY_MS + hour * HOUR_MS + 7 * 60_000
      return [{ ...rest, work, isDay, atMs }]
    })
  })

function storedOf(lived: readonly Viewing[]): { stored: Stored; scrobbles: ReturnType<typeof scrobble>[] } {
  const stored: Record<string, Item[]> = Object.fromEntries(NOTED_BY.map((name) => [`${name}@default history`, []]))
  const scrobbles: ReturnType<typeof scrobble>[] = []
  for (const { work, atMs, isDay, services, isTwice, isScrobbled } of lived) {
    for (const [index, service] of services.entries()) {
      const text = new Date(atMs + index * 60_000).toISOString()
      const rows = stored[`${service}@default history`]!
      rows.push(itemOf(work, { watched_at: isDay ? text.slice(0, 10) : `${text.slice(0, 19)}Z` }))
      // Some clients send an end twice.
      if (isTwice && index === 0 && !isDay)
        rows.push(itemOf(work, { watched_at: new Date(atMs + 1_000).toISOString().replace('.000Z', 'Z') }))
    }
    if (isScrobbled && !isDay) {
      const [kind, id] = work.title.split('/') as [string, string]
      scrobbles.push(
        scrobble({
          title: kind,
          ids: { tmdb: id },
          media_type: kind === 'movie' ? 'movie' : 'episode',
          ...(kind === 'movie' ? {} : { season: work.season, episode: work.episode }),
          watched_at: atMs / 1_000 + 120,
        }),
      )
    }
  }
  return { stored, scrobbles }
}

/** The services that recorded the viewing. */
const notersOf = ({ services, isDay, isScrobbled }: Viewing): ReadonlySet<string> =>
  new Set<string>([...services, ...(isScrobbled && !isDay ? ['PLEX', 'TRAKT'] : [])])

/** With the browser's own calendar, not the catalog's. */
function localOf({ atMs, isDay }: Viewing, tz: string) {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: isDay ? 'UTC' : tz,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(atMs)
  const of = (type: string) => parts.find((one) => one.type === type)!.value
  return { date: `${of('year')}-${of('month')}-${of('day')}`, hour: isDay ? null : Number(of('hour')) }
}

function tally<Key extends string | number>(keys: readonly (readonly [Key, number])[]) {
  const sums = new Map<Key, { plays: number; minutes: number }>()
  for (const [key, minutes] of keys) {
    const sum = sums.get(key) ?? { plays: 0, minutes: 0 }
    sums.set(key, { plays: sum.plays + 1, minutes: sum.minutes + minutes })
  }
  return sums
}

const nextDay = (date: string) => new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10)

function longest(dates: readonly string[]): number {
  let [best, run, before] = [0, 0, '']
  for (const date of [...new Set(dates)].sort()) {
    run = before !== '' && nextDay(before) === date ? run + 1 : 1
    best = Math.max(best, run)
    before = date
  }
  return best
}

t.test('every number of the statistics equals an independent count', async (t) => {
  let asked = 0
  await fc.assert(
    fc.asyncProperty(
      viewings,
      fc.constantFrom(...ZONES),
      fc.constantFrom(undefined, 2024, 2025, 2026),
      fc.constantFrom(undefined, ...NOTED_BY),
      fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 10 })), {
        selector: ([id]) => id,
      }),
      async (lived, tz, year, account, ratings) => {
        const { stored, scrobbles } = storedOf(lived)
        const rated = ratings.map(([id, rating]) => film(id, { rating, rated_at: '2025-06-01' }))
        await using world = await openCatalog(
          {
            ...stored,
            'PLEX@default ratings': rated,
            // A copy, and a title with an unknown watch time.
            'TRAKT@default ratings': rated,
            'SIMKL@default watchlist': [film(50), film(51)],
            'TRAKT@default history': [...stored['TRAKT@default history']!, film(60, { watched: true })],
          },
          { scrobbles, lengths: LENGTHS, genres: GENRES },
        )
        const query = [
          `tz=${tz}`,
          year === undefined ? '' : `year=${year}`,
          account === undefined ? '' : `account=${account}`,
        ]
        const { status, body } = await world.get(`statistics?${query.filter((one) => one !== '').join('&')}`)
        if (status !== 200) throw new Error(JSON.stringify(body))
        const local = lived.map((one) => ({ ...one, ...localOf(one, tz), by: notersOf(one) }))
        const all = account === undefined ? local : local.filter(({ by }) => by.has(account))
        const mine = all.filter(({ date }) => year === undefined || date.startsWith(`${year}-`))
        const same = (what: string, told: unknown, counted: unknown) => {
          asked += 1
          const [one, other] = [JSON.stringify(told), JSON.stringify(counted)]
          if (one !== other) throw new Error(`${what}: ${one} instead of ${other} (${query.join(' ')})`)
        }
        const minutes = (rows: typeof mine) => rows.reduce((sum, { work }) => sum + work.minutes, 0)
        const isMovie = ({ work }: Viewing) => work.title.startsWith('movie')
        const { totals } = body
        same('plays', totals.plays, mine.length)
        same('films', totals.movies, mine.filter(isMovie).length)
        same('episodes', totals.episodes, mine.filter((one) => !isMovie(one)).length)
        same('titles', totals.titles, new Set(mine.map(({ work }) => work.title)).size)
        same('days with a play', totals.days, new Set(mine.map(({ date }) => date)).size)
        same('again', totals.rewatches, mine.length - new Set(mine.map(({ work }) => nameOf(work))).size)
        same('days only', totals.date_only, mine.filter(({ isDay }) => isDay).length)
        same('undated', totals.undated, account === undefined || account === 'TRAKT' ? 1 : 0)
        same('minutes', totals.minutes, minutes(mine))
        const known = mine.filter(({ work }) => !['movie/2', 'show/8'].includes(work.title)).length
        same('known lengths', [totals.known_plays, totals.minutes_method.estimated_plays], [known, mine.length - known])
        const sorted = <Key extends string | number>(sums: Map<Key, object>) =>
          [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, sum]) => [key, sum])
        const pairs = (rows: readonly Record<string, any>[], key: string) =>
          rows
            .filter(({ plays }) => plays > 0)
            .map((row) => [row[key], { plays: row['plays'], minutes: row['minutes'] }])
        const by = <Key extends string | number>(keyOf: (one: (typeof mine)[number]) => Key | null) =>
          sorted(tally(mine.flatMap((one) => (keyOf(one) === null ? [] : [[keyOf(one)!, one.work.minutes] as const]))))
        same(
          'heatmap',
          pairs(body.days, 'date'),
          by(({ date }) => date),
        )
        same(
          'months',
          pairs(body.months, 'month'),
          by(({ date }) => date.slice(0, 7)),
        )
        same(
          'weekdays',
          pairs(body.weekdays, 'weekday'),
          by(({ date }) => new Date(date).getUTCDay() || 7),
        )
        same(
          'hours',
          pairs(body.hours, 'hour'),
          by(({ hour }) => hour),
        )
        for (const [name, movies] of [
          ['movies', true],
          ['shows', false],
        ] as const) {
          const told = body.top[name].map(({ key, plays, minutes: sum }: any) => [
            key.replace(/:tmdb:/, '/'),
            plays,
            sum,
          ])
          const counted = by((one) => (isMovie(one) === movies ? one.work.title : null))
          same(
            `top ${name}`,
            told.toSorted(),
            counted.map(([key, sum]: any) => [key, sum.plays, sum.minutes]),
          )
          const order = told.map(([, plays]: any) => plays)
          same(
            `order of ${name}`,
            order,
            order.toSorted((a: number, b: number) => b - a),
          )
        }
        const genres = (name: string) => mine.filter(({ work }) => GENRES[work.title]?.includes(name)).length
        same(
          'genres',
          ['Crime', 'Drama'].map((name) => body.genres.items.find((one: any) => one.name === name)?.plays ?? 0),
          [genres('Crime'), genres('Drama')],
        )
        same('plays with genres', body.genres.known_plays, genres('Drama'))
        const isRatedIn = year === undefined || year === 2025
        same(
          'ratings',
          body.ratings.map(({ count }: any) => count),
          Array.from({ length: 10 }, (_, index) =>
            isRatedIn ? ratings.filter(([, rating]) => rating === index + 1).length : 0,
          ),
        )
        same(
          'years',
          body.years,
          [...new Set(all.map(({ date }) => Number(date.slice(0, 4))))].sort((a, b) => b - a),
        )
        for (const service of NOTED_BY) {
          const told = body.services.find((one: any) => one.provider === service)
          same(`plays of ${service}`, told?.plays ?? 0, mine.filter(({ by: own }) => own.has(service)).length)
          const parts = new Set(
            lived.filter(({ services }) => services.includes(service)).map(({ work }) => nameOf(work)),
          )
          if (told !== undefined)
            same(
              `what ${service} has`,
              [told.watched, told.ratings, told.watchlist],
              [
                parts.size + (service === 'TRAKT' ? 1 : 0),
                service === 'PLEX' || service === 'TRAKT' ? rated.length : 0,
                service === 'SIMKL' ? 2 : 0,
              ],
            )
        }
        same('longest streak', body.streaks.longest?.days ?? 0, longest(mine.map(({ date }) => date)))
        // The history page lists the same plays.
        if (year !== undefined) return
        const { body: history } = await world.get(
          `history?tz=${tz}&limit=200${account === undefined ? '' : `&account=${account}`}`,
        )
        same('history', history.total, all.length)
        same(
          'days of the history',
          history.items.map(({ day }: any) => day).toSorted(),
          all.map(({ date }) => date).toSorted(),
        )
        const twice = all.filter(({ isTwice, isDay }) => isTwice && !isDay).length
        same('duplicates', history.items.filter(({ duplicates }: any) => duplicates > 0).length, twice)
      },
    ),
    { numRuns: runsOf(8) },
  )
  t.ok(asked > runsOf(8) * 25, `${asked} numbers were compared`)
})
