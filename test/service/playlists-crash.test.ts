// slow: the service as a process, killed and started again
// kill -9 during runs of a mapping: finally the target has each item once and in order, the added items still belong to the
// mapping, and nothing else is changed.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { type Client, expectOk, signInToEmby, signInToJellyfin } from '../demo/sign-in.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { cookieOf, spawnService } from './process.ts'

/** Number of writes that the target received before the kill. */
const KILL_AT_WRITE = [1, 2, 9, 4, 25]
const SIZE = 60
const ACCOUNT = { username: 'ada', password: 'correct horse battery' }

t.setTimeout(900_000)

t.test('a mapping with killed runs has the same result as without kills', async (t) => {
  await using jellyfin = await startJellyfin({ movies: 150, shows: 1, latencyMs: 12 })
  await using emby = await startEmby({ movies: 150, shows: 1, latencyMs: 3 })
  const titlesAt = (server: typeof jellyfin | typeof emby) =>
    new Map(
      server
        .items('Movie')
        .filter(({ providerIds }) => Object.values(providerIds).some((id) => id !== ''))
        .map((item) => [item.id, item.name]),
    )
  const [here, there] = [titlesAt(emby), titlesAt(jellyfin)]
  const isThere = new Set(there.values())
  const titles = [...new Set(here.values())].filter((title) => isThere.has(title))
  const idsAt = (ids: ReadonlyMap<string, string>, list: readonly string[]) =>
    list.map((title) => [...ids].find(([, name]) => name === title)![0])
  const own = titles.slice(SIZE, SIZE + 3)
  const source = emby.actions.createPlaylist('sam', 'Evening', idsAt(here, titles.slice(0, SIZE)))
  const target = jellyfin.actions.createPlaylist('sam', 'Evening', idsAt(there, own))
  const held = () => target.entries!.map(({ itemId }) => there.get(itemId)!)
  const wanted = () => source.entries!.map(({ itemId }) => here.get(itemId)!)

  const data = join(t.testdir(), 'data')
  let service = await spawnService(data)
  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  let client = await signedIn(service)
  await signInToJellyfin(client, jellyfin)
  await signInToEmby(client, emby)
  const ends = []
  for (const [provider, id] of [
    ['MEDIAC', source.id],
    ['MEDIAB', target.id],
  ])
    ends.push(
      (await expectOk(client, '/api/playlists/endpoints', { name: provider, provider, playlist_id: `playlist:${id}` }))
        .endpoint.id,
    )
  const [from, to] = ends
  const mapping = { name: 'Evening', source_endpoint: from, target_endpoints: [to], order: 'preserve' }
  const { id } = (await expectOk(client, '/api/playlists/mappings', mapping)).mapping
  const path = `/api/playlists/mappings/${id}`
  const run = async (): Promise<any> => {
    for (;;) {
      const { status, body } = await client.json(`${path}/run`, { json: {} })
      if (status === 200) return body.result
      // An interrupted run is completed first.
      if (status !== 202 && status !== 409) throw new Error(`${status} ${JSON.stringify(body)}`)
      await sleep(100)
    }
  }

  let cut = 0
  for (let round = 0; round < KILL_AT_WRITE.length; round += 1) {
    // The person continues editing: each round has items to move, add and remove.
    const arrived = round > 1 ? 3 : 0
    if (round > 1) await run()
    source.entries = [
      ...source.entries!.slice(arrived).toReversed(),
      ...idsAt(here, titles.slice(SIZE + 4 + round * 5, SIZE + 9 + round * 5)).map((itemId) => ({
        entryId: randomUUID(),
        itemId,
      })),
    ]
    source.savedAtMs = Date.now()
    const start = jellyfin.requests.length
    const writes = () => jellyfin.requests.slice(start).filter(({ method }) => method !== 'GET').length
    let isOver = false
    const request = client.json(`${path}/run`, { json: {} }).catch(() => undefined)
    void request.then(() => (isOver = true))
    while (!isOver && writes() < KILL_AT_WRITE[round]!) await sleep(2)
    if (!isOver) cut += 1
    await service.kill('SIGKILL')
    await request
    service = await spawnService(data)
    client = await signedIn(service)
  }
  t.ok(cut > 2, `${cut} runs were cut off in the middle`)
  // A possible write waits for a read before it counts as refused, so a few runs suffice.
  let result = await run()
  for (let more = 0; more < 4 && !isDone(result); more += 1) result = await run()
  t.ok(isDone(result), JSON.stringify(result).slice(0, 800))
  const now = wanted()
  t.same(
    held().filter((title) => now.includes(title)),
    now,
    'each item once, in the order of the source',
  )
  t.same(
    held().filter((title) => own.includes(title)),
    own,
    'what the person had there is as it was',
  )
  const left = held().filter((title) => !now.includes(title) && !own.includes(title))
  t.same(left, [], 'what the mapping added and the source lost is gone')
  await service.kill('SIGKILL')
})

const isDone = ({ ok, planned_additions: adds, planned_removals: removes, reorder_count: moves }: any) =>
  ok === true && adds + removes + moves === 0

async function signedIn(service: Awaited<ReturnType<typeof spawnService>>): Promise<Client> {
  const cookie = cookieOf(await service.post('/api/app-auth/login', ACCOUNT))
  return {
    async json(path, { json, method } = {}) {
      const answer = await fetch(service.url + path, {
        method: method ?? (json === undefined ? 'GET' : 'POST'),
        headers: { cookie, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      })
      return { status: answer.status, body: await answer.json() }
    },
  }
}
