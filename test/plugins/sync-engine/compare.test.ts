// Comparisons of a caller's rows with an account: work by work, and plays one to one.
import { contradicts, type Item } from '@playhead/sdk/items'
import type { ComparedWork, ComparisonPart, Feature } from '@playhead/sdk'
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import { comparedWorks } from '../../../plugins/services/sync/library/compare.ts'
import { settled } from './support.ts'

const film = (ids: Item['ids'], more: Partial<Item> = {}): Item => ({ type: 'movie', title: 'Heat', ids, ...more })

async function worksOf(given: readonly Item[], held: readonly Item[], feature: Feature = 'watchlist') {
  const side = (name: string, items: readonly Item[]) => ({
    size: items.length,
    row: (index: number) => ({ key: `${name}${index}`, item: items[index]! }),
  })
  return (await Array.fromAsync(comparedWorks(feature, side('g', given), side('h', held)))).flat()
}

const shown = (works: readonly ComparedWork[]) =>
  works.map(({ given, held, present, isContradicted }) => ({
    rows: [...given, ...held].map(({ key }) => key).join(' '),
    present: present.join(' '),
    ...(isContradicted ? { isContradicted } : {}),
  }))

t.test('rows are one work through ids of other rows, of either side', async (t) => {
  const [imdb, tmdb, tvdb] = [{ imdb: 'tt0000001' }, { tmdb: '1' }, { tvdb: '7' }]
  t.same(shown(await worksOf([film(imdb), film(tmdb), film(tvdb)], [film({ ...imdb, ...tmdb })])), [
    { rows: 'g0 g1 h0', present: 'g0 g1' },
    { rows: 'g2', present: '' },
  ])
  t.same(shown(await worksOf([film(imdb), film({ ...imdb, ...tmdb })], [film({ tmdb: '2' })])), [
    { rows: 'g0 g1', present: '' },
  ])
})

t.test('rows that contradict each other are different works, of which nothing may be written', async (t) => {
  const imdb = { imdb: 'tt0000001' }
  const both = [film({ ...imdb, tmdb: '1' }), film({ ...imdb, tmdb: '2' })]
  t.same(shown(await worksOf([...both, film(imdb)], [])), [
    { rows: 'g0 g2', present: '' },
    { rows: 'g1', present: '' },
  ])
  t.same(shown(await worksOf(both, [film({ tmdb: '1' })])), [
    { rows: 'g0 h0', present: 'g0' },
    { rows: 'g1', present: '' },
  ])
  t.same(
    shown(await worksOf(both, [film(imdb)])),
    [
      { rows: 'g0 h0', present: 'g0' },
      { rows: 'g1', present: '', isContradicted: true },
    ],
    'a row of the account that could be either',
  )
})

t.test('plays are paired one to one, and plays of equal times are one', async (t) => {
  const at = (...times: readonly string[]) => times.map((time) => film({ tmdb: '1' }, { watched_at: time }))
  const present = async (given: readonly string[], held: readonly string[]) =>
    (await worksOf(at(...given), at(...held), 'history')).map((work) => work.present.join(' '))
  const evening = '2025-03-01T20:00:00Z'
  t.same(await present([evening, evening, '2025-03-01T23:00:00Z'], [evening]), ['g0 g1'])
  t.same(await present([evening, '2025-03-01T23:00:00Z'], [evening, '2025-03-02T01:00:00Z']), ['g0 g1'])
  t.same(await present([evening], ['2025-03-02T02:00:00Z']), ['g0'], 'six hours')
  t.same(await present([evening], ['2025-03-02T02:00:01Z']), [''])
  t.same(await present(['2025-03-02', '2025-03-05'], [evening]), ['g0'], 'a day in another time zone')
  t.same(await present([evening], ['x']), [''])
})

t.test('each row is in one work, whose rows do not contradict each other, and pages are bounded', async () => {
  const id = fc.integer({ min: 1, max: 3 }).map(String)
  const ids = fc.record({ tmdb: id, imdb: id.map((n) => `tt000000${n}`), tvdb: id }, { requiredKeys: [] })
  const rows = fc.array(
    ids.map((own) => film(own)),
    { maxLength: 8 },
  )
  await fc.assert(
    fc.asyncProperty(rows, rows, async (given, held) => {
      const works = await worksOf(given, held)
      const keys = works.flatMap((work) => work.given.map(({ key }) => key))
      if (keys.toSorted().join() !== given.map((_, n) => `g${n}`).join()) throw new Error(keys.join())
      const found = works.flatMap((work) => work.held.map(({ key }) => key))
      if (new Set(found).size < found.length) throw new Error(found.join())
      for (const work of works) {
        const items = [...work.given, ...work.held].map(({ item }) => item)
        if (items.some((a) => items.some((b) => contradicts(a, b)))) throw new Error(JSON.stringify(items))
      }
    }),
    { numRuns: runsOf(200) },
  )
})

t.test('an account is read completely and compared in pages; rows that are dropped are gone', async (t) => {
  const { world, ben, films } = await settled({ count: 600 })
  await using _world = world
  const { engine } = world
  const of = { feature: 'watchlist', provider: 'BEN', instance: 'default' } as const
  const id = await engine.beginRows(of)
  const rows = films.map(({ ids, title, year }, n) =>
    JSON.stringify({ key: `${n}`, item: { type: 'movie', title, year, ids } }),
  )
  await engine.addRows(id, [...rows, JSON.stringify({ key: 'missing', item: film({ tmdb: '99999999' }) })])
  const compared = () => Array.fromAsync(engine.compareRows(id, world.settings, new AbortController().signal))
  const parts: ComparisonPart[] = await compared()
  t.match(parts[0], { type: 'read', end: { count: ben.of('watchlist').length, doubt: null } })
  const pages = parts.flatMap((part) => (part.type === 'works' ? [part.works] : []))
  t.ok(pages.length > 2 && pages.every((page) => page.length <= 250))
  const works = pages.flat()
  t.equal(works.length, films.length + 1)
  t.same(
    works.filter(({ present }) => present.length === 0).map(({ given }) => given[0]!.key),
    ['missing'],
  )
  await engine.dropRows(id)
  await t.rejects(compared(), { code: 'PLH_NOT_FOUND' })
})
