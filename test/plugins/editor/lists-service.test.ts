// slow: the whole service, or very many cases
// Jellyfin playlists and Trakt lists in the running service: two browsers, a phone, and a failing server.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { expectOk, signInToJellyfin, signInToTrakt } from '../../demo/sign-in.ts'
import { startService } from '../../harness.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'
import { startTrakt } from '../../upstreams/trakt.ts'

t.setTimeout(900_000)

const [jellyfin, trakt] = await Promise.all([
  startJellyfin({ movies: 16, shows: 1 }),
  startTrakt({ movies: 16, shows: 1, rateLimits: false }),
])
const films = [...new Map(jellyfin.items('Movie').map((item) => [item.name, item])).values()].slice(0, 10)
const playlist = jellyfin.actions.createPlaylist('sam', 'Evening', [])
const list = trakt.user.makeList(
  'Winter',
  [0, 1, 2].map((index) => trakt.movie(index)),
)

const service = await startService({ shipped: true, watch: false })
atEndOfFile(async () => {
  await service[Symbol.asyncDispose]()
  await Promise.all([jellyfin.close(), trakt.close()])
})
await signInToJellyfin(service, jellyfin)
await expectOk(service, '/api/config', { mediaB: { max_retries: 0 } })
await signInToTrakt(service, trakt)
for (const endpoint of [
  { name: 'Evening', provider: 'MEDIAB', playlist_id: `playlist:${playlist.id}` },
  { name: 'Winter', provider: 'TRACKA', playlist_id: `list:${list.id}` },
])
  await expectOk(service, '/api/playlists/endpoints', endpoint)

const path = (id: string) => `/api/editor/playlists/${id}`

async function load(id: string) {
  const { status, body } = await service.json(path(id))
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  const { items, original_keys, original_ids, checkpoint } = body
  return { rows: Object.values<any>(items), names: { original_keys, original_ids, checkpoint } }
}
const save = (id: string, json: object) => service.json(path(id), { json })
const rowOf = (film: (typeof films)[number]) => ({
  type: 'movie',
  title: film.name,
  year: film.year,
  ids: Object.fromEntries(Object.entries(film.providerIds).map(([name, value]) => [name.toLowerCase(), value])),
})
// A film may be in two libraries: either copy counts as the film.
const names = new Map(jellyfin.items('Movie').map(({ id, name }) => [id, name]))
const numberOfItem = (itemId: string) => films.findIndex(({ name }) => name === names.get(itemId))
const held = () => (playlist.entries ?? []).map(({ itemId }) => numberOfItem(itemId))
const hold = (numbers: readonly number[]) => {
  playlist.entries = numbers.map((number) => entryOf(number))
  playlist.savedAtMs = Date.now()
}
let made = 0
const entryOf = (number: number) => ({ entryId: String(++made).padStart(32, '0'), itemId: films[number]!.id })

t.test('property 22: a playlist sent back as loaded is not changed', async (t) => {
  hold([3, 1, 2, 7])
  const before = JSON.stringify(playlist.entries)
  const { rows, names } = await load('EP-01')
  t.equal(rows.length, 4)
  const writes = jellyfin.requests.length
  const { status, body } = await save('EP-01', { items: rows, ...names })
  t.match([status, body], [200, { ok: true, planned_additions: 0, planned_removals: 0, planned_moves: 0 }])
  t.equal(JSON.stringify(playlist.entries), before)
  t.ok(jellyfin.requests.slice(writes).every(({ method }) => method === 'GET'))
})

t.test('rows are added, removed and moved at the server', async (t) => {
  hold([0, 1, 2, 3])
  const { rows, names } = await load('EP-01')
  const items = [rows[3], rowOf(films[8]!), rows[1], rows[0]]
  const { status, body } = await save('EP-01', { items, ...names })
  t.match([status, body], [200, { ok: true, added: 1, removed: 1, unresolved: [] }], JSON.stringify(body))
  t.same(held(), [3, 8, 1, 0])
})

type Edit = { readonly op: 'add' | 'remove' | 'move'; readonly film: number; readonly place: number }
const edits = fc.array(
  fc.record<Edit>({
    op: fc.constantFrom('add' as const, 'remove' as const, 'move' as const),
    film: fc.nat(9),
    place: fc.nat(9),
  }),
  { maxLength: 4 },
)

/** An edit of a list by a person, on a page or on a phone. */
function edited<Row>(
  rows: readonly Row[],
  list: readonly Edit[],
  numberOf: (row: Row) => number,
  make: (film: number) => Row,
) {
  const next = [...rows]
  for (const { op, film, place } of list) {
    if (op === 'add') {
      if (!next.some((row) => numberOf(row) === film)) next.splice(Math.min(place, next.length), 0, make(film))
    } else if (next.length > 0) {
      const [row] = next.splice(place % next.length, 1)
      if (op === 'move') next.splice(film % (next.length + 1), 0, row!)
    }
  }
  return next
}

t.test(
  'property 23: two browsers and a phone change one playlist at the same time, and a server fails on the way',
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(9), { maxLength: 6 }),
        edits,
        edits,
        edits,
        fc.constantFrom(undefined, 'status' as const, 'truncate' as const, 'empty' as const),
        async (start, one, phone, two, fault) => {
          hold(start)
          const [a, b] = [await load('EP-01'), await load('EP-01')]
          const titles = films.map(({ name }) => name)
          const numberOf = (row: { title: string }) => titles.indexOf(row.title)
          const make = (film: number): any => rowOf(films[film]!)
          const mine = edited<any>(a.rows, one, numberOf, make)
          const theirs = edited<any>(b.rows, two, numberOf, make)
          const before = new Set(playlist.entries!.map(({ entryId }) => entryId))
          playlist.entries = edited(playlist.entries!, phone, ({ itemId }) => numberOfItem(itemId), entryOf)
          const byPhone = playlist.entries.filter(({ entryId }) => !before.has(entryId))
          const clear = { confirm_clear: true, confirm_removals: true }
          if (fault !== undefined) {
            const there = JSON.stringify(playlist.entries)
            jellyfin.faults.add({ kind: fault, match: /Playlists\/.*\/Items/, times: 5 })
            const { status, body } = await save('EP-01', { items: mine, ...a.names, ...clear, force: true })
            jellyfin.faults.clear()
            if (status < 400 || typeof body.error !== 'string') throw new Error(`${status} ${JSON.stringify(body)}`)
            if (JSON.stringify(playlist.entries) !== there) throw new Error('a failed save changed the list')
          }
          for (const [rows, { names }] of [
            [mine, a],
            [theirs, b],
          ] as const) {
            const answer = await save('EP-01', { items: rows, ...names, ...clear, force: true })
            if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
          }
          const now = new Set(playlist.entries.map(({ entryId }) => entryId))
          for (const { entryId, itemId } of byPhone)
            if (!now.has(entryId)) throw new Error(`the phone's film ${numberOfItem(itemId)} is gone`)
          const phoneHas = new Set([...byPhone.map(({ itemId }) => numberOfItem(itemId))])
          const kept = (rows: readonly any[]) => new Set(rows.map(numberOf))
          for (let film = 0; film < 10; film += 1) {
            if (phoneHas.has(film)) continue
            const [inA, inB] = [kept(mine).has(film), kept(theirs).has(film)]
            const isThere = held().includes(film)
            if (!start.includes(film) && isThere !== (inA || inB)) throw new Error(`film ${film}, new: ${isThere}`)
            // A row that one person added again may restore an item that another removed.
            const isNew = [...mine, ...theirs].some((row) => numberOf(row) === film && row['key'] === undefined)
            const isOnPhone = !phone.some(({ op }) => op === 'remove') || isThere
            if (start.includes(film) && !isNew && isThere && !(inA && inB)) throw new Error(`film ${film} was removed`)
            if (start.includes(film) && inA && inB && isOnPhone && !isThere && !phone.some(({ op }) => op === 'remove'))
              throw new Error(`film ${film} is missing`)
          }
          if (new Set(held()).size !== held().length) throw new Error('a film is there twice')
        },
      ),
      { numRuns: runsOf(20) },
    ),
)

t.test(
  'a list of Trakt that changed in between is not saved until the person confirms, and then nothing is lost',
  async (t) => {
    const { rows, names } = await load('EP-02')
    t.equal(rows.length, 3)
    const keys = () => list.rows.map(({ entry }) => entry.key)
    const [, second] = keys()
    trakt.user.removeFromList(list, trakt.movie(0))
    list.rows.push({ ...list.rows[0]!, id: 987_654, entry: trakt.movie(9) })
    const items = [rows[0], rows[2]]
    const refused = await save('EP-02', { items, ...names })
    t.match([refused.status, refused.body], [409, { error: 'changed_since_load', added_count: 1, removed_count: 1 }])
    const { status, body } = await save('EP-02', { items, ...names, force: true })
    t.match([status, body], [200, { ok: true, added: 0, removed: 1 }], JSON.stringify(body))
    t.same(keys(), [trakt.movie(2).key, trakt.movie(9).key])
    t.notOk(keys().includes(second!))
  },
)

t.test('a missing list, or an unreachable service', async (t) => {
  jellyfin.faults.add({ kind: 'status', status: 500, match: /Playlists/ })
  const failed = await service.json(path('EP-01'))
  t.match([failed.status, typeof failed.body.error], [502, 'string'])
  t.notMatch(JSON.stringify(failed.body), jellyfin.url)
  jellyfin.faults.clear()
  jellyfin.actions.removeItem(playlist.id)
  const gone = await service.json(path('EP-01'))
  t.match([gone.status, gone.body.ok], [404, false])
  t.equal((await save('EP-01', { items: [], confirm_clear: true })).status, 404)
})
