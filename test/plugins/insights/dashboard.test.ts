// The dashboard: merged and repeated entries, and the effect of a failing widget on others.
import t from 'tap'
import { activityOf, film, openWorld, part } from './world.ts'

const at = (time: string) => Date.parse(time) / 1_000
const names = (items: readonly { readonly title: string }[]) => items.map(({ title }) => title)

t.test('a play that two accounts report is one row with both, and fills its gaps from either', async (t) => {
  await using world = await openWorld({
    held: {
      'MEDIAA@default': {
        history: [
          { type: 'movie', title: null, ids: { imdb: 'tt0113277', mediaa: '77' }, watched_at: '2026-07-01T20:15:00Z' },
        ],
      },
      'TRACKA@default': {
        history: [
          film(949, {
            title: 'Heat',
            year: 1995,
            ids: { imdb: 'tt0113277', tmdb: '949' },
            watched_at: '2026-07-01T20:14:30Z',
          }),
        ],
      },
    },
  })
  const { body } = await world.get('/api/dashboard/widgets?include=history')
  t.strictSame(Object.keys(body), ['ok', 'recent_history'])
  t.equal(body.recent_history.total, 1)
  t.strictSame(body.recent_history.items, [
    {
      key: 'movie:tmdb:949@1782936900',
      sort_epoch: at('2026-07-01T20:15:00Z'),
      sources: [
        { provider: 'MEDIAA', instance: 'default' },
        { provider: 'TRACKA', instance: 'default' },
      ],
      type: 'movie',
      art_type: 'movie',
      title: 'Heat',
      year: 1995,
      season: null,
      episode: null,
      episode_label: '',
      ids: { tmdb: '949', imdb: 'tt0113277' },
      tmdb: 949,
      poster: '/art/metaA/movie/949?size=w342',
      cover: '/art/metaA/movie/949?size=w342',
      art_reason: 'existing_tmdb',
      id: 'movie:tmdb:949@1782936900',
      watched_at: at('2026-07-01T20:15:00Z'),
      captured_at: at('2026-07-01T20:15:00Z'),
      status: 'ok',
      event: 'history_state',
      method: 'sync_state',
    },
  ])
})

t.test('a film and a show of one number are two rows, and so are two times of watching', async (t) => {
  await using world = await openWorld({
    held: {
      'TRACKA@default': {
        history: [
          film(550, { watched_at: '2026-07-01T20:00:00Z' }),
          film(550, { watched_at: '2026-07-03T20:00:00Z' }),
          { type: 'show', title: 'Film 550', year: 2000, ids: { tmdb: '550' }, watched_at: '2026-07-01T20:00:00Z' },
        ],
      },
    },
  })
  const { body } = await world.get('/api/dashboard/widgets?include=history')
  t.equal(body.recent_history.total, 3)
  t.strictSame(
    body.recent_history.items.map(({ type, sort_epoch }: { type: string; sort_epoch: number }) => [type, sort_epoch]),
    [
      ['movie', at('2026-07-03T20:00:00Z')],
      ['movie', at('2026-07-01T20:00:00Z')],
      ['show', at('2026-07-01T20:00:00Z')],
    ],
  )
})

t.test('a date without a time matches a play of that day and no other', async (t) => {
  await using world = await openWorld({
    held: {
      'TRACKA@default': {
        history: [film(1, { watched_at: '2026-07-01T20:00:00Z' }), film(1, { watched_at: '2026-07-05T20:00:00Z' })],
      },
      'TRACKB@default': { history: [film(1, { watched_at: '2026-07-01' }), film(1, { watched_at: '2026-07-09' })] },
    },
  })
  const { body } = await world.get('/api/dashboard/widgets?include=history')
  t.equal(body.recent_history.total, 3)
  t.strictSame(
    body.recent_history.items.map((row: { sort_epoch: number; sources: unknown[] }) => [
      row.sort_epoch,
      row.sources.length,
    ]),
    [
      [at('2026-07-09T00:00:00Z'), 1],
      [at('2026-07-05T20:00:00Z'), 1],
      [at('2026-07-01T20:00:00Z'), 2],
    ],
  )
})

t.test(
  'rows that share no id scheme are one by title and number, unless ids could have distinguished them',
  async (t) => {
    const watched_at = '2026-07-01T20:00:00Z'
    await using world = await openWorld({
      held: {
        'MEDIAA@default': {
          history: [
            part(1399, 1, 2, { series_title: 'The  Throne!', watched_at }),
            film(7, { title: 'Twins', watched_at }),
          ],
        },
        'ANIMEA@default': {
          history: [
            part(1, 1, 2, {
              series_title: 'the throne',
              show_ids: { anilist: '5' },
              watched_at: '2026-07-01T20:02:00Z',
            }),
            film(8, { title: 'Twins', watched_at }),
          ],
        },
      },
    })
    const { body } = await world.get('/api/dashboard/widgets?include=history')
    t.strictSame(names(body.recent_history.items).toSorted(), ['Twins', 'Twins', 'the throne'])
    const episode = body.recent_history.items[0]
    t.match(episode, {
      episode_label: 'S01E02',
      tmdb: 1399,
      art_type: 'tv',
      ids: { show_ids: { tmdb: '1399', anilist: '5' } },
      sources: { length: 2 },
    })
    t.equal(episode.poster, '/art/metaA/tv/1399?kind=still&size=w300&season=1&episode=2')
    t.equal(body.recent_history.total, 3)
  },
)

t.test(
  'an echo of a rating keeps the time of the first, another value counts by its time, and the tracker has priority',
  async (t) => {
    await using world = await openWorld({
      held: {
        'TRACKA@default': {
          ratings: [
            film(1, { rating: 8, rated_at: '2020-01-01T00:00:00Z' }),
            film(2, { rating: 5, rated_at: '2024-01-01T00:00:00Z' }),
            film(3, { rating: 9, rated_at: '2026-06-01T00:00:00Z' }),
          ],
        },
        'MEDIAA@default': {
          ratings: [
            film(1, { rating: 8, rated_at: '2026-06-30T00:00:00Z' }),
            film(2, { rating: 6, rated_at: '2025-01-01T00:00:00Z' }),
            film(4, { rating: 7 }),
          ],
        },
      },
      tracker: { ratings: [film(3, { rating: 4, rated_at: '2022-01-01T00:00:00Z' })] },
    })
    const { body } = await world.get('/api/dashboard/widgets?include=ratings')
    t.strictSame(
      body.latest_ratings.items.map(({ title, rating, rated_at, sources }: Record<string, unknown>) => [
        title,
        rating,
        rated_at,
        (sources as unknown[]).length,
      ]),
      [
        ['Film 2', 6, '2025-01-01T00:00:00Z', 2],
        ['Film 3', 4, '2022-01-01T00:00:00Z', 2],
        ['Film 1', 8, '2020-01-01T00:00:00Z', 2],
      ],
    )
    t.equal(body.latest_ratings.total, 3, 'without a time it is no news')
    t.equal(body.latest_ratings.items[0].poster, '/art/metaA/movie/2?kind=backdrop&size=w780')
  },
)

t.test('progress is that of the newest position, in percent with one decimal, or unknown', async (t) => {
  await using world = await openWorld({
    held: {
      'MEDIAA@default': {
        progress: [
          film(1, { progress_ms: 1_000_000, duration_ms: 3_000_000, progress_at: '2026-07-02T00:00:00Z' }),
          film(2, { progress_ms: 5, progress_at: '2026-07-01T00:00:00Z' }),
        ],
      },
      'TRACKA@default': {
        progress: [
          film(1, { progress_percent: 80, progress_at: '2026-07-01T00:00:00Z' }),
          film(3, { progress_percent: 10 }),
        ],
      },
    },
  })
  const { body } = await world.get('/api/dashboard/widgets?include=progress')
  t.strictSame(
    body.recent_progress.items.map(({ title, progress }: Record<string, unknown>) => [title, progress]),
    [
      ['Film 1', 33.3],
      ['Film 2', null],
    ],
  )
})

t.test('deliveries to accounts are shown with their targets and hours', async (t) => {
  const activity = activityOf([
    {
      event: 'scrobble_stop',
      source: 'mediaa',
      target: 'tracka',
      media_type: 'episode',
      title: 'Series',
      season: 1,
      episode: 2,
      ids: { tmdb: '5' },
      runtime_minutes: 50,
      minutes: 50,
    },
    {
      event: 'history_add',
      kind: 'history_sync',
      source: 'mediaa',
      target: 'trackb',
      media_type: 'movie',
      title: 'Film',
      minutes: 115,
    },
  ])
  await using world = await openWorld({ capabilities: { activity } })
  const { body } = await world.get('/api/dashboard/widgets?include=scrobble&scrobble_limit=1')
  t.match(body.recent_scrobble, { ok: true, total: 2, scrobble_total: 2, scrobble_hours: 2.8 })
  t.equal(body.recent_scrobble.items.length, 1)
  t.match(body.recent_scrobble.items[0], {
    title: 'Series',
    tmdb: 5,
    episode_label: 'S01E02',
    runtime_minutes: 50,
    duration_ms: 3_000_000,
    duration: 3_000,
    source: { provider: 'MEDIAA', instance: 'default' },
    targets: [{ target: 'tracka', target_instance: 'default' }],
  })
})

t.test('only the requested widgets are computed; unknown names request nothing', async (t) => {
  await using world = await openWorld({
    held: {
      'TRACKA@default': {
        history: [film(1, { watched_at: '2026-07-01T20:00:00Z' })],
        ratings: [film(1, { rating: 5 })],
      },
    },
  })
  t.strictSame((await world.get('/api/dashboard/widgets?include=nothing')).body, { ok: true })
  t.equal(world.count.rows, 0)
  t.strictSame(Object.keys((await world.get('/api/dashboard/widgets?include=PROGRESS, history,x')).body).toSorted(), [
    'ok',
    'recent_history',
    'recent_progress',
  ])
  t.equal(world.count.rows, 2, 'the index has every row')
  t.equal(Object.keys((await world.get('/api/dashboard/widgets')).body).length, 6)
  t.equal(world.count.rows, 2)
})

t.test('a failing widget says so, and the others are complete', async (t) => {
  const activity = {
    list: async () => {
      throw new Error('a secret from below')
    },
    minutes: async () => 0,
  }
  await using world = await openWorld({
    capabilities: { activity },
    held: { 'TRACKA@default': { history: [film(1, { watched_at: '2026-07-01T20:00:00Z' })] } },
  })
  const { status, body } = await world.get('/api/dashboard/widgets')
  t.equal(status, 200)
  t.strictSame(body.recent_scrobble, { ok: false, error: 'internal', items: [], total: 0 })
  t.equal(body.recent_history.items.length, 1)
})

t.test('playlists are those that runs changed', async (t) => {
  await using world = await openWorld()
  await world.run({ id: 'r1', atMs: Date.parse('2026-07-01T00:00:00Z'), lanes: { playlists: { added: 3 } } })
  await world.run({ id: 'r2', atMs: Date.parse('2026-07-02T00:00:00Z'), dry: true, lanes: { playlists: { added: 9 } } })
  t.strictSame((await world.get('/api/dashboard/widgets?include=playlists')).body.recent_playlists, {
    ok: true,
    total: 1,
    items: [
      {
        ts: at('2026-07-01T00:00:00Z'),
        type: 'Run',
        status: 'completed',
        label: 'Playlists',
        details: '3 added, 0 removed, 0 updated',
      },
    ],
  })
})

for (const query of [
  'history_limit=0',
  'history_limit=25',
  'ratings_limit=x',
  'scrobble_limit=1.5',
  'progress_limit=-1',
  'playlists_limit=',
]) {
  t.test(`limits are 1 to 24: ${query}`, async (t) => {
    await using world = await openWorld()
    const { status, body } = await world.get(`/api/dashboard/widgets?${query}`)
    t.equal(status, 422)
    t.match(body, { detail: [{ loc: ['query', query.split('=')[0]] }] })
  })
}
