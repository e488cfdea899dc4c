// Titles are added to the watchlist by a proven id, and removed by the row that was read.
import type { Item } from '@playhead/sdk'
import t from 'tap'
import { startWorld, type World } from './world.ts'

const idsOf = (guids: readonly string[]) => Object.fromEntries(guids.map((guid) => guid.split('://')))
const listOf = ({ plex }: World, account = 900_001) => [...(plex.state.watchlists.get(account)?.keys() ?? [])]

/** Titles with known ids that the library lacks. */
function wanted({ plex, ofType }: World): (Item & { readonly hex: string })[] {
  const inLibrary = new Set([...ofType('movie'), ...ofType('show')].map(({ guid }) => guid))
  return [...plex.state.cloud.values()]
    .filter(({ guids, type, hex }) => guids.length > 0 && !inLibrary.has(`plex://${type}/${hex}`))
    .map(({ guids, type, title, year, hex }) => ({ type, title, year, ids: idsOf(guids), hex }))
}
const bare = ({ hex: _hex, ...item }: Item & { readonly hex: string }): Item => item

t.test('titles are found by their ids, added to the list once, and not looked up twice', async (t) => {
  const world = await startWorld(t)
  const all = wanted(world).slice(0, 8)
  t.same(
    await world.write('watchlist', 'add', all.map(bare)),
    all.map(() => 'applied'),
  )
  t.same(listOf(world).toSorted(), all.map(({ hex }) => hex).toSorted())
  const asked = world.plex.cloud.count('/library/metadata/matches')
  t.same(
    await world.write('watchlist', 'add', all.map(bare)),
    all.map(() => 'already'),
  )
  t.equal(world.plex.cloud.count('/library/metadata/matches'), asked)
})

t.test('a title in the library, or with a Plex id, is added to the list without a lookup', async (t) => {
  const world = await startWorld(t)
  const [movie] = world.ofType('movie')
  const [other] = wanted(world)
  await world.read('history')
  t.same(
    await world.write('watchlist', 'add', [
      { type: 'movie', ids: idsOf(movie?.guids ?? []) },
      { type: other?.type ?? 'movie', ids: { guid: `plex://${other?.type}/${other?.hex}` } },
    ]),
    ['applied', 'applied'],
  )
  t.same(
    listOf(world)
      .map((hex) => `plex://movie/${hex}`)
      .includes(movie?.guid ?? ''),
    true,
  )
  t.equal(world.plex.cloud.count('/library/metadata/matches') + world.plex.cloud.count('/library/search'), 0)
})

t.test(
  'an id of a film identifies no show, a title alone identifies nothing, and unknown ids are not searched again for a day',
  async (t) => {
    const world = await startWorld(t)
    await world.read('history')
    const film = wanted(world).find(({ type }) => type === 'movie') as Item & { hex: string }
    t.same(
      await world.write('watchlist', 'add', [
        { type: 'show', ids: { imdb: film.ids.imdb as string }, title: film.title ?? '' },
        { type: 'movie', ids: { tmdb: '123456789' }, title: film.title ?? '' },
        { type: 'movie', ids: {}, title: film.title ?? '' },
        { type: 'episode', ids: { tmdb: '1' } },
      ]),
      ['not_found no_match', 'not_found no_match', 'unsupported missing_ids', 'unsupported unsupported_type'],
    )
    const asked = world.plex.cloud.requests.length
    t.same(
      await world.write('watchlist', 'add', [{ type: 'movie', ids: { tmdb: '123456789' }, title: film.title ?? '' }]),
      ['not_found no_match'],
    )
    t.equal(world.plex.cloud.requests.length, asked)
    t.same(listOf(world), [])
  },
)

t.test('ids that belong to two works are no proof', async (t) => {
  const world = await startWorld(t)
  const [first, second] = wanted(world).filter(
    ({ type, ids }) => type === 'movie' && ids.imdb !== undefined && ids.tmdb !== undefined,
  )
  t.same(
    await world.write('watchlist', 'add', [
      { type: 'movie', ids: { tmdb: first?.ids.tmdb as string, imdb: second?.ids.imdb as string } },
    ]),
    ['not_found no_match'],
  )
})

t.test('if the match finds nothing, a search by title does, if an id agrees', async (t) => {
  const world = await startWorld(t, { config: { watchlist_use_metadata_match: false } })
  const [one] = wanted(world)
  t.same(await world.write('watchlist', 'add', [bare(one as Item & { hex: string })]), ['applied'])
  t.same(listOf(world), [one?.hex])
})

t.test('rows are removed by the read rows, and removing a missing one is no failure', async (t) => {
  const world = await startWorld(t)
  for (const { hex } of wanted(world).slice(0, 3)) world.plex.actions.addToWatchlist('owner', hex)
  const { rows } = await world.read('watchlist')
  t.same(await world.write('watchlist', 'remove', rows.slice(0, 2)), ['applied', 'applied'])
  t.equal(listOf(world).length, 1)
  t.same(await world.write('watchlist', 'remove', rows.slice(0, 2)), ['already', 'already'])
})

t.test('a busy cloud defers the rest, and a lost response is verified', async (t) => {
  const world = await startWorld(t, { config: { max_retries: 2 } })
  const all = wanted(world).slice(0, 3)
  await world.write('watchlist', 'add', all.map(bare))
  const { rows } = await world.read('watchlist')
  world.plex.cloud.faults.add({ match: '/actions/removeFromWatchlist', kind: 'reset', times: 1 })
  const outcomes = await world.write('watchlist', 'remove', rows.slice(0, 1))
  t.same(outcomes, ['already'], 'it was done the first time, which is a success')
  world.plex.cloud.faults.add({
    match: '/actions/addToWatchlist',
    kind: 'status',
    status: 429,
    headers: { 'retry-after': '60' },
  })
  const busy = await world.write('watchlist', 'add', all.map(bare))
  t.ok(
    busy.every((outcome) => outcome.startsWith('rate_limited')),
    busy.join(),
  )
})
