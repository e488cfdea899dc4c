// Anime mapping coverage per account: each title once, other titles not counted, a reason for each unmapped title, and rules
// that apply at once.
import t from 'tap'
import type { Item, LibraryRow, LibraryService } from '@playhead/sdk'
import { createCoverage } from '../../../plugins/services/anime-mapping/coverage.ts'
import { startBench } from './support.ts'

const show = (ids: Item['ids'], title: string): Item => ({ type: 'show', ids, title, year: 2_020 })
const episode = (show_ids: Item['ids'], number: number): Item => ({
  ...{ type: 'episode', ids: {}, show_ids, series_title: 'Long Show', season: 1, episode: number },
})
const rowsOf = (items: readonly Item[]): readonly LibraryRow[] =>
  items.map((item, index) => ({ key: `row ${index}`, item })) as unknown as readonly LibraryRow[]

const ROWS: Readonly<Record<string, readonly LibraryRow[]>> = {
  'ANIMEA watchlist': rowsOf([
    show({ anilist: '9107' }, 'Mapped'),
    show({ anilist: '1' }, 'Unknown'),
    { type: 'movie', ids: { mal: '9300' }, title: 'A film' },
  ]),
  'MEDIAB history': rowsOf([
    episode({ tvdb: '990300' }, 1),
    episode({ tvdb: '990300' }, 2),
    show({ tvdb: '5' }, 'Not anime'),
    { type: 'movie', ids: {}, title: 'Without an id' },
  ]),
}

const library = {
  async holdings(feature: string) {
    return ['ANIMEA', 'MEDIAB', 'NEVER'].map((provider) => ({
      provider,
      instance: 'default',
      readAtMs: ROWS[`${provider} ${feature}`] === undefined ? null : 1,
    }))
  },
  async *rows(provider: string, _instance: string, feature: string) {
    yield ROWS[`${provider} ${feature}`] ?? []
  },
} as unknown as LibraryService

t.test('titles are counted once, and unmapped ones have a reason', async (t) => {
  await using bench = await startBench({ isInstalled: true })
  const ctx = { tryUse: () => library, signal: new AbortController().signal } as never
  const read = () => createCoverage(ctx, bench.mapping).read()
  const first = await read()
  t.equal(first.ready, true)
  const of = (name: string) => first.accounts.find(({ provider }) => provider === name)
  t.match(of('ANIMEA'), { feature: 'watchlist', anime: 3 })
  t.equal(of('NEVER'), undefined, 'an account that was never read is not there')
  t.ok((of('MEDIAB')?.anime ?? 0) <= 1, 'two episodes are one show, and what is no anime is not counted')
  const unknown = first.unmapped.filter(({ title }) => title === 'Unknown')
  t.match(unknown, [{ provider: 'ANIMEA', type: 'show', year: 2_020, ids: { anilist: '1' }, reason: /^[a-z_]+$/ }])
  t.ok(
    first.accounts.every(
      ({ provider, feature, anime, mapped }) =>
        anime - mapped === first.unmapped.filter((one) => one.provider === provider && one.feature === feature).length,
    ),
    'each title is mapped, or has a reason',
  )

  const rule = {
    ...{ media_type: 'show', match_provider: 'anilist', match_id: '1' },
    ...{ target_namespace: 'mal', target_id: '77' },
  }
  await bench.post('settings', { overrides: [rule] })
  const after = await read()
  t.equal(
    after.unmapped.filter(({ title }) => title === 'Unknown').length,
    1,
    'an id of another anime service is no map',
  )
})

t.test('while it is off nothing is mapped, and the response says so', async (t) => {
  await using bench = await startBench()
  const ctx = { tryUse: () => library, signal: new AbortController().signal } as never
  t.match(await createCoverage(ctx, bench.mapping).read(), { ready: false })
  const answer = await bench.host.inject({ method: 'GET', url: '/api/anime-mapping/coverage?limit=0' })
  t.equal(answer.statusCode, 422)
})
