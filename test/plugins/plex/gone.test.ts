// An item that is missing from a list because it left the library is reported as such: no person removed it.
import t from 'tap'
import { startWorld, type World } from './world.ts'

const AT_MS = Date.UTC(2026, 4, 1, 20)
const guids = (items: readonly { ids: { guid?: string } }[] | undefined) =>
  (items ?? []).map(({ ids }) => ids.guid).sort()

async function watched(t: Parameters<typeof startWorld>[0]): Promise<World> {
  const world = await startWorld(t)
  for (const { ratingKey } of world.ofType('movie')) world.plex.actions.watch('owner', ratingKey, AT_MS)
  world.plex.actions.watch('owner', world.ofType('show')[0]?.ratingKey ?? '', AT_MS)
  await world.read('history')
  return world
}

t.test('a deleted film is gone, an unwatched one is not', async (t) => {
  const { plex, read, ofType } = await watched(t)
  const [deleted, unwatched] = ofType('movie')
  plex.actions.removeItem(deleted?.ratingKey ?? '')
  await fetch(`${plex.server.url}/:/unscrobble?identifier=com.plexapp.plugins.library&key=${unwatched?.ratingKey}`, {
    method: 'PUT',
    headers: { 'x-plex-token': plex.serverToken() },
  })
  const { rows, end } = await read('history')
  t.equal(end.complete, true)
  t.same(guids(end.gone), [deleted?.guid])
  t.notOk(guids(rows).includes(unwatched?.guid))
  t.same(guids((await read('history')).end.gone), [deleted?.guid], 'it stays gone in later reads')
})

t.test('a deleted film that is added again is no longer gone', async (t) => {
  const { plex, read, ofType } = await watched(t)
  const { ratingKey, addedAtMs: _addedAtMs, ...film } = ofType('movie')[0] as ReturnType<World['ofType']>[number]
  plex.actions.removeItem(ratingKey)
  t.equal((await read('history')).end.gone?.length, 1)
  plex.actions.addItem(film)
  t.equal((await read('history')).end.gone, undefined)
})

t.test(
  'a film that is replaced by another between two reads is detected, although the number is the same',
  async (t) => {
    const { plex, read, ofType } = await watched(t)
    const { ratingKey, addedAtMs: _addedAtMs, ...film } = ofType('movie')[0] as ReturnType<World['ofType']>[number]
    plex.actions.removeItem(ratingKey)
    plex.actions.addItem({
      ...film,
      guid: 'plex://movie/00000000000000000000ffff',
      guids: ['tmdb://999999'],
      title: 'Another',
    })
    t.same(guids((await read('history')).end.gone), [film.guid])
  },
)

t.test('a film whose key now belongs to another film is gone', async (t) => {
  const { plex, read, ofType } = await watched(t)
  const film = ofType('movie')[0] as ReturnType<World['ofType']>[number]
  plex.state.items.set(film.ratingKey, {
    ...film,
    guid: 'plex://movie/00000000000000000000ffff',
    guids: ['tmdb://999999'],
    title: 'Another',
    addedAtMs: Date.now(),
  })
  const { rows, end } = await read('history')
  t.same(guids(end.gone), [film.guid])
  t.equal(end.gone?.[0]?.native?.item_id, film.ratingKey)
  t.ok(guids(rows).includes('plex://movie/00000000000000000000ffff'))
})

t.test('a film of an old agent that was deleted and added again is no longer gone', async (t) => {
  const { plex, read } = await watched(t)
  const old = {
    type: 'movie',
    sectionKey: '1',
    guid: 'com.plexapp.agents.imdb://tt0111161?lang=en',
    guids: [],
    title: 'Old',
  } as const
  const { ratingKey } = plex.actions.addItem(old)
  plex.actions.watch('owner', ratingKey, AT_MS)
  t.match(
    (await read('history')).rows.find(({ title }) => title === 'Old'),
    { ids: { imdb: 'tt0111161' } },
  )
  plex.actions.removeItem(ratingKey)
  t.same(
    (await read('history')).end.gone?.map(({ ids }) => ids.imdb),
    ['tt0111161'],
  )
  plex.actions.addItem(old)
  t.equal((await read('history')).end.gone, undefined)
})

t.test('a deleted show includes its episodes, each with the ids of the show', async (t) => {
  const { plex, read, ofType } = await watched(t)
  const show = ofType('show')[0]
  const seasons = new Set(
    ofType('season')
      .filter(({ parentKey }) => parentKey === show?.ratingKey)
      .map(({ ratingKey }) => ratingKey),
  )
  const episodes = ofType('episode').filter(({ parentKey }) => seasons.has(parentKey ?? ''))
  plex.actions.removeItem(show?.ratingKey ?? '')
  const { rows, end } = await read('history')
  t.equal(rows.filter(({ type }) => type === 'episode').length, 0)
  t.same(guids(end.gone), episodes.map(({ guid }) => guid).sort())
  const tmdb = show?.guids.find((id) => id.startsWith('tmdb://'))?.slice(7)
  t.ok(
    end.gone?.every(
      ({ show_ids: ids, season, episode }) => ids?.tmdb === tmdb && season !== undefined && episode !== undefined,
    ),
  )
})

t.test('all items of a library that disappeared are gone, and back when the library is', async (t) => {
  const { plex, read, ofType } = await watched(t)
  const sections = plex.state.sections as { key: string; type: 'movie' | 'show'; title: string; uuid: string }[]
  const [films] = sections.splice(0, 1)
  const { rows, end } = await read('history')
  t.equal(rows.filter(({ type }) => type === 'movie').length, 0)
  t.same(
    guids(end.gone),
    ofType('movie')
      .map(({ guid }) => guid)
      .sort(),
  )
  sections.unshift(films as (typeof sections)[number])
  const back = await read('history')
  t.equal(back.end.gone, undefined)
  t.equal(back.rows.filter(({ type }) => type === 'movie').length, 6)
})

t.test('a truncated library list makes the read incomplete instead of emptying the library', async (t) => {
  const { plex, read, ofType } = await watched(t)
  plex.actions.removeItem(ofType('movie')[0]?.ratingKey ?? '')
  plex.server.faults.add({ match: ({ query }) => query.get('sort') === 'updatedAt:desc', kind: 'status', status: 500 })
  await t.rejects(read('history'), { code: 'PLH_UPSTREAM' })
  plex.server.faults.clear()
  t.equal((await read('history')).end.gone?.length, 1)
})

t.test('plays of deleted items are reported as unreadable, and their items as gone', async (t) => {
  const { plex, read, ofType } = await watched(t)
  await read('history', { plays: true })
  const [deleted] = ofType('movie')
  plex.actions.removeItem(deleted?.ratingKey ?? '')
  const { end } = await read('history', { plays: true })
  t.same(end.unreadable, [{ reason: 'deleted_from_library', title: deleted?.title }])
  t.same(guids(end.gone), [deleted?.guid])
})
