// The list: rows of all accounts merged.
import fc from '../../fast-check.ts'
import t from 'tap'
import { PlayheadError, type Item, type WorkDetails, type WorkIds, LIBRARY } from '@playhead/sdk'
import { mergeRows } from '../../../plugins/services/sync/library/merged.ts'
import { movie, openWorld, row } from './world.ts'

t.test('without any account there is an empty list', async (t) => {
  const empty = {
    ok: true,
    items: [],
    counts: { total: 0, by_provider: {}, by_status: {}, by_type: {} },
    last_sync_epoch: null,
    missing_tmdb_key: true,
    meta_enriched: 0,
  }
  for (const options of [{}, { withoutLibrary: true }]) {
    await using world = await openWorld(options)
    t.same(await world.list(), empty)
    t.same(await world.list('/'), empty, 'also at the address with a slash')
  }
})

t.test('rows that share an id are one, the richest one leads, and the others fill its gaps', async (t) => {
  const readAtMs = Date.UTC(2026, 0, 2)
  await using world = await openWorld({
    readAtMs: { 'TRACKA@default': readAtMs, 'MEDIAA@MEDIAA-P01': readAtMs - 1_000, 'MEDIAA@default': readAtMs - 2_000 },
    rows: {
      'TRACKA@default': [
        row({
          type: 'movie',
          title: 'The Matrix',
          ids: { tmdb: '603', imdb: 'tt0133093', tracka: '481' },
          added_at: '2025-01-01T00:00:00Z',
        }),
      ],
      'MEDIAA@MEDIAA-P01': [
        row(
          {
            type: 'movie',
            title: 'Matrix',
            year: 1999,
            ids: { imdb: 'tt0133093', mediaa: 'x9' },
            added_at: '2025-06-01',
          },
          'movie:imdb:tt0133093',
        ),
      ],
      'MEDIAA@default': [
        row(
          { type: 'movie', title: 'Matrix', year: 1999, ids: { imdb: 'tt0133093', tvdb: '7' } },
          'movie:imdb:tt0133093',
        ),
      ],
    },
  })
  const { items, counts, last_sync_epoch: lastSync } = await world.list()
  t.equal(lastSync, readAtMs / 1_000)
  t.same(counts, { total: 1, by_provider: { mediaa: 1, tracka: 1 }, by_status: { both: 1 }, by_type: { movie: 1 } })
  const account = (provider: string, instance: string, key: string, back: number) => ({
    provider,
    instance,
    key,
    read_at: readAtMs / 1_000 - back,
    stale: true,
  })
  t.same(
    items[0].accounts.toSorted((a: any, b: any) => b.read_at - a.read_at),
    [
      account('tracka', 'default', 'movie:tmdb:603', 0),
      account('mediaa', 'MEDIAA-P01', 'movie:imdb:tt0133093', 1),
      account('mediaa', 'default', 'movie:imdb:tt0133093', 2),
    ],
  )
  delete items[0].accounts
  items[0].aliases.sort()
  t.same(items, [
    {
      key: 'movie:tmdb:603',
      aliases: ['movie:imdb:tt0133093', 'movie:tmdb:603'],
      type: 'movie',
      title: 'The Matrix',
      year: 1999,
      ids: { tmdb: '603', imdb: 'tt0133093', tvdb: '7', tracka: '481' },
      tmdb: 603,
      status: 'both',
      sources: ['mediaa', 'tracka'],
      sources_by_provider: { mediaa: ['default', 'MEDIAA-P01'], tracka: ['default'] },
      added_epoch: Date.UTC(2025, 5, 1) / 1_000,
      added_when: '2025-06-01',
      added_src: 'mediaa',
      added_instance: 'MEDIAA-P01',
      categories: [],
    },
  ])
})

t.test(
  'a movie and a show with the same number stay two rows, and so do rows that contradict each other',
  async (t) => {
    await using world = await openWorld({
      rows: {
        'TRACKA@default': [
          row(movie('1')),
          row({ type: 'show', title: 'Show', ids: { tmdb: '1' } }),
          row({ type: 'movie', ids: { tmdb: '5', imdb: 'tt1' } }),
        ],
        'MEDIAA@default': [
          row({ type: 'movie', ids: { tmdb: '5', imdb: 'tt2' } }),
          row({ type: 'show', title: 'Show', ids: { tvdb: '9' } }, 'show:tvdb:9'),
        ],
      },
    })
    const { items } = await world.list()
    t.same(
      items.map(({ key, type, status }: any) => [key, type, status]).toSorted(),
      [
        ['movie:imdb:tt1', 'movie', 'tracka_only'],
        ['movie:imdb:tt2', 'movie', 'mediaa_only'],
        ['movie:tmdb:1', 'movie', 'tracka_only'],
        ['show:tmdb:1', 'tv', 'tracka_only'],
        ['show:tvdb:9', 'tv', 'mediaa_only'],
      ],
      'equal titles prove nothing, and a shared id names none of those that contradict each other',
    )
  },
)

t.test('the newest come first, and undated ones last', async (t) => {
  await using world = await openWorld({
    rows: {
      'TRACKA@default': [
        row(movie('1', { year: 1990 })),
        row(movie('2', { year: 2020 })),
        row(movie('3', { added_at: '2024-01-01T00:00:00Z' })),
        row(movie('4', { added_at: '2025-01-01' })),
        row(movie('5', { added_at: '2024-01-01T00:00:00Z', year: 2001 })),
      ],
    },
  })
  const order = ({ items }: { items: { tmdb: number }[] }) => items.map(({ tmdb }) => tmdb)
  t.same(order(await world.list()), [4, 5, 3, 2, 1])
  const limited = await world.list('?limit=2')
  t.same(order(limited), [4, 5])
  t.equal(limited.counts.total, 5, 'the counts are of all')
})

t.test('only configured accounts with a read are shown, each with the age of its data', async (t) => {
  const nowMs = Date.now()
  await using world = await openWorld({
    rows: {
      'TRACKA@default': [row(movie('1'))],
      'MEDIAA@default': [row(movie('2'))],
      'MEDIAB@default': [row(movie('3'))],
      'METAA@default': [row(movie('4'))],
    },
    unconfigured: ['MEDIAA@default'],
    readAtMs: { 'MEDIAB@default': null, 'TRACKA@default': nowMs - 90_000_000, 'METAA@default': nowMs - 1_000 },
  })
  const { items } = await world.list()
  t.same(items.map(({ sources, accounts }: any) => [sources[0], accounts[0].stale]).toSorted(), [
    ['metaa', false],
    ['tracka', true],
  ])
})

t.test('types are as declared, episodes have their numbers', async (t) => {
  await using world = await openWorld({
    rows: {
      'ANIMEA@default': [row({ type: 'anime', title: 'A', ids: { tmdb: '1', anilist: '5' } }, 'show:tmdb:1')],
      'TRACKA@default': [
        row({ type: 'show', title: 'A', ids: { tmdb: '1' } }),
        row(
          {
            type: 'episode',
            title: 'Pilot',
            series_title: 'B',
            ids: {},
            show_ids: { tmdb: '2' },
            season: 0,
            episode: 3,
          },
          'show:tmdb:2#s00e03',
        ),
        row({ type: 'season', ids: {}, show_ids: { tmdb: '2' }, season: 4 }, 'show:tmdb:2#season:4'),
      ],
    },
  })
  const { items, counts } = await world.list()
  const byKey = Object.fromEntries(items.map((item: any) => [item.key, item]))
  t.match(byKey['show:tmdb:1'], { type: 'anime', ids: { tmdb: '1', anilist: '5' }, status: 'both' })
  t.match(byKey['show:tmdb:2#s00e03'], {
    type: 'tv',
    season: 0,
    episode: 3,
    episode_label: 'S00E03',
    tmdb: 2,
    series_title: 'B',
    show_ids: { tmdb: '2' },
  })
  t.match(byKey['show:tmdb:2#season:4'], { type: 'tv', season: 4, episode_label: undefined })
  t.same(counts.by_type, { anime: 1, tv: 2 })
})

t.test('rows get an overview on request, in the requested number and language', async (t) => {
  const asked: string[] = []
  const long = `${'word '.repeat(80)}end`
  const metadata = {
    ready: () => true,
    async details(
      { type, ids }: WorkIds,
      { locale = 'own' }: { readonly locale?: string } = {},
    ): Promise<WorkDetails | undefined> {
      asked.push(`${type} ${ids.tmdb} ${locale}`)
      if (ids.tmdb === '3') throw new PlayheadError('PLH_UPSTREAM', 'The service is ill.')
      if (ids.tmdb === '4') return undefined
      return {
        type,
        ids,
        title: 'x',
        year: null,
        overview: long,
        tagline: 'A tagline',
        genres: ['Drama', 'Crime'],
        runtimeMinutes: null,
        score: null,
        lastAired: null,
        released: null,
      }
    },
  }
  const rows = ['1', '2', '3', '4', '5'].map((tmdb) => row(movie(tmdb, { year: 2000 - Number(tmdb) })))
  const episode = row(
    { type: 'episode', title: 'Pilot', ids: {}, show_ids: { tmdb: '9' }, season: 1, episode: 1 },
    'show:tmdb:9#s01e01',
  )
  await using world = await openWorld({ rows: { 'TRACKA@default': [...rows, episode] }, metadata })

  t.match(await world.list(), { missing_tmdb_key: false, meta_enriched: 0 })
  t.same(asked, [], 'nobody asked')
  const short = await world.list('?overview=short&locale=de-DE')
  t.equal(short.meta_enriched, 4)
  t.same(asked.toSorted(), [
    'movie 1 de-DE',
    'movie 2 de-DE',
    'movie 3 de-DE',
    'movie 4 de-DE',
    'movie 5 de-DE',
    'show 9 de-DE',
  ])
  const byKey = new Map<string, Record<string, unknown>>(short.items.map((item: { key: string }) => [item.key, item]))
  t.match(byKey.get('movie:tmdb:1'), {
    overview: /^word .*word…$/,
    tagline: 'A tagline',
    genres: ['Drama', 'Crime'],
    genre: 'Drama',
    resolved_type: 'movie',
  })
  t.ok(String(byKey.get('movie:tmdb:1')?.['overview']).length <= 280)
  t.match(byKey.get('show:tmdb:9#s01e01'), { resolved_type: 'tv' })
  for (const key of ['movie:tmdb:3', 'movie:tmdb:4'])
    t.notOk('overview' in byKey.get(key)!, 'a row of which nothing is known is as it was')
  const full = await world.list('?overview=full&max_meta=1')
  t.match(full, { meta_enriched: 1, items: [{ overview: long }] })
  t.equal(full.items.filter((item: object) => 'overview' in item).length, 1)
})

t.test('a metadata service that is down, or has no key, does not affect the list', async (t) => {
  let asked = 0
  const down = async () => {
    asked += 1
    throw new PlayheadError('PLH_UPSTREAM', 'The service is ill.')
  }
  const rows = { 'TRACKA@default': Array.from({ length: 60 }, (_, index) => row(movie(String(index + 1)))) }
  await using ill = await openWorld({ rows, metadata: { ready: () => true, details: down } })
  t.match(await ill.list('?overview=full'), { counts: { total: 60 }, meta_enriched: 0, missing_tmdb_key: false })
  t.ok(asked < 12, 'it is not asked for each row')

  asked = 0
  await using without = await openWorld({ rows, metadata: { ready: () => false, details: down } })
  t.match(await without.list('?overview=full'), { counts: { total: 60 }, meta_enriched: 0, missing_tmdb_key: true })
  t.equal(asked, 0)
})

t.test('out-of-range queries are refused', async (t) => {
  await using world = await openWorld()
  for (const query of ['limit=-1', 'limit=5001', 'limit=x', 'max_meta=2001', 'max_meta=-1', 'overview=long'])
    t.equal((await world.host.inject(`/api/watchlist?${query}`)).statusCode, 422, query)
  for (const query of ['limit=5000', 'max_meta=0', 'overview=short', 'overview=full&locale=de-DE'])
    t.equal((await world.host.inject(`/api/watchlist?${query}`)).statusCode, 200, query)
})

t.test('a list that cannot be built is an error, never an empty list', async (t) => {
  await using world = await openWorld({ rows: { 'TRACKA@default': [row(movie('1'))] } })
  const broken = async () => {
    throw new Error('oops')
  }
  await world.host.provide(LIBRARY, { holdings: broken, revision: broken, counts: broken, mergedItems: broken })
  const answer = await world.host.inject('/api/watchlist')
  t.match([answer.statusCode, answer.json()], [500, { ok: false, error: 'internal' }])
})

t.test('twenty thousand rows are one response, without blocking other requests', async (t) => {
  const many = (from: number) => Array.from({ length: 20_000 }, (_, index) => row(movie(String(from + index))))
  await using world = await openWorld({ rows: { 'TRACKA@default': many(1), 'MEDIAA@default': many(10_001) } })
  let turns = 0
  let isDone = false
  const others = (async () => {
    while (!isDone) {
      turns += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  const { items, counts } = await world.list()
  isDone = true
  await others
  t.equal(items.length, 30_000)
  t.same(counts, {
    total: 30_000,
    by_provider: { tracka: 20_000, mediaa: 20_000 },
    by_status: { both: 10_000, tracka_only: 10_000, mediaa_only: 10_000 },
    by_type: { movie: 30_000 },
  })
  t.ok(turns >= 30_000 / 250, `${turns} turns: one for each page`)
})

const ids = fc.record(
  {
    tmdb: fc.constantFrom('1', '2'),
    imdb: fc.constantFrom('tt1', 'tt2'),
    slug: fc.constantFrom('a', 'b'),
    mediaa: fc.constantFrom('x', 'y'),
  },
  { requiredKeys: [] },
)
const items = fc.array(
  fc.record({
    ids,
    year: fc.option(fc.integer({ min: 1900, max: 2100 })),
    added_at: fc.option(fc.constantFrom('2024-01-01', '2025-01-01T00:00:00Z')),
  }),
  { minLength: 1, maxLength: 5 },
)

t.test('a merged row contains an id of every scheme of its rows, invents none, and has the newest time', async () => {
  fc.assert(
    fc.property(items, (list) => {
      const rows = list.map(({ ids: own, year, added_at: addedAt }, index) => ({
        account: index,
        key: `k${index}`,
        item: { type: 'movie', ids: own, year, ...(addedAt === null ? {} : { added_at: addedAt }) } as Item,
      }))
      const { item, added } = mergeRows(
        rows,
        list.map((_, index) => ({ provider: 'A', instance: `p${index}` })),
      )
      for (const scheme of ['tmdb', 'imdb', 'slug'] as const) {
        const known = rows.map((one) => one.item.ids[scheme]).filter((id) => id !== undefined)
        if (known.length > 0 ? !known.includes(item.ids[scheme] as string) : item.ids[scheme] !== undefined)
          throw new Error(scheme)
      }
      if (item.ids.mediaa !== undefined) throw new Error('an id of one server means nothing elsewhere')
      const years = rows.flatMap((one) => one.item.year ?? [])
      if (years.length > 0 ? !years.includes(item.year as number) : item.year != null) throw new Error('year')
      const times = rows.flatMap((one) => one.item.added_at ?? []).sort()
      if ((added?.text ?? undefined) !== times.at(-1)) throw new Error('added')
    }),
  )
})

t.test('an unchanged list is not written again, and a change of anything in it is seen at once', async (t) => {
  const DAY_MS = 86_400_000
  const readAtMs: Record<string, number | null> = { 'TRACKA@default': Date.now(), 'MEDIAA@default': Date.now() }
  let hasKey = false
  const unconfigured: string[] = []
  await using world = await openWorld({
    readAtMs,
    unconfigured,
    rows: {
      'TRACKA@default': [row(movie('1')), row(movie('2'))],
      'MEDIAA@default': [row(movie('2')), row(movie('3'))],
    },
    metadata: { ready: async () => hasKey, details: async () => undefined } as never,
  })
  const get = (query: string, tag?: string) =>
    world.host.inject({ url: `/api/watchlist${query}`, headers: tag === undefined ? {} : { 'if-none-match': tag } })
  let last = await get('')
  const next = async (what: string) => {
    const answer = await get('', String(last.headers.etag))
    t.equal(answer.statusCode, 200, what)
    t.not(answer.headers.etag, last.headers.etag, what)
    last = answer
    const again = await get('', String(answer.headers.etag))
    t.equal(again.statusCode, 304, `${what}, again`)
    t.equal(again.body, '')
    t.same((await get('')).json(), answer.json())
    return answer.json()
  }
  t.equal((await get('', String(last.headers.etag))).statusCode, 304)

  world.stored.set('TRACKA@default', [row(movie('1'))])
  t.same(
    (await next('a row was removed')).items.map(({ key }: { key: string }) => key),
    ['movie:tmdb:1', 'movie:tmdb:2', 'movie:tmdb:3'],
  )
  const removed = await world.call('DELETE', 'movie:tmdb:3')
  t.equal(removed.body.ok, true)
  t.equal((await next('an entry was removed by a person')).items.length, 2)
  readAtMs['MEDIAA@default'] = Date.now() + 1
  await next('an account was read')
  hasKey = true
  t.equal((await next('a key was entered')).missing_tmdb_key, false)
  unconfigured.push('MEDIAA@default')
  t.equal((await next('a person signed out')).items.length, 1)
  unconfigured.pop()
  t.equal((await next('and in')).items.length, 2)
  readAtMs['TRACKA@default'] = Date.now() - DAY_MS + 400
  t.equal((await next('an older read')).items[0].accounts[0].stale, false)
  await new Promise((resolve) => setTimeout(resolve, 600))
  t.equal((await next('time has passed')).items[0].accounts[0].stale, true)

  const tags = new Set([last.headers.etag])
  for (const query of ['?limit=1', '?limit=2', '?limit=0', '/']) {
    const answer = await get(query)
    t.equal(answer.json().items.length, query === '?limit=1' ? 1 : 2, query)
    t.notOk(tags.has(answer.headers.etag), query)
    tags.add(answer.headers.etag)
  }
  t.equal((await get('?overview=short', '*')).headers.etag, undefined, 'descriptions come from a service')
})
