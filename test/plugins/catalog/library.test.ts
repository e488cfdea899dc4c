// The list of titles and one title: rows of several accounts for one work form one title.
import { CATALOG, type Item, type WorkEpisode } from '@playhead/sdk'
import { sql } from 'kysely'
import t from 'tap'
import { migrations } from '../../../plugins/services/catalog/tables.ts'
import { until } from '../../harness.ts'
import { film, openCatalog, part, scrobble } from './world.ts'

t.test('rows that share an id are one title, also through a third account; contradictory ids are two', async (t) => {
  await using world = await openCatalog({
    'PLEX@default history': [film(1, { ids: { imdb: 'tt1' }, title: 'Heat', watched_at: '2026-01-01T20:00:00Z' })],
    'TRAKT@default ratings': [film(1, { title: 'Heat', rating: 9, rated_at: '2026-01-02T20:00:00Z' })],
    'SIMKL@default watchlist': [
      film(1, { ids: { imdb: 'tt1', tmdb: '1' }, title: 'Heat', added_at: '2025-01-02T20:00:00Z' }),
      film(5, { ids: { imdb: 'tt5', tmdb: '5' } }),
    ],
    'SIMKL@SIMKL-P01 watchlist': [film(5, { ids: { imdb: 'tt6', tmdb: '5' } }), film(7, { ids: {}, title: 'No ids' })],
    'SVC@default watchlist': [film(7, { ids: {}, title: 'no  IDS' })],
  })
  const { status, body } = await world.get('library')
  t.equal(status, 200)
  t.equal(body.total, 4)
  t.strictSame(
    body.items.map((one: { title: string }) => one.title),
    ['Film 5', 'Film 5', 'Heat', 'No ids'],
  )
  t.match(body.items[2], {
    key: 'movie:tmdb:1',
    kind: 'movie',
    ids: { tmdb: '1', imdb: 'tt1' },
    accounts: [
      { provider: 'PLEX', instance: 'default', features: ['history'] },
      { provider: 'SIMKL', features: ['watchlist'] },
      { provider: 'TRAKT', features: ['ratings'] },
    ],
    plays: 1,
    last_watched: '2026-01-01T20:00:00Z',
    added: '2025-01-02T20:00:00Z',
    rating: 9,
  })
  t.match(body.items[3], { accounts: [{ provider: 'SIMKL', instance: 'SIMKL-P01' }, { provider: 'SVC' }] })
  t.notSame(body.items[0].key, body.items[1].key)
  for (const { key, title } of body.items)
    t.match((await world.get(`library/${encodeURIComponent(key)}`)).body, { ok: true, key, title })
})

t.test('episodes belong to their show, even those with only their own id', async (t) => {
  await using world = await openCatalog({
    'PLEX@default history': [
      part(9, 1, 1, { ids: { tvdb: '11' }, watched_at: '2026-01-01T20:00:00Z' }),
      part(9, 1, 2, { watched_at: '2026-01-02' }),
      part(9, 2, 1),
    ],
    'TRAKT@default history': [
      { type: 'episode', ids: { tvdb: '11' }, watched_at: '2026-01-01T20:00:30Z' },
      { type: 'episode', ids: { tvdb: '99' }, title: 'Lost', watched_at: '2026-01-05T20:00:30Z' },
    ],
  })
  const { body } = await world.get('library?sort=last_watched')
  t.match(body, {
    total: 2,
    items: [
      { title: '', plays: 1, kind: 'show' },
      { key: 'show:tmdb:9', title: 'Series 9', plays: 2, episodes: 3, last_watched: '2026-01-02' },
    ],
  })
  const { body: title } = await world.get('library/show%3Atmdb%3A9%23s01e01')
  t.equal(title.key, 'show:tmdb:9', 'the key of an episode finds its show')
  t.strictSame(title.seasons, [
    {
      season: 1,
      accounts: [
        { provider: 'PLEX', instance: 'default', episodes: 2 },
        { provider: 'TRAKT', instance: 'default', episodes: 1 },
      ],
    },
    { season: 2, accounts: [{ provider: 'PLEX', instance: 'default', episodes: 1 }] },
  ])
  t.strictSame(
    title.latest_plays.map((one: Record<string, unknown>) => [one['watched_at'], (one['services'] as []).length]),
    [
      ['2026-01-02', 1],
      ['2026-01-01T20:00:30Z', 2],
    ],
  )
})

t.test('search, filters, order and pages', async (t) => {
  const films = Array.from({ length: 120 }, (_, index) =>
    film(index + 1, { title: `The Ámber ${String(index + 1).padStart(3, '0')}`, year: 1900 + index }),
  )
  await using world = await openCatalog({
    'PLEX@default watchlist': films.map((one, index) =>
      index === 0 ? one : { ...one, added_at: `2026-01-01T00:00:${String(index % 60).padStart(2, '0')}Z` },
    ),
    'TRAKT@default history': [
      { ...films[2]!, watched_at: '2026-03-01T00:00:00Z' },
      part(5, 1, 1, { watched_at: '2026-03-02T00:00:00Z' }),
      { ...part(6, 1, 1), show_ids: { tmdb: '6', mal: '6' } },
    ],
    'TRAKT@default ratings': [{ ...films[3]!, rating: 7 }],
    'TRAKT@default progress': [{ ...films[4]!, progress_ms: 600_000, duration_ms: 1_200_000 }],
  })
  const titles = async (query: string) => {
    const { status, body } = await world.get(`library?${query}`)
    t.equal(status, 200, query)
    return [body.total, body.items.map((one: { ids: { tmdb: string } }) => one.ids.tmdb)]
  }
  t.strictSame(await titles('q=amber%20117'), [1, ['117']])
  t.strictSame(await titles('q=tmdb:120'), [1, ['120']])
  t.strictSame(await titles('q=nothing'), [0, []])
  t.strictSame(await titles('limit=2&offset=3'), [122, ['4', '5']], 'the article does not count')
  t.strictSame(await titles('sort=year&limit=2'), [122, ['120', '119']])
  t.strictSame(await titles('sort=year&order=asc&limit=1'), [122, ['1']])
  t.strictSame(await titles('kind=show'), [2, ['5', '6']])
  t.strictSame(await titles('kind=anime'), [1, ['6']])
  t.strictSame(await titles('feature=watched&sort=last_watched'), [3, ['5', '3', '6']])
  t.strictSame(await titles('feature=rated'), [1, ['4']])
  t.strictSame(await titles('feature=in_progress'), [1, ['5']])
  t.strictSame(await titles('account=trakt&limit=1'), [5, ['3']])
  t.strictSame(await titles('account=TRAKT@default,PLEX&feature=watchlist&limit=1'), [120, ['1']])
  t.strictSame(await titles('missing=PLEX'), [2, ['5', '6']])
  t.strictSame(await titles('missing=PLEX@default&feature=watched'), [3, ['3', '5', '6']])
  t.strictSame(await titles('missing=TRAKT&limit=1&sort=added'), [117, ['60']])
  for (const query of ['limit=0', 'limit=201', 'sort=size', 'kind=x', 'offset=-1'])
    t.equal((await world.get(`library?${query}`)).status, 422, query)
  t.match(await world.get('library?account=EMBY'), { status: 404, body: { error: 'unknown_account' } })
  t.match(await world.get('library/movie%3Atmdb%3A999'), { status: 404, body: { error: 'title_not_found' } })
  const { body } = await world.get('library?limit=1')
  t.strictSame(body.accounts, [
    { provider: 'PLEX', instance: 'default', titles: 120 },
    { provider: 'TRAKT', instance: 'default', titles: 5 },
  ])
})

t.test('a title is found in any case and writing, also in an index that was made under another rule', async (t) => {
  const names = ['Straße nach İzmir', 'ＲＥＣ', 'Οδός']
  await using world = await openCatalog({
    'PLEX@default watchlist': names.map((title, index) => film(index + 1, { title })),
    'TRAKT@default history': [part(5, 1, 1, { title: 'Größe', watched_at: '2026-03-02T00:00:00Z' })],
  })
  const found = async (q: string) =>
    (await world.get(`library?q=${encodeURIComponent(q)}`)).body.items.map(({ title }: { title: string }) => title)
  const all = async () => {
    for (const [q, wanted] of [
      ['STRASSE izmir', names[0]],
      ['rec', names[1]],
      ['ΟΔΟΣ', names[2]],
    ] as const)
      t.same(await found(q), [wanted], q)
    t.equal((await world.get('history?q=GROSSE')).body.total, 1)
  }
  await all()
  const { db: index } = await world.host.ctx.openDatabase('titles', { migrations })
  await sql`update state set value = '0' where name = 'fold'`.execute(index)
  await sql`update work set title = 'OLD', name = 'old ' || name`.execute(index)
  await sql`update title set words = 'old', sort = 'old'`.execute(index)
  await sql`update play set words = 'old'`.execute(index)
  world.state.reads.length = 0
  world.change('EMBY@default watchlist', [film(9)])
  await all()
  t.same(new Set(world.state.reads).size, 3, 'all are read again')
})

t.test('only changes are read again, and a failed read changes nothing', async (t) => {
  await using world = await openCatalog({ 'PLEX@default watchlist': [film(1)], 'TRAKT@default watchlist': [film(2)] })
  const total = async () => (await world.get('library')).body.total
  t.equal(await total(), 2)
  world.state.reads = []
  world.change('PLEX@default watchlist', [film(1), film(3)])
  t.equal(await total(), 3)
  t.strictSame(world.state.reads, ['PLEX@default watchlist'])

  world.state.fails = true
  world.change('TRAKT@default watchlist', [])
  t.equal((await world.get('library')).status >= 500, true, 'who wants it fresh is told')
  const stale = (await world.host.inject('/api/library')).json()
  t.match(stale, { total: 3, index: { current: false } }, 'the state before stays')
  world.state.fails = false
  t.equal(await total(), 2)
  world.state.stored = { 'PLEX@default watchlist': [film(1)] }
  t.equal(await total(), 1, 'of an account that is gone nothing stays')
})

t.test('a play since the last read is listed at its services, and the state at others is unknown', async (t) => {
  const watchedAt = Date.UTC(2026, 5, 1, 20)
  await using world = await openCatalog(
    {
      ...{ 'PLEX@default history': [], 'TRAKT@default history': [film(2, { watched_at: '2026-01-01T20:00:00Z' })] },
      ...{
        'EMBY@default history': [],
        'EMBY@default progress': [],
        'EMBY@default watchlist': [],
        'SVC@default history': [],
      },
    },
    { scrobbles: [scrobble({ title: 'Film 1', ids: { tmdb: '1' }, watched_at: watchedAt / 1_000 })] },
  )
  const { body } = await world.get('library/movie%3Atmdb%3A1')
  t.equal(body.last_watched, '2026-06-01T20:00:00Z')
  const cells = Object.fromEntries(
    body.matrix.flatMap(({ provider, features }: any) =>
      features.map(({ feature, ...cell }: any) => [`${provider} ${feature}`, cell]),
    ),
  )
  t.match(cells, {
    'PLEX history': { present: true, count: 1, at: '2026-06-01T20:00:00Z', stale: false },
    'TRAKT history': { present: true, count: 1, at: '2026-06-01T20:00:00Z', stale: false },
    'EMBY history': { present: false, stale: true, read_at: '2026-05-28T20:26:40Z' },
    'EMBY progress': { present: false, stale: true },
    'EMBY watchlist': { present: false, stale: false },
    'SVC history': { present: false, stale: false, read_at: null },
  })
  const { body: other } = await world.get('library/movie%3Atmdb%3A2')
  t.match(
    other.matrix.find(({ provider }: any) => provider === 'EMBY').features,
    [{ present: false, stale: false }],
    'what was watched before the read is not there',
  )
})

t.test('the matrix, the changes and the unsynced items of a title', async (t) => {
  await using world = await openCatalog(
    {
      'PLEX@default history': [film(1, { watched_at: '2026-01-01T20:00:00Z' })],
      'PLEX@default ratings': [film(2, { rating: 3 })],
      'TRAKT@default ratings': [film(1, { rating: 8, rated_at: '2026-02-01' })],
      'TRAKT@default progress': [film(1, { progress_percent: 41.26, progress_at: '2026-02-02T00:00:00Z' })],
    },
    {
      open: [
        {
          key: 'movie:tmdb:1',
          item: film(1),
          feature: 'watchlist',
          op: 'add',
          provider: 'PLEX',
          instance: 'default',
          reason_code: 'not_in_library',
          attempts: 2,
          failures: 0,
          quarantined: false,
          pair_id: 'p',
          run_id: 'r',
          first_at_ms: 1_780_000_000_000,
          last_at_ms: 1_780_000_100_000,
        },
        { key: 'movie:tmdb:2', item: film(2), feature: 'watchlist', op: 'add' },
      ],
      events: { 'movie:tmdb:1': [{ id: 4, event_type: 'write_succeeded', created_at: 5, provider: 'PLEX' }] },
    },
  )
  const { body } = await world.get('library/movie%3Atmdb%3A1')
  t.match(body.matrix, [
    {
      provider: 'PLEX',
      features: [
        { feature: 'history', present: true, at: '2026-01-01T20:00:00Z', read_at: '2026-05-28T20:26:40Z' },
        { feature: 'ratings', present: false, at: null },
      ],
    },
    {
      provider: 'TRAKT',
      features: [
        { feature: 'ratings', present: true, value: 8, at: '2026-02-01' },
        { feature: 'progress', present: true, value: 41.3 },
      ],
    },
  ])
  t.match(body.not_synced, [{ feature: 'watchlist', reason_code: 'not_in_library', attempts: 2 }])
  t.equal(body.not_synced.length, 1)
  t.match(body.changes, [{ id: 4, event_type: 'write_succeeded', provider: 'PLEX' }])
})

t.test('the episodes of a show with the accounts that have them, and how many were aired', async (t) => {
  const stored = {
    'PLEX@default history': [part(7, 1, 1), part(7, 1, 2), part(8, 1, 9)],
    'TRAKT@default history': [part(7, 1, 1), part(7, 1, 1, { watched_at: '2026-01-01T20:00:00Z' }), part(7, 0, 1)],
    'TRAKT@default ratings': [part(7, 1, 3)],
  }
  const aired = (season: number, episode: number, date: string | null) => ({
    ...{ season, episode, title: `Name ${episode}`, aired: date },
  })
  const [plex, trakt] = ['PLEX', 'TRAKT'].map((provider) => ({ provider, instance: 'default' }))
  const watched = [
    { season: 0, episode: 1, title: 'Part 1', accounts: [trakt] },
    { season: 1, episode: 1, title: 'Part 1', accounts: [plex, trakt] },
    { season: 1, episode: 2, title: 'Part 2', accounts: [plex] },
  ]
  const read = async (episodes?: readonly WorkEpisode[] | Error) => {
    await using world = await openCatalog(stored, episodes === undefined ? {} : { episodes })
    await world.get('library?fresh=true')
    return (await world.get(`library/${encodeURIComponent('show:tmdb:7')}/episodes`)).body
  }
  t.strictSame(await read(), { ok: true, aired: null, episodes: watched })
  t.match(await read(new Error('the service is away')), { aired: null, episodes: watched })
  const dates = [
    aired(1, 1, '2020-01-01'),
    aired(1, 2, null),
    aired(1, 3, '2020-01-03'),
    aired(1, 4, '9999-01-01'),
    aired(0, 2, '2020-01-01'),
  ]
  const known = await read(dates)
  t.equal(known.aired, 2, 'neither specials nor those that are still to come')
  t.same(
    known.episodes.map((one: { season: number; episode: number; accounts: unknown[] }) => [
      one.season,
      one.episode,
      one.accounts.length,
    ]),
    [
      [0, 1, 1],
      [0, 2, 0],
      [1, 1, 2],
      [1, 2, 1],
      [1, 3, 0],
    ],
  )
})

t.test('damaged rows are skipped, and the others are shown', async (t) => {
  const damaged = [
    { ...film(2), ids: { tmdb: 2 } },
    { ...film(3), title: 3 },
    { ...film(4), watched_at: {} },
    { ...film(5), duration_ms: '5' },
    { ...film(6), type: 'film' },
    null,
  ] as unknown as readonly Item[]
  const seen = film(1, { watched_at: '2026-01-01T20:00:00Z' })
  await using world = await openCatalog({ 'PLEX@default history': [seen, ...damaged, film(7)] })
  const { status, body } = await world.get('library')
  t.equal(status, 200)
  t.same(
    body.items.map((one: { title: string }) => one.title),
    ['Film 1', 'Film 7'],
  )
  const { body: statistics } = await world.get('statistics')
  t.same(statistics.unreadable, [{ provider: 'PLEX', instance: 'default', feature: 'history', rows: damaged.length }])
  t.equal(statistics.services[0].watched, 2)
  const catalog = world.host.capability(CATALOG)
  for (let time = 0; time < 2; time += 1)
    t.match(
      await catalog.numbers('history'),
      { now: 1, accounts: [{ provider: 'PLEX', count: 1, unreadable: damaged.length }] },
      'counted neither the first nor a second time',
    )
})

t.test(
  'sections mark where the list reaches another letter, year, month or rating, for the current filters',
  async (t) => {
    await using world = await openCatalog({
      'PLEX@default history': [
        film(1, { title: 'The Élan', year: 1995, watched_at: '2026-01-31T20:00:00Z' }),
        film(2, { title: 'East', year: 1995, watched_at: '2026-01-02' }),
        film(3, { title: '[Rec]', year: 2007, watched_at: '2025-12-31T20:00:00Z' }),
        film(4, { title: '300', year: null }),
      ],
      'TRAKT@default ratings': [film(5, { title: 'Жизнь', year: null, rating: 7, rated_at: '2026-01-02T20:00:00Z' })],
      'TRAKT@default watchlist': [film(6, { title: '', year: 2007 })],
    })
    const sections = async (query: string) =>
      (await world.get(`library?sections=true&limit=1&${query}`)).body.sections.map(
        (one: { label: string | null; offset: number }) => [one.label, one.offset],
      )
    t.strictSame(await sections('sort=title'), [
      ['#', 0],
      ['E', 2],
      ['Ж', 4],
      [null, 5],
    ])
    t.strictSame(await sections('sort=title&order=desc'), [
      [null, 0],
      ['Ж', 1],
      ['E', 2],
      ['#', 4],
    ])
    t.strictSame(await sections('sort=year'), [
      ['2007', 0],
      ['1995', 2],
      [null, 4],
    ])
    t.strictSame(await sections('sort=year&order=asc&q=e'), [
      ['1995', 0],
      ['2007', 2],
    ])
    t.strictSame(await sections('sort=last_watched'), [
      ['2026-01', 0],
      ['2025-12', 2],
      [null, 3],
    ])
    t.strictSame(await sections('sort=rating'), [
      ['7', 0],
      [null, 1],
    ])
    t.strictSame(await sections('q=nothing'), [])
    t.notOk('sections' in (await world.get('library')).body, 'only if asked for')
    for (const sort of ['title', 'year', 'last_watched', 'rating'])
      for (const [label, offset] of await sections(`sort=${sort}`)) {
        const [{ title, year, last_watched: at, rating }] = (
          await world.get(`library?sort=${sort}&offset=${offset}&limit=1`)
        ).body.items
        if (label === null || label === '#') continue
        const value = { title: title.replace('The É', 'E'), year, last_watched: at, rating }[sort]
        t.ok(String(value).startsWith(label), `${sort}: at ${offset} stands ${value}`)
      }
  },
)

t.test('unchanged answers of the index are not made again, and its changes are seen', async (t) => {
  const play = (id: number) => film(id, { watched_at: `2026-01-0${id}T20:00:00Z` })
  await using world = await openCatalog({ 'PLEX@default history': [play(1)] })
  const paths = ['library', 'library?limit=1&sections=true', 'history', 'history?tz=Asia/Tokyo', 'statistics?year=2026']
  const get = (path: string, tag?: string) =>
    world.host.inject({ url: `/api/${path}`, headers: tag === undefined ? {} : { 'if-none-match': tag } })
  const countOf = (body: any) => body.total ?? body.totals?.plays ?? body.plays
  const settled = () => until('the index is current', async () => (await get('library')).json().index.current === true)
  const tags = new Map<string, string>()
  for (let count = 1; count <= 3; count += 1) {
    if (count > 1) {
      world.change(
        'PLEX@default history',
        Array.from({ length: count }, (_, index) => play(index + 1)),
      )
      await world.get('library')
    }
    await settled()
    for (const path of paths) {
      const first = await get(path, tags.get(path))
      t.equal(first.statusCode, 200, `${path}, ${count}`)
      const tag = String(first.headers.etag)
      t.not(tag, tags.get(path))
      tags.set(path, tag)
      t.equal((await get(path, tag)).statusCode, 304, `${path}, ${count}`)
      t.same((await get(path)).json(), first.json())
      if (!path.startsWith('statistics')) t.equal(countOf(first.json()), count, `${path}, ${count}`)
    }
    t.equal(new Set(tags.values()).size, paths.length)
  }
  t.equal((await get('library?fresh=true', '*')).headers.etag, undefined, 'a fresh answer waits for the accounts')
  t.equal((await get('history?tz=Nowhere', '*')).statusCode, (await world.get('history?tz=Nowhere')).status)

  // While the index is behind its accounts, answers say so.
  world.change('PLEX@default history', [play(1), play(2), play(3), play(4)])
  const seen = await until('the change', async () => {
    const answer = await get('library', tags.get('library'))
    if (answer.statusCode === 304) return undefined
    const { index, total } = answer.json()
    return total === 4 && index.current === true
  })
  t.ok(seen)
})

t.test('works are found by title, with the ids of all accounts and without those of single servers', async (t) => {
  await using world = await openCatalog({
    'PLEX@default history': [
      film(1, { ids: { imdb: 'tt1', mediaa: '77' }, title: 'Amélie', year: 2001 }),
      film(9, { ids: { mediaa: '78' }, title: 'Amelie Home Video' }),
      part(4, 1, 1, { series_title: "Amelie's Diary" }),
    ],
    'TRAKT@default progress': [film(1, { ids: { imdb: 'tt1', tmdb: '1' }, title: 'AMELIE', year: 2001 })],
    'SIMKL@default watchlist': [film(2, { title: 'Amelie', year: 2020 }), film(3, { title: 'Madame Amelie' })],
  })
  const catalog = world.host.capability(CATALOG)
  const first = { type: 'movie', title: 'Amélie', year: 2001, ids: { imdb: 'tt1', tmdb: '1' } }
  const found = (await catalog.search({ title: 'amelie', limit: 10 })) ?? []
  t.strictSame(found[1], first)
  t.strictSame(
    found.map(({ type, title }) => [type, title]),
    [
      ['movie', 'Amelie'],
      ['movie', 'Amélie'],
      ['show', "Amelie's Diary"],
      ['movie', 'Madame Amelie'],
    ],
  )
  const titles = async (more: object) =>
    (await catalog.search({ title: 'Amelie', limit: 10, ...more }))?.map(({ title }) => title)
  t.strictSame(await titles({ type: 'show' }), ["Amelie's Diary"])
  t.strictSame(await titles({ year: 2001, type: 'movie' }), ['Amélie'])
  t.strictSame(await titles({ limit: 1 }), ['Amelie'])
  t.strictSame(await titles({ title: '!' }), [])
  const [named, none, show] = await catalog.byTitle(['amélie', 'Nothing', 'Amelie’s diary'])
  t.strictSame(named?.map(({ ids }) => ids.tmdb).sort(), ['1', '2'])
  t.strictSame(none, [])
  t.match(show, [{ type: 'show', ids: { tmdb: '4' } }])
})

t.test('the episodes of a show are those that any account has, by any of its ids', async (t) => {
  const other = { show_ids: { tvdb: '70', tmdb: '7' } }
  await using world = await openCatalog({
    'PLEX@default history': [part(7, 1, 4), part(8, 1, 9), { type: 'episode', ids: { tvdb: '1' } }],
    'TRAKT@default ratings': [part(7, 1, 2, { ...other, title: 'Two' }), part(7, 1, 4, { title: 'Four' })],
    'SIMKL@default watchlist': [part(7, 3, 1)],
  })
  const catalog = world.host.capability(CATALOG)
  const episodes = [
    { season: 1, episode: 2, title: 'Two', aired: null },
    { season: 1, episode: 4, title: 'Part 4', aired: null },
  ]
  for (const ids of [{ tmdb: '7' }, { tvdb: '70' }]) t.strictSame(await catalog.episodes(ids), episodes)
  t.strictSame(await catalog.episodes({ tmdb: '7', tvdb: '71' }), [], 'contradictory ids are another show')
  t.strictSame(await catalog.episodes({ tmdb: '99' }), [])
})

t.test('before any account was read a search says so', async (t) => {
  await using world = await openCatalog({})
  t.equal(await world.host.capability(CATALOG).search({ title: 'Heat', limit: 1 }), undefined)
})

t.test('the page of a title at a service is found by the id in the row of the account', async (t) => {
  await using world = await openCatalog({
    'PLEX@default history': [
      film(1, { ids: { imdb: 'tt1', mediaa: '77' } }),
      part(9, 1, 1, { show_ids: { tmdb: '9', mediaa: '80' } }),
    ],
    'PLEX@PLEX-P01 watchlist': [{ type: 'show', ids: { tmdb: '9', mediaa: '81' }, title: 'Series 9' }],
    'TRAKT@default ratings': [film(1, { ids: { tmdb: '1', imdb: 'tt1' }, rating: 7 })],
  })
  await world.get('library')
  const pages = async (key: string) => (await world.get(`library/${encodeURIComponent(key)}/pages`)).body.pages
  t.strictSame(await pages('movie:tmdb:1'), [{ provider: 'PLEX', instance: 'default', url: 'http://plex.test/77' }])
  t.strictSame(
    await pages('show:tmdb:9'),
    [{ provider: 'PLEX', instance: 'PLEX-P01', url: 'http://plex.test/81' }],
    'no row of an episode is one of its show',
  )
})
