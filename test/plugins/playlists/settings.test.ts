// Endpoints, rulesets and mappings: saving, refusals with reasons, and that a refusal changes nothing.
import fc from '../../fast-check.ts'
import t from 'tap'
import { FakeAccount } from './account.ts'
import {
  cloneRuleset,
  saveEndpoint,
  saveMapping,
  saveRuleset,
} from '../../../plugins/services/playlists/config/changes.ts'
import { MAX_NAME, nameProblem, toName, uniqueName } from '../../../plugins/services/playlists/config/names.ts'
import { BUILT_IN, checkRuleset, normalizeRuleset } from '../../../plugins/services/playlists/config/rulesets.ts'
import { readStored } from '../../../plugins/services/playlists/settings.ts'
import { openWorld, type World } from './world.ts'

const refused = (status: number, error: string, more: object = {}) => ({ status, body: { ok: false, error, ...more } })

/** The stored data, as the API returns it. */
async function stored(world: World) {
  const [endpoints, rulesets, mappings] = await Promise.all(['endpoints', 'rulesets', 'mappings'].map(world.get))
  return { endpoints: endpoints!.body.endpoints, rulesets: rulesets!.body.rulesets, mappings: mappings!.body.mappings }
}

t.test('names have letters of any script, 64 at most, and errors state what is wrong', async (t) => {
  await using world = await openWorld()
  const ann = world.account('ANN')
  const list = ann.make([1])
  for (const [name, code] of [
    ['', 'name_required'],
    ['   ', 'name_required'],
    ['x'.repeat(65), 'name_too_long'],
    ['-films', 'name_bad_start'],
    ['films/series', 'name_bad_chars'],
    ['films\n', 'ok'],
    ['Фильмы & сериалы (2026)', 'ok'],
    ['x'.repeat(64), 'ok'],
  ] as const) {
    const answer = await world.post('endpoints', { name, provider: 'ANN', playlist_id: `playlist:${list.list.id}` })
    if (code !== 'ok') t.match(answer, refused(400, code, { field: 'name' }), JSON.stringify(name))
    else {
      t.equal(answer.status, 200, name)
      await world.delete(`endpoints/${answer.body.endpoint.id}`)
    }
  }
})

t.test('endpoints name one list each, of an account with lists', async (t) => {
  await using world = await openWorld({ accounts: [new FakeAccount('ANN'), new FakeAccount('NIL', { without: true })] })
  const ann = world.account('ANN')
  ann.make([1, 2], { count: 2 })
  ann.make([], { readOnly: 'dynamic' })
  const save = (fields: object) => world.post('endpoints', { name: 'Films', ...fields })
  t.match(await save({}), refused(400, 'provider_required'))
  t.match(await save({ provider: 'NOBODY' }), refused(404, 'unknown_provider'))
  t.match(await save({ provider: 'NIL', playlist_id: '1' }), refused(400, 'provider_not_capable'))
  t.match(await save({ provider: 'ANN', instance: 'ANN-P07', playlist_id: '1' }), refused(404, 'unknown_instance'))
  t.match(await save({ provider: 'ANN' }), refused(400, 'playlist_required'))
  t.match(await save({ provider: 'ANN', playlist_id: 'playlist:9' }), refused(400, 'playlist_not_found'))
  t.match(await save({ id: 'EP-07', provider: 'ANN', playlist_id: '1' }), refused(404, 'endpoint_not_found'))
  t.match(await save({ name: 7 }), { status: 422 })
  t.match((await world.post('endpoints', [])).status, 422)
  ann.readFault = 'throws'
  t.match(await save({ provider: 'ANN', playlist_id: '1' }), refused(502, 'provider_unreachable'))
  ann.readFault = 'times_out'
  t.match(await save({ provider: 'ANN', playlist_id: '1' }), refused(504, 'provider_timeout'))
  ann.readFault = undefined
  t.same((await stored(world)).endpoints, [])

  const saved = await save({ provider: 'ann', playlist_id: '1' })
  t.match(saved.body, {
    created: true,
    endpoint: {
      ...{ id: 'EP-01', provider: 'ANN', instance: 'default', playlist_id: 'playlist:1', playlist_name: 'List 1' },
      ...{ media_types: ['movie'], can_add: true, can_reorder: true, item_count: 2, destructive_remove: false },
    },
  })
  t.match(await save({ provider: 'ANN', playlist_id: '1' }), refused(409, 'duplicate_endpoint'))
  const renamed = await world.post('endpoints', { id: 'EP-01', name: 'Best films' })
  t.match(renamed.body, { created: false, endpoint: { id: 'EP-01', name: 'Best films', item_count: 2 } })
  t.notOk('state_reset' in renamed.body)
  const moved = await world.post('endpoints', { id: 'EP-01', playlist_id: 'playlist:2' })
  t.match(moved.body, { state_reset: true, endpoint: { smart: true, can_add: false } })
  t.notOk('item_count' in moved.body.endpoint)
})

t.test('a failing refresh keeps the known lists, and says so', async (t) => {
  await using world = await openWorld()
  const ann = world.account('ANN')
  const id = await world.endpoint(ann, ann.make([1, 2, 3]))
  t.match((await world.post(`endpoints/${id}/sync`)).body, { ok: true, endpoint: { item_count: 3 } })
  const before = (await world.get('endpoints')).body.endpoints[0]
  ann.readFault = 'throws_midway'
  t.match(await world.post(`endpoints/${id}/sync`), refused(502, 'provider_unreachable'))
  ann.readFault = 'partial'
  t.match(await world.post(`endpoints/${id}/sync`), refused(502, 'incomplete_read'))
  const { last_error: error, ...after } = (await world.get('endpoints')).body.endpoints[0]
  t.same(after, before)
  t.equal(error.code, 'incomplete_read')
  ann.readFault = undefined
  t.notOk('last_error' in (await world.post(`endpoints/${id}/sync`)).body.endpoint)
  t.match(await world.post('endpoints/EP-77/sync'), refused(404, 'endpoint_not_found'))
  t.match((await world.get('activity')).body.activity, [
    { type: 'Sync', status: 'completed', endpoint_id: id },
    { type: 'Sync', status: 'error', details: 'incomplete_read' },
    { status: 'error' },
    { status: 'completed' },
  ])
  t.equal((await world.get('activity?limit=2')).body.activity.length, 2)
  t.equal((await world.get('activity?limit=0')).status, 422)
})

t.test('a list is created at its provider, and found again if the endpoint could not be saved', async (t) => {
  await using world = await openWorld()
  const ann = world.account('ANN')
  const made = await world.post('endpoints', { name: 'Films', provider: 'ANN', create: true, create_name: 'My films' })
  t.match(made.body.endpoint, { playlist_id: 'playlist:1', playlist_name: 'My films', playlist_type: 'playlist' })
  const box = await world.post('endpoints', { name: 'Box', provider: 'ANN', create: true, media_type: 'boxset' })
  t.match(box.body.endpoint, { playlist_id: 'collection:2', playlist_name: 'Box', can_reorder: false })
  t.match(
    await world.post('endpoints', { name: 'A', provider: 'ANN', create: true, create_name: 'x'.repeat(101) }),
    refused(400, 'name_too_long', { field: 'create_name' }),
  )
  t.match(
    await world.post('endpoints', { name: 'A', provider: 'ANN', create: true, playlist_type: 'status' }),
    refused(400, 'create_unsupported'),
  )
  // Its target is read only after the change, so the mapping would be invalid.
  const source = await world.endpoint(ann, ann.make([1]))
  await world.mapping({ source_endpoint: source, target_endpoints: ['EP-01'], order: 'preserve' })
  const other = await world.post('endpoints', {
    ...{ id: 'EP-01', playlist_id: '', create: true, create_name: 'Unordered', media_type: 'collection' },
  })
  t.match(other, refused(400, 'order_unsupported', { created_playlist_id: 'collection:4' }))
  t.match((await world.get('endpoints')).body.endpoints[0], { playlist_id: 'playlist:1' })
  const again = await world.post('endpoints', { name: 'Again', provider: 'ANN', playlist_id: 'collection:4' })
  t.equal(again.status, 200)
  t.equal(ann.lists_.length, 4)
})

t.test('mappings are validated when they are saved', async (t) => {
  await using world = await openWorld()
  const [ann, ben, cat] = ['ANN', 'BEN', 'CAT'].map(world.account) as [FakeAccount, FakeAccount, FakeAccount]
  const a = await world.endpoint(ann, ann.make([1]))
  const b = await world.endpoint(ben, ben.make([1]))
  const b2 = await world.endpoint(ben, ben.make([1]))
  const c = await world.endpoint(cat, cat.make([1]))
  const smart = await world.endpoint(ben, ben.make([], { readOnly: 'dynamic' }))
  const foreign = await world.endpoint(ann, ann.make([], { readOnly: 'foreign' }))
  const box = await world.endpoint(ben, ben.make([], { kind: 'collection' }))
  const watching = await world.endpoint(cat, cat.make([], { kind: 'status' }))
  const rules = (await world.post('rulesets', { name: 'Two', maximum_targets: 2 })).body.ruleset.id
  const mapping = { name: 'Films', source_endpoint: a, target_endpoints: [b] }
  const both = { ruleset_id: rules }
  for (const [change, status, code] of [
    [{ name: '' }, 400, 'name_required'],
    [{ source_endpoint: '' }, 400, 'endpoints_required'],
    [{ target_endpoints: [] }, 400, 'endpoints_required'],
    [{ target_endpoints: [a] }, 400, 'same_endpoint'],
    [{ source_endpoint: 'EP-99' }, 404, 'endpoint_not_found'],
    [{ target_endpoints: ['EP-99'] }, 404, 'endpoint_not_found'],
    [{ target_endpoints: [b, b2] }, 400, 'too_many_targets'],
    [{ target_endpoints: [b, c], ...both }, 400, 'targets_differ'],
    [{ target_endpoints: [b, b2, box], ...both }, 400, 'too_many_targets'],
    [{ ruleset_id: 'RULE-77' }, 404, 'ruleset_not_found'],
    [{ membership: 'everything' }, 400, 'invalid_choice'],
    [{ order: 'random' }, 400, 'invalid_choice'],
    [{ target_endpoints: [box], order: 'preserve' }, 400, 'order_unsupported'],
    [{ target_endpoints: [smart] }, 400, 'target_smart'],
    [{ source_endpoint: b, target_endpoints: [foreign] }, 400, 'target_read_only'],
    [{ source_endpoint: foreign, ...both }, 400, 'source_read_only'],
    [{ target_endpoints: [watching], membership: 'mirror' }, 400, 'confirmation_required'],
    [{ id: 'MAP-77' }, 404, 'mapping_not_found'],
    [{ enabled: 'perhaps' }, 422, undefined],
    [{ target_endpoints: 'EP-01' }, 422, undefined],
  ] as const) {
    const answer = await world.post('mappings', { ...mapping, ...change })
    t.equal(answer.status, status, JSON.stringify([change, answer.body]))
    if (code !== undefined) t.equal(answer.body.error, code, JSON.stringify(change))
  }
  t.same((await stored(world)).mappings, [])
  t.same(await world.sync().pairs(), [])

  const saved = await world.post('mappings', {
    mapping: { ...mapping, target_endpoints: [{ id: b }, b], order: 'preserve' },
  })
  t.match(saved.body, {
    created: true,
    mapping: {
      ...{ id: 'MAP-01', target_endpoints: [b], membership: 'managed_only', order: 'preserve', enabled: true },
      ...{ valid: true, assigned_pair: saved.body.pair_id, source: { label: 'ANN: List 1' }, last_result: null },
    },
  })
  t.match(await world.sync().pairs(), [
    {
      id: /^pair_playlist_[0-9a-f]{12}$/,
      owner: 'playlists',
      source: 'ANN',
      target: 'BEN',
      mode: 'one_way',
      enabled: true,
    },
  ])
  const changed = await world.post('mappings', { id: 'MAP-01', enabled: false })
  t.match(changed.body.mapping, { order: 'preserve', enabled: false }, 'what is not named stays')
  t.match(await world.sync().pairs(), [{ enabled: false }])
  t.match(
    await world.post('mappings', {
      ...mapping,
      target_endpoints: [watching],
      membership: 'mirror',
      confirm_destructive: true,
    }),
    { status: 200 },
  )
})

t.test('conflicting mirrors are refused', async (t) => {
  await using world = await openWorld()
  const [ann, ben, cat] = ['ANN', 'BEN', 'CAT'].map(world.account) as [FakeAccount, FakeAccount, FakeAccount]
  const [a, b, c] = [
    await world.endpoint(ann, ann.make([1])),
    await world.endpoint(ben, ben.make([1])),
    await world.endpoint(cat, cat.make([1])),
  ]
  const mirror = (from: string, to: string) => ({
    ...{ name: 'Mirror', source_endpoint: from, target_endpoints: [to], membership: 'mirror' },
  })
  await world.mapping(mirror(a, b))
  t.match(await world.post('mappings', mirror(b, a)), refused(409, 'target_conflict', { mappings: ['MAP-01'] }))
  t.match(await world.post('mappings', mirror(c, b)), refused(409, 'target_conflict'))
  t.match(await world.post('mappings', { ...mirror(c, b), membership: 'add_only' }), refused(409, 'target_conflict'))
  await world.mapping(mirror(b, c))
  t.match(await world.post('mappings', mirror(c, a)), refused(409, 'target_conflict'), 'a ring of three')
  t.match(await world.post('mappings', { ...mirror(c, a), membership: 'managed_only' }), { status: 200 })
  t.match(await world.post('mappings', { id: 'MAP-03', membership: 'mirror' }), refused(409, 'target_conflict'))
})

t.test(
  'property 19: a used object is not deleted, ids are never reused, and a deleted mapping removes its pair',
  async (t) => {
    await using world = await openWorld()
    const [ann, ben] = [world.account('ANN'), world.account('BEN')]
    const a = await world.endpoint(ann, ann.make([1]))
    const b = await world.endpoint(ben, ben.make([1]))
    const rules = (await world.post('rulesets', { name: 'Mine' })).body.ruleset
    t.equal(rules.id, 'RULE-01')
    const id = await world.mapping({ source_endpoint: a, target_endpoints: [b], ruleset_id: rules.id })
    const before = await stored(world)
    for (const path of [`endpoints/${a}`, `endpoints/${b}`, `rulesets/${rules.id}`])
      t.match(await world.delete(path), refused(409, 'in_use', { used_by: [id] }))
    t.match(await world.delete('rulesets/tracka_free_account'), refused(400, 'ruleset_built_in'))
    for (const path of ['endpoints/EP-99', 'rulesets/RULE-99', 'mappings/MAP-99'])
      t.equal((await world.delete(path)).status, 404, path)
    t.same(await stored(world), before)
    const [pair] = await world.sync().pairs()
    t.match(pair, { mode: 'two_way' })
    const answer = await world.engine!.inject({ method: 'DELETE', url: `/api/pairs/${pair!.id}` })
    t.equal(answer.statusCode, 409, answer.body)
    t.match(answer.json(), { error: 'pair_in_use' })

    for (const path of [`mappings/${id}`, `endpoints/${a}`, `endpoints/${b}`, `rulesets/${rules.id}`])
      t.same(await world.delete(path), { status: 200, body: { ok: true } })
    t.same(await world.sync().pairs(), [])
    const c = await world.endpoint(ann, ann.lists_[0]!)
    const d = await world.endpoint(ben, ben.lists_[0]!)
    t.same([c, d], ['EP-03', 'EP-04'])
    t.equal((await world.post('rulesets', { name: 'Other' })).body.ruleset.id, 'RULE-02')
    t.equal(await world.mapping({ source_endpoint: c, target_endpoints: [d] }), 'MAP-02')
  },
)

t.test('concurrent clients lose nothing', async (t) => {
  await using world = await openWorld()
  const ann = world.account('ANN')
  const lists = [1, 2, 3, 4, 5, 6].map((work) => ann.make([work]))
  const ids = await Promise.all(lists.map((list) => world.endpoint(ann, list)))
  t.equal(new Set(ids).size, lists.length)
  t.equal((await stored(world)).endpoints.length, lists.length)
})

t.test('rulesets: all errors at once, and unknown fields are named', async (t) => {
  await using world = await openWorld()
  const check = await world.post('rulesets/validate', {
    ...{
      name: '',
      schema_version: 'x',
      read_mode: 'direct',
      order: 7,
      maximum_targets: 51,
      per_endpoint_capacity: '9',
    },
    ...{ track_assignments: false, colour: 'red' },
  })
  t.equal(check.status, 200)
  t.match(check.body, { ok: false, warnings: ['unknown_field:colour'] })
  t.same(check.body.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`).toSorted(), [
    'maximum_targets out_of_range',
    'name name_required',
    'order invalid_choice',
    'per_endpoint_capacity invalid_number',
    'read_mode unsupported_mode',
    'schema_version unsupported_schema_version',
    'track_assignments unsupported_mode',
  ])
  t.match(await world.post('rulesets', { name: 'Mine', write_mode: 'direct' }), refused(400, 'unsupported_mode'))
  t.match(await world.post('rulesets', { id: 'tracka_free_account', name: 'Mine' }), refused(400, 'ruleset_built_in'))
  t.match((await world.post('rulesets', { ruleset: { id: 'mine', name: 'Mine' } })).body, {
    created: true,
    ruleset: { id: 'mine' },
  })
  t.match((await world.post('rulesets', { id: 'mine', order: 'preserve' })).body, {
    created: false,
    ruleset: { name: 'Mine', order: 'preserve' },
  })
  t.match(await world.get('rulesets/nothing'), refused(404, 'ruleset_not_found'))
  t.match((await world.get('rulesets/tracka_free_account')).body, {
    ok: true,
    error: null,
    ruleset: { built_in: true },
  })
  const copy = await world.post('rulesets/tracka_free_account/clone')
  t.match(copy.body, { created: true, ruleset: { id: 'RULE-01', name: 'Trakt free account Custom', built_in: false } })
  t.match((await world.post('rulesets/tracka_free_account/clone')).body.ruleset.name, 'Trakt free account Custom 2')
  t.match(await world.post('rulesets/nothing/clone', { name: 'A' }), refused(404, 'ruleset_not_found'))
  t.match(await world.post('rulesets/tracka_free_account/clone', { maximum_targets: 99 }), refused(400, 'out_of_range'))
})

t.test('a ruleset that was broken manually is listed with its errors, and not run', async (t) => {
  await using world = await openWorld({ settings: { rulesets: [{ id: 'mine', name: 'Mine', maximum_targets: 0 }] } })
  const [, mine] = (await world.get('rulesets')).body.rulesets
  t.match(mine, { id: 'mine', valid: false, errors: [{ field: 'maximum_targets', code: 'out_of_range' }] })
})

const anything = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.double())
const FIELDS = Object.keys(BUILT_IN[0]!)
const anyRuleset = fc.oneof(
  fc.dictionary(fc.constantFrom(...FIELDS, 'other'), anything),
  fc.record(
    {
      id: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,9}$/),
      name: fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' }),
      direction: fc.constantFrom('one_way', 'bidirectional', 'sideways'),
      membership: fc.constantFrom('add_only', 'managed_only', 'mirror'),
      order: fc.constantFrom('ignore', 'preserve'),
      per_endpoint_capacity: fc.integer({ min: -5, max: 200_000 }),
      maximum_targets: fc.integer({ min: 0, max: 60 }),
    },
    { requiredKeys: [] },
  ),
)
const EMPTY = readStored({})

t.test(
  'property 18: normalizing makes any ruleset valid, once; a clone differs in id, name and built_in only',
  async (t) => {
    fc.assert(
      fc.property(anyRuleset, (raw) => {
        const normal = normalizeRuleset(raw)
        const { errors, warnings } = checkRuleset(normal, false)
        return (
          errors.length + warnings.length === 0 && JSON.stringify(normalizeRuleset(normal)) === JSON.stringify(normal)
        )
      }),
    )
    fc.assert(
      fc.property(anyRuleset, (raw) => {
        const { id: _, ...fields } = normalizeRuleset(raw)
        const { saved, change } = saveRuleset(fields, EMPTY)
        const config = readStored(change)
        const clone = cloneRuleset(saved.id, {}, config).saved
        const { id, name, built_in: builtIn, ...same } = clone
        return (
          id !== saved.id &&
          name !== saved.name &&
          !builtIn &&
          JSON.stringify({ ...saved, ...same }) === JSON.stringify(saved)
        )
      }),
    )
    for (const built of BUILT_IN) {
      t.throws(() => saveRuleset({ ...built, name: 'Mine' }, EMPTY), { code: 'PLH_INVALID' })
      t.match(cloneRuleset(built.id, {}, EMPTY).saved, { built_in: false })
    }
  },
)

t.test('property 18: names of clones fit and are unique', async (t) => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' }).map((text) => toName(text) || 'Rules'),
      fc.integer({ min: 0, max: 12 }),
      (name, clones) => {
        const taken = [name]
        for (let n = 0; n < clones; n += 1) taken.push(uniqueName(name, 'Custom', taken))
        return new Set(taken).size === taken.length && taken.every((one) => nameProblem(one) === undefined)
      },
    ),
  )
  t.ok([...uniqueName('x'.repeat(MAX_NAME), 'Custom', [])].length <= MAX_NAME)
})

t.test('property 19: saved data is loaded and saved again unchanged', async () => {
  const endpoint = fc.record({
    name: fc.string({ minLength: 1, maxLength: 60 }).map((text) => toName(text) || 'List'),
    playlist_id: fc.uniqueArray(fc.nat({ max: 9 }), { minLength: 1, maxLength: 1 }).map(([n]) => `playlist:${n}`),
    item_count: fc.option(fc.nat(), { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.uniqueArray(endpoint, { minLength: 2, maxLength: 6, selector: (one) => one.playlist_id }), (all) => {
      let config = EMPTY
      const keep = (change: object) => (config = readStored(structuredClone({ ...config, ...change })))
      for (const { item_count: count, ...one } of all) {
        const fields = {
          ...{ ...one, provider: 'ANN', instance: 'default', playlist_name: 'x', playlist_type: 'playlist' as const },
          ...{ media_types: [], can_add: true, can_remove: true, can_reorder: true, smart: false, warnings: [] },
          ...{ destructive_remove: false, remove_warning: '' },
          ...(count === undefined ? {} : { item_count: count }),
        }
        keep(saveEndpoint(fields, config).change)
      }
      const [a, b] = config.endpoints
      keep(saveMapping({ name: 'Films', source_endpoint: a!.id, target_endpoints: [b!.id] }, config).change)
      keep(saveRuleset({ name: 'Mine' }, config).change)
      const before = JSON.stringify(config)
      for (const one of config.endpoints) keep(saveEndpoint(one, config).change)
      keep(saveMapping({ ...config.mappings[0]! }, config).change)
      keep(saveRuleset(config.rulesets[0]!, config).change)
      return JSON.stringify(config) === before
    }),
  )
})

t.test('accounts and their lists are shown as their providers declare them', async (t) => {
  await using world = await openWorld({
    accounts: [new FakeAccount('BEN'), new FakeAccount('ANN'), new FakeAccount('NIL', { without: true })],
  })
  const ann = world.account('ANN')
  ann.make([1], { count: 1, shared: false })
  ann.make([], { readOnly: 'dynamic' })
  ann.make([], { kind: 'status' })
  const { providers } = (await world.get('providers')).body
  t.same(
    providers.map(({ provider }: { provider: string }) => provider),
    ['ANN', 'BEN'],
  )
  t.match(providers[0], {
    configured: true,
    capabilities: {
      ...{ read: true, create: true, reorder: true, smart_writable: false, media_types: ['movie'] },
      ...{ endpoint_types: ['playlist', 'collection', 'status'], ordered_endpoint_types: ['playlist'] },
      ...{ destructive_remove: true, requires_ids: ['tmdb', 'imdb'], fixed_endpoints: false },
    },
  })
  const { resources } = (await world.get('resources?provider=ann')).body
  t.match(resources, [
    { id: 'playlist:1', kind: 'regular', can_reorder: true, writable: true, extra: { item_count: 1, private: true } },
    { id: 'playlist:2', kind: 'smart', smart: true, writable: false },
    {
      id: 'status:3',
      can_reorder: false,
      extra: { fixed: true, destructive_remove: true, warnings: ['destructive_remove'] },
    },
  ])
  t.match(await world.get('resources'), { status: 422 })
  t.match(await world.get('resources?provider=NOBODY'), refused(404, 'unknown_provider'))
  t.match(await world.get('resources?provider=NIL'), refused(400, 'provider_not_capable'))
  t.match(await world.get('resources?provider=ANN&instance=P09'), refused(404, 'unknown_instance'))
  ann.readFault = 'throws'
  const failed = await world.get('resources?provider=ANN')
  t.match(failed, refused(502, 'provider_unreachable'))
})

t.test('mappings of a pair: those that run with it, and possible ones', async (t) => {
  await using world = await openWorld()
  const [ann, ben, cat] = ['ANN', 'BEN', 'CAT'].map(world.account) as [FakeAccount, FakeAccount, FakeAccount]
  const [a, b, c] = [
    await world.endpoint(ann, ann.make([1])),
    await world.endpoint(ben, ben.make([1])),
    await world.endpoint(cat, cat.make([1])),
  ]
  await world.mapping({ source_endpoint: a, target_endpoints: [b] })
  await world.mapping({ source_endpoint: a, target_endpoints: [c] })
  const pairs = await world.sync().pairs()
  const { body } = await world.get(`pairs/${pairs[0]!.id}/mappings`)
  t.match(body, { pair_id: pairs[0]!.id, mappings: [{ id: 'MAP-01', selected: true }] })
  t.equal(body.mappings.length, 1)
  t.match(await world.get('pairs/pair_nothing/mappings'), refused(404, 'pair_not_found'))
})

t.test('interrupted runs are looked for every minute while there are mappings, also after a failure', async (t) => {
  await using world = await openWorld()
  const next = () => world.host.jobs().find(({ name }) => name === 'settle')?.nextAtMs
  t.equal(next(), null, 'without a mapping nothing loads the plugin')
  const [ann, ben] = [world.account('ANN'), world.account('BEN')]
  const [a, b] = [await world.endpoint(ann, ann.make([1])), await world.endpoint(ben, ben.make([1]))]
  await world.mapping({ source_endpoint: a, target_endpoints: [b] })
  t.ok(Number(next()) > 0)
  await world.host.runJob('settle')
  t.ok(Number(next()) > 0, 'after a good one')
  await world.host.ownTables('mappings').schema.dropTable('running').execute()
  await t.rejects(world.host.runJob('settle'))
  t.ok(Number(next()) > 0, 'after a failure')
})
