// Playlists through the routes: merges, refusals, confirmations and reports.
import t from 'tap'
import { PlayheadError } from '@playhead/sdk'
import { film, openWorld, type World } from './world.ts'

const EP = '/api/editor/playlists/EP-01'

interface Loaded {
  readonly rows: Record<string, any>[]
  readonly names: { original_keys: string[]; original_ids: (string | null)[]; checkpoint: string }
}

async function load(world: World): Promise<Loaded> {
  const { body } = await world.get(EP)
  const { original_keys, original_ids, checkpoint } = body
  return { rows: Object.values(body.items), names: { original_keys, original_ids, checkpoint } }
}

t.test('a list is shown with the ids, positions and revision that a save needs', async (t) => {
  await using world = await openWorld({ list: { films: [1, 2, 1], duplicates: true } })
  const { status, body } = await world.get(EP)
  t.equal(status, 200)
  t.match(body, {
    ok: true,
    kind: 'playlist',
    source: 'playlist',
    count: 3,
    ts: 2_000,
    endpoint: { id: 'EP-01', provider: 'MEDIAA', provider_label: 'The MEDIAA', playlist_id: 'list-1' },
    resource: { smart: false, can_add: true, can_remove: true, can_reorder: true, writable: true },
    original_keys: ['movie:tmdb:1', 'movie:tmdb:2', 'movie:tmdb:1#2'],
    original_ids: ['e1', 'e2', 'e3'],
    items: { 'movie:tmdb:2': { key: 'movie:tmdb:2', _playlist_item_id: 'e2', _provider_media_id: 'n2', _position: 2 } },
  })
  t.equal(typeof body.checkpoint, 'string')
  for (const path of ['/api/editor?source=playlist&endpoint=EP-01', '/api/editor?source=playlists&snapshot=EP-01'])
    t.same((await world.get(path)).body, body, path)
})

t.test('property 22: sent back as loaded, nothing is planned or written', async (t) => {
  for (const films of [[], [1], [1, 2, 3, 1, 1]]) {
    await using world = await openWorld({ list: { films, duplicates: true } })
    const { rows, names } = await load(world)
    for (const items of [rows, Object.fromEntries(rows.map((row) => [row['key'], row]))])
      for (const more of [names, { original_keys: names.original_keys }, { checkpoint: names.checkpoint }, {}]) {
        if (films.length === 0) continue
        const { status, body } = await world.post(EP, { items, ...more })
        t.match(
          [status, body],
          [
            200,
            { ok: true, planned_additions: 0, planned_removals: 0, planned_moves: 0, unresolved: [], rejected: [] },
          ],
        )
      }
    t.equal(world.lists.writes, 0)
  }
})

t.test('rows are added, removed and moved, and counted', async (t) => {
  await using world = await openWorld({ list: { films: [1, 2, 3] } })
  const { rows, names } = await load(world)
  const items = [rows[2], film(9), rows[0]]
  const dry = await world.post(EP, { items, ...names, dry_run: true })
  t.match(dry.body, { ok: true, dry_run: true, planned_additions: 1, planned_removals: 1, added: 0, removed: 0 })
  t.equal(world.lists.writes, 0)
  const { status, body } = await world.post(EP, { items, ...names })
  t.match([status, body], [200, { ok: true, added: 1, removed: 1, endpoint_id: 'EP-01', source: 'playlist' }])
  t.same(world.lists.films(), [3, 9, 1])
})

t.test(
  'property 23: a list that changed in between is not saved until the person confirms, and then nothing is lost',
  async (t) => {
    await using world = await openWorld({ list: { films: [1, 2, 3] } })
    const { rows, names } = await load(world)
    world.lists.elsewhere((entries) => {
      entries.splice(1, 1)
      entries.push({ id: '', film: 7 })
    })
    const items = [rows[1], rows[2], film(9)]
    for (const more of [names, { original_keys: names.original_keys }, { checkpoint: names.checkpoint }]) {
      const { status, body } = await world.post(EP, { items, ...more })
      t.match([status, body.error], [409, 'changed_since_load'])
      if ('original_keys' in more)
        t.match(body, { added: ['movie:tmdb:7'], removed: ['movie:tmdb:2'], added_count: 1, removed_count: 1 })
    }
    t.equal(world.lists.writes, 0)
    const { body } = await world.post(EP, { items, ...names, force: true })
    t.match(body, { ok: true, added: 1, removed: 1 })
    t.same(world.lists.films(), [3, 7, 9])
  },
)

t.test('a save that could empty a list by mistake is refused', async (t) => {
  await using world = await openWorld({ list: { films: [1, 2, 3] } })
  const { names } = await load(world)
  const refusals: readonly (readonly [unknown, number, string | undefined])[] = [
    [{}, 400, 'items_required'],
    [{ ...names }, 400, 'items_required'],
    [{ ...names, items: null }, 400, 'items_required'],
    [{ ...names, items: 'none' }, 400, 'items_required'],
    [{ ...names, items: 7 }, 400, 'items_required'],
    [{ ...names, items: {} }, 400, 'confirm_clear_required'],
    [{ ...names, items: [] }, 400, 'confirm_clear_required'],
    [{ items: [], confirm_clear: 'yes' }, 422, undefined],
    [{ items: [film(1)] }, 400, 'original_keys_required'],
    [{ ...names, items: [{ type: 'movie', rating: 'x' }] }, 400, 'invalid_rows'],
    [{ ...names, items: [null] }, 400, 'invalid_rows'],
    [{ ...names, items: { a: [] } }, 400, 'invalid_rows'],
    [{ ...names, items: [film(1)], original_keys: 'a' }, 400, 'invalid_original_keys'],
    [{ ...names, items: [film(1)], original_keys: [7] }, 400, 'invalid_original_keys'],
    [{ ...names, items: [film(1)], original_ids: [] }, 400, 'invalid_original_ids'],
    [[], 422, undefined],
    [null, 422, undefined],
    ['text', 422, undefined],
  ]
  for (const [payload, status, error] of refusals) {
    const sent = await world.host.inject({
      method: 'POST',
      url: EP,
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(payload),
    })
    t.equal(sent.statusCode, status, JSON.stringify(payload))
    if (error !== undefined) t.equal(sent.json().error, error, JSON.stringify(payload))
  }
  t.same([world.lists.writes, world.lists.films()], [0, [1, 2, 3]])
  t.match((await world.post(EP, { ...names, items: {}, confirm_clear: true })).body, { ok: true, removed: 3 })
  t.same(world.lists.films(), [])
})

t.test('a list that cannot store some rows names them before anything is written', async (t) => {
  await using fixed = await openWorld({ list: { films: [1, 2], can: ['remove'] } })
  const first = await load(fixed)
  const added = await fixed.post(EP, { items: [first.rows[0], film(9)], ...first.names })
  t.match(
    [added.status, added.body],
    [400, { error: 'cannot_add', rejected: [{ key: 'movie:tmdb:9', reason: 'cannot_add' }] }],
  )

  await using growing = await openWorld({ list: { films: [1, 2], can: ['add'] } })
  const second = await load(growing)
  const removed = await growing.post(EP, { items: [second.rows[1], film(9)], ...second.names })
  t.match(
    [removed.status, removed.body],
    [400, { error: 'cannot_remove', rejected: [{ key: 'movie:tmdb:1', reason: 'cannot_remove' }] }],
  )
  const moved = await growing.post(EP, { items: [second.rows[1], second.rows[0]], ...second.names })
  t.match([moved.status, moved.body], [200, { warnings: [{ code: 'cannot_reorder' }], planned_moves: 0 }])

  await using smart = await openWorld({ list: { films: [1, 2], readOnly: 'dynamic' } })
  const third = await load(smart)
  const { status, body } = await smart.post(EP, { items: [third.rows[0]], ...third.names })
  t.match([status, body.error, body.reason], [400, 'list_read_only', 'dynamic'])
  t.match((await smart.get(EP)).body.resource, { smart: true, kind: 'smart', writable: false })
  for (const world of [fixed, growing, smart]) t.equal(world.lists.writes, 0)
})

t.test('a large number of removals is confirmed; rows without ids are named', async (t) => {
  await using world = await openWorld({ list: { films: [1, 2, 3, 4] }, guard: 2 })
  const { rows, names } = await load(world)
  const held = await world.post(EP, { items: [rows[0]], ...names })
  t.match([held.status, held.body], [409, { error: 'confirm_removals_required', removals: 3, reason: 'mass_delete' }])
  t.equal(world.lists.writes, 0)
  t.match((await world.post(EP, { items: [rows[0]], ...names, confirm_removals: true })).body, { ok: true, removed: 3 })
  const now = await load(world)
  const { body } = await world.post(EP, {
    items: [...now.rows, { type: 'movie', title: 'Heat', year: 1995 }, film(5)],
    ...now.names,
  })
  t.match(body, { ok: false, added: 1, rejected: [{ reason: 'missing_ids' }], unresolved_count: 0 })
})

t.test('a service that fails during a read leaves the list unchanged, and its message is never shown', async (t) => {
  await using world = await openWorld({ list: { films: [1, 2, 3] } })
  const { names } = await load(world)
  const faults: readonly (readonly [Error, number, string])[] = [
    [new PlayheadError('PLH_UPSTREAM', 'The service answered 500.'), 502, 'upstream_error'],
    [new PlayheadError('PLH_CONFLICT', 'Page 2 is missing.', { wire: 'incomplete_read' }), 409, 'incomplete_read'],
    [new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'No answer.'), 504, 'upstream_timeout'],
    [new PlayheadError('PLH_NOT_FOUND', 'Gone.', { wire: 'list_missing' }), 404, 'list_missing'],
  ]
  for (const [fault, status, error] of faults) {
    world.lists.faults.push(fault)
    const got = await world.get(EP)
    t.match([got.status, got.body.error], [status, error])
    world.lists.faults.push(fault)
    const sent = await world.post(EP, { items: [], confirm_clear: true, ...names })
    t.match([sent.status, sent.body.error], [status, error])
  }
  t.same([world.lists.writes, world.lists.films()], [0, [1, 2, 3]])
})

t.test('endpoints are listed; an unknown one, or one without a list, cannot be edited', async (t) => {
  await using world = await openWorld({ list: { films: [1] } })
  const { body } = await world.get('/api/editor/playlists/endpoints')
  t.match(body, {
    ok: true,
    endpoints: [
      { id: 'EP-01', name: 'Evening', playlist_name: 'Evening films', playlist_type: 'playlist' },
      { id: 'EP-02', playlist_id: '' },
    ],
  })
  t.match(await world.get('/api/editor/playlists/EP-99'), { status: 404, body: { error: 'unknown_endpoint' } })
  t.match(await world.get('/api/editor/playlists/EP-02'), { status: 400, body: { error: 'endpoint_without_list' } })
  t.match(await world.get('/api/editor?source=playlist'), { status: 400, body: { error: 'missing_endpoint' } })
  t.match(await world.post('/api/editor', { source: 'playlist', items: {} }), { status: 400 })
})
