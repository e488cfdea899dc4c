// History and statistics: exact, in any time zone.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { film, openCatalog, part, scrobble, type Stored } from './world.ts'

const totals = { plays: 0, movies: 0, episodes: 0, rewatches: 0, date_only: 0, undated: 0 }

t.test('a play at several services is one; a second evening is a second play; a play needs a time', async (t) => {
  await using world = await openCatalog({
    'PLEX@default history': [
      film(1, { watched_at: '2026-01-01T20:00:00Z' }),
      film(2, { watched: true }),
      part(9, 1, 1, { watched_at: '2026-01-03T20:00:00Z' }),
      { type: 'show', ids: { tmdb: '9' }, title: 'Series 9', watched_at: '2026-01-03T21:00:00Z' },
    ],
    'TRAKT@default history': [
      film(1, { watched_at: '2026-01-01T20:04:59Z' }),
      film(1, { watched_at: '2026-01-02T20:00:00Z' }),
      film(1, { watched_at: '2026-01-02T20:00:01Z' }),
    ],
    'SIMKL@default history': [film(1, { watched_at: '2026-01-02' }), film(3, { watched_at: '2025-12-31' })],
  })
  const { body } = await world.get('history')
  t.strictSame(
    body.items.map((one: Record<string, unknown>) => [one['title'], one['day'], one['watched_at'], one['duplicates']]),
    [
      ['Series 9', '2026-01-03', '2026-01-03T20:00:00Z', 0],
      ['Film 1', '2026-01-02', '2026-01-02T20:00:01Z', 1],
      ['Film 1', '2026-01-01', '2026-01-01T20:04:59Z', 0],
      ['Film 3', '2025-12-31', '2025-12-31', 0],
    ],
  )
  t.strictSame(
    body.items[1].services.map((one: { provider: string; count: number }) => [one.provider, one.count]).sort(),
    [
      ['SIMKL', 1],
      ['TRAKT', 2],
    ],
  )
  const { body: numbers } = await world.get('statistics')
  t.match(numbers.totals, {
    ...totals,
    plays: 4,
    movies: 3,
    episodes: 1,
    rewatches: 1,
    date_only: 1,
    undated: 1,
    titles: 3,
  })
  t.match(numbers.totals, { minutes: 3 * 115 + 45, known_plays: 0, minutes_method: { estimated_plays: 4 } })
  t.strictSame(
    numbers.days.map((one: { date: string; plays: number }) => `${one.date} ${one.plays}`),
    ['2025-12-31 1', '2026-01-01 1', '2026-01-02 1', '2026-01-03 1'],
  )
  t.equal(
    numbers.hours.reduce((sum: number, one: { plays: number }) => sum + one.plays, 0),
    3,
    'a day has no hour',
  )
  t.strictSame(numbers.streaks.longest, { days: 4, from: '2025-12-31', to: '2026-01-03' })
  t.equal((await world.get('history?duplicates=true')).body.total, 1)
  t.match((await world.get('statistics?year=2026')).body, {
    totals: { plays: 3 },
    years: [2026, 2025],
    streaks: { longest: { days: 3 } },
  })
})

t.test('days and hours follow the time zone, also when clocks change', async (t) => {
  await using world = await openCatalog({
    'TRAKT@default history': [
      film(1, { watched_at: '2026-01-01T04:59:59Z' }),
      film(2, { watched_at: '2026-07-01T03:30:00Z' }),
      film(3, { watched_at: '2026-03-08' }),
      // Before and after a clock change in New York.
      film(4, { watched_at: '2026-03-08T06:59:00Z' }),
      film(5, { watched_at: '2026-03-08T07:00:00Z' }),
    ],
  })
  const read = async (query: string) => {
    const { body } = await world.get(`statistics?${query}`)
    return [
      body.days.map((one: { date: string; plays: number }) => `${one.date} ${one.plays}`),
      body.hours.flatMap((one: { hour: number; plays: number }) =>
        one.plays === 0 ? [] : [`${one.hour}: ${one.plays}`],
      ),
    ]
  }
  t.strictSame(await read('tz=America/New_York'), [
    ['2025-12-31 1', '2026-03-08 3', '2026-06-30 1'],
    ['1: 1', '3: 1', '23: 2'],
  ])
  t.strictSame(await read('tz=Asia/Tokyo'), [
    ['2026-01-01 1', '2026-03-08 3', '2026-07-01 1'],
    ['12: 1', '13: 1', '15: 1', '16: 1'],
  ])
  t.strictSame((await read('tz=America/New_York&year=2025'))[0], ['2025-12-31 1'])
  t.strictSame((await read('tz=America/New_York&from=2026-03-08&to=2026-03-08'))[0], ['2026-03-08 3'])
  t.match((await world.get('history?tz=America/New_York&to=2026-01-01')).body, {
    total: 1,
    items: [{ day: '2025-12-31', watched_at: '2026-01-01T04:59:59Z' }],
  })
  for (const [query, error] of [
    ['tz=Mars/Olympus', 'unknown_time_zone'],
    ['from=2026-02-30', 'invalid_range'],
    ['from=2026-02-03&to=2026-02-02', 'invalid_range'],
    ['year=2026&from=2026-02-03', 'invalid_range'],
  ] as const)
    t.match(await world.get(`statistics?${query}`), { status: 400, body: { ok: false, error } }, query)
  t.match(await world.get('history?cursor=abc'), { status: 400, body: { error: 'invalid_cursor' } })
})

t.test('plays before 1970 are on their days, in the zones of their time', async (t) => {
  await using world = await openCatalog({
    'TRAKT@default history': [
      film(1, { watched_at: '1942-11-26T00:00:00Z' }),
      film(2, { watched_at: '1969-07-20T20:17:00Z' }),
      film(3, { watched_at: '1895-12-28' }),
      film(4, { watched_at: '1970-01-01T00:00:00Z' }),
      film(5, { watched_at: '1969-12-31T23:30:00Z' }),
    ],
  })
  const { body } = await world.get('statistics?tz=UTC')
  t.match(body, {
    totals: { plays: 4, undated: 1, days: 4 },
    years: [1969, 1942, 1895],
    days: [{ date: '1895-12-28' }, { date: '1942-11-26' }, { date: '1969-07-20' }, { date: '1969-12-31' }],
    months: [{ month: '1895-12' }, { month: '1942-11' }, { month: '1969-07' }, { month: '1969-12' }],
  })
  t.same(
    body.hours.flatMap(({ hour, plays }: { hour: number; plays: number }) => (plays === 0 ? [] : [hour])),
    [0, 20, 23],
  )
  t.equal(body.weekdays[3].plays + body.weekdays[6].plays + body.weekdays[2].plays + body.weekdays[5].plays, 4)
  // New York was four hours behind in the war, and five in winters since.
  const here = await world.get('history?tz=America/New_York&to=1942-12-31')
  t.match(here.body, { total: 2, items: [{ day: '1942-11-25' }, { day: '1895-12-28' }] })
  t.match((await world.get('statistics?tz=America/New_York&year=1942')).body, {
    days: [{ date: '1942-11-25', plays: 1 }],
    hours: { 20: { plays: 1 } },
  })
  t.equal((await world.get('statistics?year=1942')).body.totals.plays, 1)
})

t.test('a scrobble is merged with the play that an account shows later, and is separate until then', async (t) => {
  await using world = await openCatalog(
    {
      // A media server records the play before its end, and another play on the next day.
      'PLEX@default history': [
        film(1, { watched_at: '2026-01-01T21:20:00Z' }),
        film(1, { watched_at: '2026-01-02T21:20:00Z' }),
      ],
      'TRAKT@default history': [],
    },
    {
      scrobbles: [
        scrobble({
          title: 'Film 1',
          ids: { tmdb: '1' },
          watched_at: Date.UTC(2026, 0, 1, 22) / 1_000,
          runtime_minutes: 170,
        }),
        scrobble({
          title: 'Series 9',
          media_type: 'episode',
          season: 1,
          episode: 2,
          ids: { tmdb: '9' },
          watched_at: Date.UTC(2026, 0, 3) / 1_000,
        }),
        scrobble({ title: 'By title alone', ids: {}, watched_at: Date.UTC(2026, 0, 4) / 1_000 }),
      ],
      lengths: { 'show/9': 30 },
      genres: { 'movie/1': ['Crime', 'Drama'], 'show/9': ['Drama'] },
    },
  )
  const { body } = await world.get('history')
  t.match(body, {
    total: 3,
    items: [
      { title: 'Series 9', season: 1, episode: 2, services: [{ provider: 'PLEX' }, { provider: 'TRAKT' }] },
      { title: 'Film 1', day: '2026-01-02', services: [{ provider: 'PLEX', count: 1 }] },
      {
        title: 'Film 1',
        day: '2026-01-01',
        duplicates: 0,
        services: [{ provider: 'PLEX', count: 1 }, { provider: 'TRAKT' }],
      },
    ],
  })
  const { body: numbers } = await world.get('statistics')
  t.match(numbers.totals, { plays: 3, known_plays: 3, minutes: 2 * 170 + 30 })
  t.match(numbers.genres, {
    known_plays: 3,
    items: [
      { name: 'Drama', plays: 3 },
      { name: 'Crime', plays: 2 },
    ],
  })
  t.match(numbers.top, { movies: [{ title: 'Film 1', plays: 2 }], shows: [{ title: 'Series 9', plays: 1 }] })
  t.match(numbers.services, [
    { provider: 'PLEX', plays: 3 },
    { provider: 'TRAKT', plays: 2 },
  ])
  t.equal((await world.get('statistics?account=TRAKT')).body.totals.plays, 2)
})

t.test('ratings: one value per title, the tracker’s first, copies are not newer opinions', async (t) => {
  await using world = await openCatalog({
    'PLEX@default ratings': [
      film(1, { rating: 4, rated_at: '2026-05-01' }),
      film(2, { rating: 6, rated_at: '2025-05-01' }),
    ],
    'TRAKT@default ratings': [
      film(1, { rating: 9, rated_at: '2026-01-01' }),
      film(2, { rating: 8, rated_at: '2026-05-02' }),
    ],
    'SVC@default ratings': [film(1, { rating: 9, rated_at: '2026-01-01' }), part(9, 1, 1, { rating: 3 })],
  })
  const count = async (query: string) =>
    (await world.get(`statistics?${query}`)).body.ratings.flatMap((one: { rating: number; count: number }) =>
      one.count === 0 ? [] : [`${one.rating}: ${one.count}`],
    )
  t.strictSame(await count(''), ['3: 1', '8: 1', '9: 1'])
  t.strictSame(await count('year=2026'), ['8: 1', '9: 1'], 'without a date it is of no year')
  t.strictSame(await count('year=2025'), [])
})

t.test('pages: each play once and in order, for any times and in any zone', async () => {
  const time = fc.record({
    at: fc.integer({ min: Date.UTC(2025, 9, 20) / 60_000, max: Date.UTC(2025, 10, 10) / 60_000 }),
    day: fc.boolean(),
    item: fc.integer({ min: 1, max: 4 }),
    account: fc.constantFrom('PLEX', 'TRAKT'),
  })
  await using world = await openCatalog({ 'PLEX@default history': [], 'TRAKT@default history': [] })
  await fc.assert(
    fc.asyncProperty(
      fc.array(time, { maxLength: 40 }),
      fc.constantFrom('UTC', 'America/New_York', 'Pacific/Kiritimati', 'Pacific/Niue', 'Australia/Lord_Howe'),
      fc.integer({ min: 1, max: 7 }),
      async (times, tz, limit) => {
        const stored: Stored = { 'PLEX@default history': [], 'TRAKT@default history': [] }
        for (const { at, day, item, account } of times) {
          const text = new Date(at * 60_000).toISOString()
          const watched_at = day ? text.slice(0, 10) : `${text.slice(0, 19)}Z`
          const name = `${account}@default history`
          stored[name] = [...stored[name]!, item < 3 ? film(item, { watched_at }) : part(9, 1, item, { watched_at })]
        }
        for (const [name, items] of Object.entries(stored)) world.change(name, items)
        const all = []
        for (let cursor: string | null = ''; cursor !== null; ) {
          const { status, body } = await world.get(`history?tz=${tz}&limit=${limit}&cursor=${cursor}`)
          if (status !== 200) throw new Error(JSON.stringify(body))
          all.push(...body.items)
          cursor = body.next_cursor
        }
        const names = all.map((one) => `${one.key} ${one.season} ${one.episode} ${one.watched_at}`)
        if (new Set(names).size !== names.length) throw new Error(`twice: ${names.join(', ')}`)
        const days = all.map(({ day }) => day)
        if (days.join() !== days.toSorted().reverse().join()) throw new Error(`order: ${days.join(', ')}`)
        const { body } = await world.get(`statistics?tz=${tz}`)
        const counted = Map.groupBy(days, (day: string) => day)
        const told = body.days.map((one: { date: string; plays: number }) => `${one.date} ${one.plays}`)
        const expected = [...counted].map(([day, own]) => `${day} ${own.length}`).sort()
        if (told.join() !== expected.join()) throw new Error(`${told.join()} instead of ${expected.join()}`)
        if (body.totals.plays !== all.length) throw new Error('another number of plays')
        // Rows of one account on different days are always separate plays.
        const least = new Set(
          times.flatMap(({ at, day, item }) => (day ? [] : [`${item} ${Math.floor(at / (24 * 60))}`])),
        )
        if (all.length < least.size) throw new Error('a play is missing')
      },
    ),
    { numRuns: runsOf(25) },
  )
})
