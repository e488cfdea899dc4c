// slow: the whole service, or very many cases
// Mappings in the running service between stand-ins of Jellyfin, Plex and Trakt: smart lists, lists that cannot be empty,
// account limits, undo, and cleared caches.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { expectOk, runToEnd, signInToJellyfin, signInToPlex, signInToTrakt } from '../../demo/sign-in.ts'
import { PASSWORD, startService, until, USERNAME } from '../../harness.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'
import { startPlex } from '../../upstreams/plex.ts'
import { startTrakt } from '../../upstreams/trakt.ts'

t.setTimeout(900_000)

const [jellyfin, plex, trakt] = await Promise.all([
  startJellyfin({ movies: 60, shows: 1 }),
  startPlex({ movies: 60, shows: 1 }),
  startTrakt({ movies: 60, shows: 1, rateLimits: false }),
])
const directory = await mkdtemp(join(tmpdir(), 'playhead-test-playlists-'))
let service = await startService({ shipped: true, watch: false, directory })
atEndOfFile(async () => {
  await service[Symbol.asyncDispose]()
  await Promise.all([jellyfin.close(), plex.close(), trakt.close()])
  await rm(directory, { recursive: true, force: true, maxRetries: 10 })
})
await signInToJellyfin(service, jellyfin)
await signInToPlex(service, plex)
await signInToTrakt(service, trakt)

const known = new Set([...plex.state.items.values()].filter(({ type }) => type === 'movie').map(({ title }) => title))
const films = [...new Map(jellyfin.items('Movie').map((film) => [film.name, film])).values()].filter(
  ({ name, providerIds }) => known.has(name) && Object.keys(providerIds).some((id) => id.toLowerCase() === 'tmdb'),
)
const titleOf = new Map(films.map(({ id, name }) => [id, name]))
const idsOf = (from: number, to: number) => films.slice(from, to).map(({ id }) => id)
const evening = jellyfin.actions.createPlaylist('sam', 'Evening', idsOf(0, 6))
const titles = () => evening.entries!.map(({ itemId }) => titleOf.get(itemId)!)
const traktList = (name: string) =>
  trakt.user.account.lists
    .find((list) => list.name === name)!
    .rows.map(({ entry }) => (entry.type === 'movie' ? entry.movie.title : entry.key))

const endpoint = async (fields: object): Promise<string> =>
  (await expectOk(service, '/api/playlists/endpoints', fields)).endpoint.id
const mapping = async (fields: object): Promise<{ id: string; pair: string }> => {
  const { mapping: made, pair_id: pair } = await expectOk(service, '/api/playlists/mappings', fields)
  return { id: made.id, pair }
}
const run = async (id: string, options: object = {}) => {
  const { status, body } = await service.json(`/api/playlists/mappings/${id}/run`, { json: options })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.result
}
const preview = async (id: string) => (await expectOk(service, `/api/playlists/mappings/${id}/preview`)).preview
const source = await endpoint({ name: 'Evening', provider: 'MEDIAB', playlist_id: `playlist:${evening.id}` })

t.test('a playlist of Jellyfin becomes one of Plex, which starts with its first film', async (t) => {
  const target = await endpoint({ name: 'At Plex', provider: 'MEDIAA', create: true, create_name: 'Evening' })
  t.equal(plex.state.playlists.size, 0)
  const { id } = await mapping({
    ...{ name: 'To Plex', source_endpoint: source, target_endpoints: [target], order: 'preserve' },
  })
  t.match(await run(id), { ok: true, added: 6, unresolved_count: 0 })
  const [made] = [...plex.state.playlists.values()]
  const shown = () => made!.entries.map(({ ratingKey }) => plex.state.items.get(ratingKey)!.title)
  t.same(shown(), titles())
  evening.entries = evening.entries!.toReversed().slice(1)
  t.match(await run(id), { ok: true, removed: 1 })
  t.same(shown(), titles())
  t.match(await run(id), { planned_additions: 0, planned_removals: 0, reorder_count: 0 })
})

t.test('a smart playlist of Plex is read, and never written', async (t) => {
  const owner = plex.state.accounts.find(({ role }) => role === 'owner')!
  const items = [...plex.state.items.values()].filter(({ title }) => titles().slice(0, 3).includes(title))
  const facts = { title: 'Unwatched', summary: '', smart: true, addedAtMs: Date.now(), updatedAtMs: Date.now() }
  const entries = items.map(({ ratingKey }, index) => ({ id: 99_000 + index, ratingKey }))
  plex.state.playlists.set('99000', { ratingKey: '99000', accountId: owner.id, ...facts, entries })
  const { resources } = (await service.json('/api/playlists/resources?provider=MEDIAA')).body
  const smart = resources.find(({ name }: { name: string }) => name === 'Unwatched')
  t.match(smart, { kind: 'smart', smart: true, writable: false, can_read: true })
  const from = await endpoint({ name: 'Smart', provider: 'MEDIAA', playlist_id: smart.id })
  const refused = await service.json('/api/playlists/mappings', {
    json: { name: 'No', source_endpoint: source, target_endpoints: [from] },
  })
  t.match([refused.status, refused.body.error], [400, 'target_smart'])
  const to = await endpoint({ name: 'From smart', provider: 'TRACKA', create: true })
  const { id } = await mapping({ name: 'Smart', source_endpoint: from, target_endpoints: [to] })
  t.match(await run(id), { ok: true, added: entries.length })
  t.equal(traktList('From smart').length, entries.length)
})

t.test(
  'two lists of a Trakt account contain one playlist, and an account that fills up midway loses nothing',
  async (t) => {
    const rules = await expectOk(service, '/api/playlists/rulesets/tracka_free_account/clone', {
      ...{ name: 'Five each', per_endpoint_capacity: 5, aggregate_capacity: 10, membership: 'managed_only' },
    })
    const large = jellyfin.actions.createPlaylist('sam', 'Large', idsOf(10, 17))
    const from = await endpoint({ name: 'Large', provider: 'MEDIAB', playlist_id: `playlist:${large.id}` })
    const first = await endpoint({ name: 'Part 1', provider: 'TRACKA', create: true })
    const second = await endpoint({ name: 'Part 2', provider: 'TRACKA', create: true })
    const fields = { source_endpoint: from, target_endpoints: [first, second], ruleset_id: rules.ruleset.id }
    const { id } = await mapping({ name: 'Parts', ...fields })
    t.match(await run(id), { ok: true, added: 7, per_target: [{ planned_additions: 5 }, { planned_additions: 2 }] })
    t.same([traktList('Part 1').length, traktList('Part 2').length], [5, 2])

    trakt.user.changePlan({ listItems: 4 })
    large.entries = [
      ...large.entries!,
      ...idsOf(17, 20).map((itemId) => ({ entryId: `${itemId}x`.slice(-32), itemId })),
    ]
    large.savedAtMs = Date.now()
    const full = await run(id)
    t.match(full, { ok: false, partial: true })
    t.ok(full.unresolved_count > 0, JSON.stringify(full.unresolved))
    t.equal(large.entries.length, 10, 'both ways, and the source is as it was')
    t.equal(traktList('Part 1').length, 5)
    t.match(await preview(id), { planned_removals: 0 })
    trakt.user.changePlan('free')
    large.entries = [...large.entries, ...idsOf(30, 32).map((itemId) => ({ entryId: `${itemId}y`.slice(-32), itemId }))]
    t.match(await run(id), { ok: false, error: 'capacity_exceeded' })
  },
)

t.test('property 21: cleared caches change no plan, and a run of a pair is undone', async (t) => {
  const to = await endpoint({ name: 'At Trakt', provider: 'TRACKA', create: true })
  const { id, pair } = await mapping({ name: 'Trakt', source_endpoint: source, target_endpoints: [to] })
  const summary = await runToEnd(service, { pair_id: pair })
  t.match(summary.pairs[0].features, [{ feature: 'playlists', status: 'ok', added: titles().length }])
  t.same(traktList('At Trakt'), titles())
  evening.entries = evening.entries!.slice(2)
  evening.savedAtMs = Date.now()
  const { managed_count: managed, removals, initial } = await preview(id)
  t.match([managed, removals.length, initial], [titles().length + 2, 2, false])

  for (const action of ['clear-cache', 'clear-metadata-cache']) {
    const cleared = await service.json(`/api/maintenance/${action}`, { json: { confirm: true } })
    t.match([cleared.status, cleared.body], [200, { ok: true }], JSON.stringify(cleared.body))
  }
  const between = await preview(id)
  t.same([between.managed_count, between.removals, between.initial], [managed, removals, initial])
  await service[Symbol.asyncDispose]()
  await rm(join(directory, 'data', 'cache'), { recursive: true, force: true })
  service = await startService({ shipped: true, watch: false, directory, withoutAccount: true })
  const answer = await service.call('/api/app-auth/login', { json: { username: USERNAME, password: PASSWORD } })
  service.setCookie((answer.headers.get('set-cookie') ?? '').split(';')[0] as string)
  const after = await preview(id)
  t.same([after.managed_count, after.removals, after.initial], [managed, removals, initial])

  const undone = await service.json(`/api/run/${summary.run_id}/undo`, { json: { dry_run: false } })
  t.equal(undone.status, 200, JSON.stringify(undone.body))
  await until('the undo', () => traktList('At Trakt').length === 0)
  t.same(traktList('At Trakt'), [])
})
