// The PublicMetaDB stand-in behaves as the service does: rows with their own ids, pages with totals, positions that become
// plays.
import t from 'tap'
import { type Publicmetadb, startPublicmetadb } from './publicmetadb.ts'

async function call({ url, user }: Publicmetadb, method: string, path: string, json?: unknown, key = user.apiKey) {
  const answer = await fetch(`${url}/api/external${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })
  return { status: answer.status, body: (await answer.json()) as any }
}

t.test('only issued keys give access, within the rate limit', async (t) => {
  await using metadb = await startPublicmetadb({ requestsPer10s: 2, nowMs: () => 1_780_000_000_000 })
  t.equal((await call(metadb, 'GET', '/lists', undefined, 'pm-wrong')).status, 401)
  t.match(await call(metadb, 'GET', '/lists?page=1&perPage=1'), {
    status: 200,
    body: { page: 1, perPage: 1, totalItems: 0, totalPages: 0, items: [] },
  })
  await call(metadb, 'GET', '/lists')
  t.equal((await call(metadb, 'GET', '/lists')).status, 429)
})

t.test('a list contains an item once, and removes it by the id of its row', async (t) => {
  await using metadb = await startPublicmetadb()
  const {
    body: {
      item: { id },
    },
  } = await call(metadb, 'POST', '/lists', { name: 'Watchlist', is_public: false, type: 'watchlist' })
  t.equal((await call(metadb, 'POST', `/lists/${id}/items`, metadb.movie(0))).status, 201)
  t.equal((await call(metadb, 'POST', `/lists/${id}/items`, metadb.movie(0))).status, 409)
  t.equal((await call(metadb, 'POST', `/lists/${id}/items`, { tmdb_id: 5, media_type: 'movie' })).status, 404)
  const {
    body: { items },
  } = await call(metadb, 'GET', `/lists/${id}/items`)
  t.match(items, [{ id: String, tmdb_id: 900_000, media_type: 'movie', title: String }])
  t.equal((await call(metadb, 'DELETE', `/lists/${id}/items/${items[0].id}`)).status, 200)
  t.equal((await call(metadb, 'DELETE', `/lists/${id}/items/${items[0].id}`)).status, 404)
})

t.test('every play is a row, and removing a series removes all of its plays', async (t) => {
  await using metadb = await startPublicmetadb({ pageRows: 2 })
  for (const number of [1, 2]) metadb.user.watch(metadb.episode(0, 1, number))
  metadb.user.watch(metadb.movie(0))
  metadb.user.watch(metadb.movie(0))
  t.match((await call(metadb, 'GET', '/watched?page=2&perPage=500')).body, {
    page: 2,
    perPage: 2,
    totalItems: 4,
    totalPages: 2,
    items: { length: 2 },
  })
  t.match((await call(metadb, 'GET', '/watched?dedupe=true')).body, { totalItems: 3 })
  await call(metadb, 'DELETE', '/watched?tmdb_id=900000&media_type=tv&season=1&episode=2')
  t.equal(metadb.user.account.plays.length, 3)
  metadb.user.watch(metadb.episode(0, 1, 2))
  await call(metadb, 'DELETE', '/watched?tmdb_id=900000&media_type=tv')
  t.same(
    metadb.user.account.plays.map(({ work }) => work.media_type),
    ['movie', 'movie'],
  )
})

t.test('a position is created, moved, ignored at the start, and becomes a play near the end', async (t) => {
  await using metadb = await startPublicmetadb()
  const at = async (position_ms: number) =>
    (await call(metadb, 'POST', '/resume', { ...metadb.movie(0), position_ms, runtime_ms: 6_000_000 })).body.action
  t.same(
    [await at(1_000), await at(600_000), await at(700_000), await at(4_800_000)],
    ['ignored', 'created', 'updated', 'completed'],
  )
  t.match(metadb.user.account, { positions: { length: 0 }, plays: { length: 1 } })
})
