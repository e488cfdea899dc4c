// slow: the whole service, or very many cases
// Runs of mappings in the service, with the real sync between it and the accounts.
import t from 'tap'
import { RUNNING_OPERATIONS } from '@playhead/sdk'
import { until } from '../../harness.ts'
import { worksOf } from './account.ts'
import { openWorld, type World } from './world.ts'

/** A mapping from ANN to BEN. */
async function build(world: World, source: readonly number[], target: readonly number[], fields: object = {}) {
  const [ann, ben] = [world.account('ANN'), world.account('BEN')]
  const [mine, theirs] = [ann.make(source), ben.make(target)]
  const [from, to] = [await world.endpoint(ann, mine), await world.endpoint(ben, theirs)]
  const id = await world.mapping({ source_endpoint: from, target_endpoints: [to], ...fields })
  return { ann, ben, source: mine, target: theirs, from, to, id }
}

t.test('a mapping syncs a list to another account, and nothing the second time', async (t) => {
  await using world = await openWorld()
  world.account('BEN').naming = 'imdb'
  const { ben, source, target, id } = await build(world, [1, 2, 3], [3, 9])
  const preview = await world.preview(id)
  t.match(preview, { planned_additions: 2, planned_removals: 0, source_count: 3, target_count: 2, blocked: false })
  t.same(ben.writes, [])
  const result = await world.run(id)
  t.match(result, { ok: true, added: 2, removed: 0, unresolved_count: 0, partial: false })
  t.same(worksOf(target), [3, 9, 1, 2])
  t.match(await world.run(id), { ok: true, planned_additions: 0, added: 0 })

  source.entries = source.entries.filter(({ work }) => work !== 1 && work !== 3)
  t.match(await world.run(id), { ok: true, removed: 1 })
  t.same(worksOf(target).toSorted(), [2, 3, 9], 'what was there before stays')
})

t.test('a run has a result, an activity, an event, and an archive row for each item', async (t) => {
  await using world = await openWorld()
  const { ben, source, target, id } = await build(world, [1, 2, 3], [])
  ben.lacks.add(2)
  const first = await world.run(id)
  t.match(first, {
    ...{ ok: false, partial: true, added: 2, unresolved_count: 1 },
    unresolved: [{ op: 'add', title: 'Film 2', reason: 'not_in_library' }],
  })
  t.match((await world.get(`mappings/${id}/result`)).body, { ok: true, result: first })
  const { activity } = (await world.get('activity')).body
  t.match(activity[0], { type: 'Run', status: 'partial', mapping_id: id, added: 2, removed: 0 })
  const ofMapping = async (mapping: string) => (await world.get(`activity?mapping_id=${mapping}`)).body.activity
  t.match(await ofMapping(id), [{ mapping_id: id, status: 'partial', added: 2, removed: 0, moved: 0, unresolved: 1 }])
  t.same(await ofMapping('other'), [], 'of one mapping its own syncs alone')
  const rows = world.recorded.filter(({ type }) => String(type).startsWith('playlist_'))
  t.same(
    rows.map(({ type, item }: any) => `${type} ${item.title}`),
    ['playlist_add Film 1', 'playlist_add Film 3'],
    'confirmed items alone',
  )
  t.match(rows[0], {
    ...{ domain: 'sync', feature: 'playlists', operation: 'add', pair_key: id, direction: 'a_to_b' },
    ...{ source: { provider: 'ANN' }, destination: { provider: 'BEN', instance: 'default' } },
    ...{ item: { media_type: 'movie', year: 2000 }, detail: { target_playlist: target.list.title, mapping: id } },
  })
  await world.host.events.settled()
  t.match(world.host.events.recent({ name: 'playlist.done' }), [
    { data: { mapping_id: id, added: 2, removed: 0, unresolved: 1 } },
  ])
  await world.dryRun(id)
  t.match(world.host.events.recent({ name: 'playlist.dry_run' }), [{ data: { mapping_id: id } }])
  t.equal((await world.get('activity')).body.activity.length, activity.length, 'a dry run is no activity')

  source.entries = []
  t.match(await world.run(id), {
    ok: false,
    blocked_removals: 2,
    blocked_items: [{ media_type: 'movie' }, { media_type: 'movie' }],
    warnings: ['mass_delete_blocked', 'source_emptied'],
  })
  t.match(world.host.events.recent({ name: 'playlist.mass_delete_blocked' }), [{ data: { attempted: 2 } }])
  t.match(await world.run(id, { confirm_mass_delete: true }), { ok: true, removed: 2 })
  t.match(world.recorded.at(-1), { type: 'playlist_remove', operation: 'remove', direction: 'a_to_b' })

  const { summary, results, endpoints, mappings } = (await world.get('overview')).body
  t.match(summary, { total_mappings: 1, enabled_mappings: 1, endpoints: 2, unresolved: 0, warnings: [] })
  t.equal(endpoints.length + mappings.length, 3)
  t.match(results[id], { ok: true, removed: 2 })
  const lines = world.host.logs.map(({ text }) => text)
  t.ok(lines.includes('a mapping of playlists ran, and something is left'))
})

t.test('two-way, the archive records the additions to the source', async (t) => {
  await using world = await openWorld()
  const ruleset = (await world.post('rulesets', { name: 'Both' })).body.ruleset.id
  const { source, target, ben, id } = await build(world, [1], [], { ruleset_id: ruleset })
  await world.run(id)
  target.entries = [...target.entries, ben.entry(5)]
  t.match(await world.run(id), { ok: true, added: 1, source_additions: 1 })
  t.same(worksOf(source), [1, 5])
  t.match(world.recorded.at(-1), {
    ...{ type: 'playlist_add', direction: 'b_to_a' },
    ...{ source: { provider: 'BEN' }, destination: { provider: 'ANN' } },
  })
})

t.test('a failing run states why, with 200 if the lists refuse and an error if they cannot be read', async (t) => {
  await using world = await openWorld()
  const ruleset = (await world.post('rulesets', { name: 'Small', per_endpoint_capacity: 2 })).body.ruleset.id
  const { ann, ben, to, from, id } = await build(world, [1, 2, 3], [], { ruleset_id: ruleset })
  const full = await world.post(`mappings/${id}/run`)
  t.match(full, {
    status: 200,
    body: {
      ok: true,
      result: { ok: false, error: 'capacity_exceeded', capacity_error: 'capacity_exceeded', added: 0 },
    },
  })
  t.match(full.body.result, { overflow_count: 1, total_capacity: 2, planned_additions: 0 })
  t.match(world.host.events.recent({ name: 'playlist.capacity' }), [{ data: { mapping_id: id, overflow: 1 } }])
  ben.readFault = 'times_out'
  t.match(await world.post(`mappings/${id}/run`), { status: 504, body: { ok: false, error: 'provider_timeout' } })
  t.match((await world.get(`mappings/${id}/result`)).body.result, { ok: false, error: 'provider_timeout', added: 0 })
  t.match((await world.get('activity')).body.activity[0], { type: 'Run', status: 'error', details: 'provider_timeout' })
  ben.readFault = undefined
  ann.readFault = 'partial'
  const partial = await world.post(`mappings/${id}/preview`)
  t.match(partial, { status: 502, body: { error: 'incomplete_read', endpoint_id: from, provider: 'ANN' } })
  ann.readFault = undefined
  ben.writeFault = 'throws'
  const other = await world.mapping({ source_endpoint: to, target_endpoints: [from] })
  t.equal((await world.post(`mappings/${other}/run`)).status, 200)
  for (const path of ['run', 'preview'])
    t.match(await world.post(`mappings/MAP-99/${path}`), { status: 404, body: { error: 'mapping_not_found' } })
  t.match(await world.get('mappings/MAP-99/result'), { status: 404 })
  t.equal((await world.post(`mappings/${id}/run?dry_run=perhaps`)).status, 422)
})

t.test('removals that lose a rating wait for a confirmation', async (t) => {
  await using world = await openWorld()
  const [ann, ben] = [world.account('ANN'), world.account('BEN')]
  const source = ann.make([1, 2])
  const target = ben.make([], { kind: 'status' })
  const [from, to] = [await world.endpoint(ann, source), await world.endpoint(ben, target)]
  const id = await world.mapping({ source_endpoint: from, target_endpoints: [to] })
  await world.run(id)
  source.entries = source.entries.slice(1)
  const held = await world.run(id)
  t.match(held, { ok: false, partial: true, removed: 0, blocked_removals: 1, losses: ['status', 'ratings'] })
  t.match(held.warnings, ['confirmation_required'])
  t.same(worksOf(target), [1, 2])
  t.match(await world.run(id, { confirm_destructive: true }), { ok: true, removed: 1 })
  t.same(worksOf(target), [2])
})

t.test('a list that cannot be empty is created with the first item that the service has', async (t) => {
  await using world = await openWorld()
  const [ann, ben] = [world.account('ANN'), world.account('BEN')]
  ben.needsFirst = true
  ben.lacks.add(1)
  const from = await world.endpoint(ann, ann.make([1, 2, 3]))
  const { endpoint } = (await world.post('endpoints', { name: 'New', provider: 'BEN', create: true })).body
  t.match(endpoint, { playlist_id: '', warnings: ['pending_create'], item_count: 0 })
  const id = await world.mapping({ source_endpoint: from, target_endpoints: [endpoint.id], order: 'preserve' })
  t.match(await world.preview(id), { planned_additions: 3 })
  t.equal(ben.lists_.length, 0)
  t.match(await world.run(id), { added: 2, unresolved: [{ title: 'Film 1' }] })
  t.equal(ben.lists_.length, 1)
  t.same(worksOf(ben.lists_[0]!), [2, 3])
  t.same(
    world.recorded.filter(({ type }) => type === 'playlist_add').map(({ item }: any) => item.title),
    ['Film 2', 'Film 3'],
    'the first item is on record as well',
  )
  t.match((await world.get('endpoints')).body.endpoints[1], { playlist_id: 'playlist:1', warnings: [] })
  t.match(await world.run(id), { planned_additions: 0, planned_removals: 0, initial: false })
  ann.lists_[0]!.entries = ann.lists_[0]!.entries.slice(0, 2)
  t.match(await world.run(id), { removed: 1 }, 'what it was created with and filled with is managed')
  t.same(worksOf(ben.lists_[0]!), [2])
})

t.test('a mapping runs once at a time, and others wait their turn', async (t) => {
  await using world = await openWorld()
  const { ben, id } = await build(world, [1, 2], [])
  const other = await build(world, [3], [])
  const gate = Promise.withResolvers<void>()
  ben.beforeWrite = () => gate.promise
  const running = world.post(`mappings/${id}/run`)
  await until('a write', () => ben.calls.includes('add'))
  t.match(await world.post(`mappings/${id}/run`), { status: 409, body: { error: 'busy', holder: 'sync' } })
  t.match(await world.delete(`mappings/${id}`), { status: 409, body: { error: 'busy' } })
  t.match(await world.get('mappings'), { body: { mappings: [{ id, running: true }, { id: other.id }] } })
  t.match((await world.host.callHook(RUNNING_OPERATIONS, undefined as never)).flat(), [{ kind: 'playlists', id }])
  t.match(await world.preview(id), { planned_additions: 2 }, 'a preview waits for nothing')
  const waiting = world.post(`mappings/${other.id}/run`)
  const answer = await running
  t.match(answer, { status: 202, body: { ok: true, accepted: true } })
  t.equal(answer.body.job_id, answer.body.progress_id)
  gate.resolve()
  await waiting
  const resultOf = async (one: string) => (await world.get(`mappings/${one}/result`)).body.result
  await until('the second run', () => resultOf(other.id))
  t.match(await resultOf(id), { job_id: answer.body.job_id, ok: true, added: 2 })
  t.match(await resultOf(other.id), { ok: true, added: 1 })
})

const pairIdOf = async (world: World, id: string) => {
  const { mappings } = (await world.get('mappings')).body
  return mappings.find((one: { id: string }) => one.id === id).assigned_pair as string
}

t.test(
  'mappings run with their pairs: only enabled ones, despite failures of others, and a dry run is a preview',
  async (t) => {
    await using world = await openWorld()
    const { source, target, id } = await build(world, [1, 2], [])
    const failing = await build(world, [3], [])
    const off = await build(world, [4], [], { enabled: false })
    failing.target.list = { ...failing.target.list, id: 'gone' }
    const run = async (request: object) => {
      const { run_id: runId } = (await world.sync().start(request as never)) as { run_id: string }
      const summary: any = await world.sync().finished(runId)
      return { runId, summary, pairs: new Map<string, any>(summary.pairs.map((pair: any) => [pair.pair_id, pair])) }
    }
    const [pair, broken] = [await pairIdOf(world, id), await pairIdOf(world, failing.id)]
    const dry = await run({ dry_run: true })
    t.match(dry.pairs.get(pair).features, [{ feature: 'playlists', planned: 2, added: 0 }])
    t.same(worksOf(target), [])
    const { pairs, summary } = await run({})
    t.match(pairs.get(pair), { features: [{ feature: 'playlists', status: 'ok', added: 2, removed: 0, errors: 0 }] })
    t.match(pairs.get(broken), { features: [{ status: 'failed', reason: 'target_not_found', errors: 1 }] })
    t.equal(pairs.size, 2, 'the disabled one is left out')
    t.equal(summary.result, 'partial')
    t.same([worksOf(target), worksOf(off.target)], [[1, 2], []])
    await world.host.events.settled()
    t.match(world.host.events.recent({ name: 'playlist.pair' }).at(-1)?.data, { mappings: 1 })
    t.match(
      world.recorded.find(({ type }) => type === 'playlist_add'),
      { run_id: String },
    )
    t.match((await world.get(`mappings/${id}/result`)).body.result, { run_id: String, added: 2 })
    t.match(await world.run(off.id), { ok: true, added: 1 }, 'a person may run a disabled one')

    // A user's pair that names a mapping.
    const named = await world.engine!.inject({
      method: 'POST',
      url: '/api/pairs',
      payload: {
        ...{ source: 'ANN', target: 'BEN', mode: 'one_way', enabled: true },
        features: { playlists: { enabled: true, mappings: [id] } },
      },
    })
    const own = named.json().id
    t.equal(named.statusCode, 200, named.body)
    t.match((await world.get(`pairs/${own}/mappings`)).body.mappings, [{ id, selected: true }])
    source.entries = source.entries.slice(1)
    const { pairs: again } = await run({ pair_id: own })
    t.match(again.get(own), { features: [{ feature: 'playlists', removed: 1 }] })
  },
)

t.test('a cancelled run stops after the current batch, and its writes are known', async (t) => {
  await using world = await openWorld()
  const { ben, target, id } = await build(world, [...Array(40).keys()], [])
  const pair = await pairIdOf(world, id)
  ben.beforeWrite = async () => {
    if (ben.calls.filter((call) => call === 'add').length === 3) await world.sync().cancel()
  }
  const { run_id: runId } = (await world.sync().start({ pair_id: pair })) as { run_id: string }
  const summary: any = await world.sync().finished(runId)
  t.equal(summary.result, 'cancelled')
  const written = target.entries.length
  t.ok(written >= 8 && written < 40, String(written))
  const { result } = (await world.get(`mappings/${id}/result`)).body
  t.match(result, { ok: false, error: 'cancelled', added: written, planned_additions: 40 })
  t.equal(world.recorded.filter(({ type }) => type === 'playlist_add').length, written)
  ben.beforeWrite = undefined
  t.match(await world.run(id), { ok: true, added: 40 - written })
  t.match(await world.preview(id), { managed_count: 40 }, 'the mapping knows all of them as its own')
  t.equal(new Set(worksOf(target)).size, target.entries.length)
})

t.test('without the sync everything can be set up, and a run names the missing part', async (t) => {
  await using world = await openWorld({ alone: true })
  t.match(await world.post('endpoints', { name: 'A', provider: 'ANN', playlist_id: '1' }), {
    status: 503,
    body: { ok: false },
  })
  t.match(await world.get('overview'), { status: 200, body: { mappings: [], endpoints: [] } })
})
