// Routes of pairs, and of runs where they need no provider.
import { PAIR_USAGE, SYNC } from '@playhead/sdk'
import t from 'tap'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/sync/index.ts'
import { FakeAccount, setCatalogue } from './world/account.ts'
import { workNamed, WORKS } from './world/works.ts'
import { directoryOf, featureCapabilities } from './world/world.ts'

const MANIFEST = new URL('../../../plugins/services/sync/plugin.json', import.meta.url)

async function start() {
  const accounts = ['ANN', 'BEN', 'CAT'].map(
    (id) => new FakeAccount({ id, now: Date.now, bidirectional: id !== 'CAT' }),
  )
  const capabilities = {
    accounts: directoryOf(accounts),
    ...Object.fromEntries(accounts.map((account) => [`provider:${account.id}`, account])),
    ...Object.fromEntries(await featureCapabilities()),
  }
  const host = await createTestHost({ plugin, manifest: MANIFEST, capabilities })
  const call = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: unknown) => {
    const answer = await host.inject({ method, url, ...(payload === undefined ? {} : { payload: payload as object }) })
    return { status: answer.statusCode, body: answer.json() }
  }
  return { host, accounts, call, [Symbol.asyncDispose]: () => host.close() }
}

t.test('a pair is stored normalized, with defaults for missing fields', async (t) => {
  await using service = await start()
  const { status, body } = await service.call('POST', '/api/pairs', {
    source: 'ann',
    target: 'BEN',
    mode: 'two-way',
    features: { watchlist: true, ratings: { enable: false, remove: 'yes' } },
  })

  t.equal(status, 200)
  t.match(body, {
    ok: true,
    id: /^pair_[0-9a-f]{12}$/,
    name: 'ANN → BEN',
    source: 'ANN',
    source_instance: 'default',
    target: 'BEN',
    target_instance: 'default',
    mode: 'two_way',
    enabled: false,
    features: {
      watchlist: { enabled: true, add: true, remove: false },
      ratings: { enabled: false, add: true, remove: true },
    },
  })
  t.notOk('enable' in body.features.ratings, 'one spelling is stored')
  const { body: list } = await service.call('GET', '/api/pairs')
  t.same(
    list.map(({ id }: { id: string }) => id),
    [body.id],
  )
})

t.test('a feature that is turned off stays off', async (t) => {
  await using service = await start()
  const { body } = await service.call('POST', '/api/pairs', {
    source: 'ANN',
    target: 'BEN',
    features: { watchlist: { enabled: false }, history: { enabled: false, enable: true } },
  })
  t.equal(body.features.watchlist.enabled, false)
  t.equal(body.features.history.enabled, false)
})

t.test('impossible pairs are refused with the place of the fault, and nothing is stored', async (t) => {
  await using service = await start()
  for (const [pair, field] of [
    [{ target: 'BEN' }, 'source'],
    [{ source: 'NOBODY', target: 'BEN' }, 'source'],
    [{ source: 'ANN', target: 'BEN', target_instance: 'BEN-P07' }, 'target_instance'],
    [{ source: 'ANN', target: 'ANN' }, 'target_instance'],
    [{ source: 'ANN', target: 'CAT', mode: 'two_way' }, 'mode'],
    [{ source: 'ANN', target: 'BEN', mode: 'sideways' }, 'mode'],
    [{ source: 'ANN', target: 'BEN', features: { podcasts: true } }, 'features'],
    [{ source: 'ANN', target: 'BEN', features: { watchlist: { enabled: 'perhaps' } } }, 'features'],
    [{ source: 'ANN', target: 'BEN', enabled: 'perhaps' }, 'enabled'],
    [{ source: 7, target: 'BEN' }, 'source'],
  ] as const) {
    const { status, body } = await service.call('POST', '/api/pairs', pair)
    t.equal(status, 422, JSON.stringify(pair))
    t.ok(
      body.detail.some(({ loc }: { loc: string[] }) => loc.includes(field)),
      JSON.stringify(body),
    )
  }
  t.same((await service.call('GET', '/api/pairs')).body, [])
})

t.test('the list is serialized once, and not sent to a client that has it', async (t) => {
  await using service = await start()
  const ask = async (etag?: unknown) => {
    const answer = await service.host.inject({
      method: 'GET',
      url: '/api/pairs',
      ...(etag === undefined ? {} : { headers: { 'if-none-match': String(etag) } }),
    })
    return { status: answer.statusCode, etag: answer.headers['etag'], text: answer.payload }
  }
  const { body: pair } = await service.call('POST', '/api/pairs', { source: 'ANN', target: 'BEN' })
  const first = await ask()
  t.match(first, { status: 200, text: /"ANN → BEN"/ })
  const account = service.accounts[0] as FakeAccount
  const describe = t.capture(account, 'describe', account.describe)
  t.strictSame(await ask(first.etag), { status: 304, etag: first.etag, text: '' })
  t.strictSame(await ask(), first)
  t.equal(describe().length, 0, 'no provider is asked again')

  await service.call('PUT', `/api/pairs/${pair.id}`, { name: 'mine' })
  const second = await ask(first.etag)
  t.match(second, { status: 200, text: /"mine"/ })
  t.equal((await ask(second.etag)).status, 304)
})

t.test('the same two accounts in the same direction are one pair', async (t) => {
  await using service = await start()
  const first = await service.call('POST', '/api/pairs', { source: 'ANN', target: 'BEN', mode: 'two_way' })
  const second = await service.call('POST', '/api/pairs', { source: 'BEN', target: 'ANN', mode: 'two_way' })
  t.match(second, { status: 409, body: { ok: false, error: 'pair_exists', id: first.body.id } })
  t.equal(
    (await service.call('POST', '/api/pairs', { source: 'BEN', target: 'ANN' })).status,
    200,
    'one-way is another thing',
  )
})

t.test('changing a pair keeps unnamed fields, and replaces features as a whole', async (t) => {
  await using service = await start()
  const {
    body: { id },
  } = await service.call('POST', '/api/pairs', {
    name: 'mine',
    source: 'ANN',
    target: 'BEN',
    enabled: true,
    features: { watchlist: {}, history: {} },
  })

  const { body } = await service.call('PUT', `/api/pairs/${id}`, {
    enabled: false,
    name: null,
    features: { ratings: {} },
  })

  t.match(body, { ok: true, id, name: 'mine', enabled: false, source: 'ANN' })
  t.same(Object.keys(body.features), ['ratings'])
  t.equal((await service.call('PUT', '/api/pairs/pair_none', {})).status, 404)
  t.equal((await service.call('PUT', `/api/pairs/${id}`, { target: 'ANN' })).status, 422)
  t.match((await service.call('GET', '/api/pairs')).body, [{ target: 'BEN' }], 'a refused change changes nothing')
})

t.test('the order is the requested one, with the others behind', async (t) => {
  await using service = await start()
  const ids: string[] = []
  for (const [source, target] of [
    ['ANN', 'BEN'],
    ['ANN', 'CAT'],
    ['BEN', 'CAT'],
  ])
    ids.push((await service.call('POST', '/api/pairs', { source, target })).body.id)

  for (const order of [[ids[2], 'pair_none', ids[2]], { order: [ids[2]] }, [{ id: ids[2] }]]) {
    const { status, body } = await service.call('POST', '/api/pairs/reorder', order)
    t.equal(status, 200)
    t.same(body.final_order, [ids[2], ids[0], ids[1]])
  }
  t.same((await service.call('POST', '/api/pairs/reorder', ['pair_none'])).body, {
    ok: true,
    reordered: false,
    count: 3,
    unknown_ids: ['pair_none'],
    final_order: [ids[2], ids[0], ids[1]],
  })
})

t.test('pairs that many clients add at once are all there', async (t) => {
  await using service = await start()
  const ends = [
    ['ANN', 'BEN'],
    ['BEN', 'ANN'],
    ['ANN', 'CAT'],
    ['BEN', 'CAT'],
  ] as const
  const answers = await Promise.all(
    ends.map(([source, target]) => service.call('POST', '/api/pairs', { source, target })),
  )
  t.same(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  t.equal((await service.call('GET', '/api/pairs')).body.length, 4)
})

t.test('removing a pair removes it, unless another object names it', async (t) => {
  await using service = await start()
  const {
    body: { id },
  } = await service.call('POST', '/api/pairs', { source: 'ANN', target: 'BEN' })
  t.equal((await service.call('DELETE', '/api/pairs/pair')).status, 404, 'the beginning of an id is not the id')
  let usages = [{ feature: 'schedule_job', id: 'j1', label: 'every night' }]
  await service.host.tap(PAIR_USAGE, () => usages)
  t.match(await service.call('DELETE', `/api/pairs/${id}`), { status: 409, body: { ok: false, error: 'pair_in_use' } })
  usages = []
  t.match(await service.call('DELETE', `/api/pairs/${id}`), { status: 200, body: { ok: true, deleted: 1 } })
  t.equal((await service.call('DELETE', `/api/pairs/${id}`)).status, 404)
})

t.test('a plugin keeps its own pair beside those of people', async (t) => {
  await using service = await start()
  const sync = service.host.capability(SYNC)
  const own = {
    id: 'pair_playlist_0123456789ab',
    owner: 'playlists',
    name: 'Films',
    source: 'ANN',
    source_instance: 'default',
    target: 'BEN',
    target_instance: 'default',
    mode: 'one_way',
    enabled: true,
    features: { playlists: { enabled: true, add: true, remove: true, mappings: ['MAP-01'] } },
  } as const
  await sync.savePair(own)
  const named = { mappings: ['MAP-01', 'MAP-02'] }
  const { body: person } = await service.call('POST', '/api/pairs', {
    ...{ source: 'ANN', target: 'BEN', owner: 'playlists' },
    features: { watchlist: true, playlists: named },
  })
  t.match(person, { ok: true }, 'a person may join the same accounts')
  t.match(await sync.pairs(), [
    { id: own.id, owner: 'playlists', mappings: ['MAP-01'], features: ['playlists'] },
    { id: person.id, owner: undefined, mappings: ['MAP-01', 'MAP-02'] },
  ])

  await sync.savePair({ ...own, target: 'ANN', enabled: false })
  t.match(await sync.pairs(), [
    { id: own.id, target: 'ANN', enabled: false },
    { id: person.id, mappings: ['MAP-02'] },
  ])
  t.match((await service.call('PUT', `/api/pairs/${own.id}`, { enabled: true })).body, { owner: 'playlists' })

  await t.rejects(sync.savePair({ ...own, id: person.id }), { code: 'PLH_CONFLICT', wire: 'pair_exists' })
  await t.rejects(sync.deletePair({ ...own, id: person.id }), { code: 'PLH_CONFLICT', wire: 'pair_exists' })
  await t.rejects(sync.savePair({ ...own, target: 'NOBODY' }), { code: 'PLH_CONFIG_INVALID', wire: 'invalid_pair' })
  t.equal(await sync.deletePair(own), true)
  t.equal(await sync.deletePair(own), false)
  t.same(
    (await sync.pairs()).map(({ id }) => id),
    [person.id],
  )
})

t.test('a run executes its pairs and is recorded; requests for missing ones are refused', async (t) => {
  await using service = await start()
  t.match((await service.call('POST', '/api/run')).body, {
    ok: true,
    status: 'skipped',
    skipped: 'no_pairs_configured',
  })
  t.match((await service.call('GET', '/api/run/summary')).body, { features: {}, enabled: { watchlist: true } })
  const {
    body: { id },
  } = await service.call('POST', '/api/pairs', { source: 'ANN', target: 'BEN', enabled: false })
  t.match(await service.call('POST', '/api/run', { pair_id: 'pair_none' }), {
    status: 404,
    body: { error: 'pair_not_found' },
  })
  for (const name of ['pair_id', 'pairId', 'pair_scope'])
    t.match(await service.call('POST', '/api/run', { [name]: id }), { status: 409, body: { error: 'pair_disabled' } })
  t.match(await service.call('POST', '/api/run', { pair_id: id, pairId: 'pair_other' }), { status: 400 })
  t.match(await service.call('POST', '/api/run', { allow_mass_delete: true }), {
    status: 400,
    body: { error: 'pair_id_required' },
  })
  t.equal((await service.call('POST', '/api/run', { dry_run: 'perhaps' })).status, 422)
  t.match(await service.call('POST', '/api/run', { plan_id: 'none' }), {
    status: 404,
    body: { error: 'plan_not_found' },
  })
  t.equal((await service.call('GET', '/api/run/plan/none')).status, 404)
  t.equal((await service.call('POST', '/api/run/none/undo', {})).status, 404)
  t.match(await service.call('POST', '/api/run/cancel'), { status: 409, body: { error: 'not_running' } })

  await service.call('PUT', `/api/pairs/${id}`, { enabled: true })
  const {
    body: { run_id: runId, status },
  } = await service.call('POST', '/api/run', { source: 'cli' })
  t.equal(status, 'accepted')
  await service.host.capability<{ finished(id: string): Promise<unknown> }>(SYNC).finished(runId)
  const { body: summary } = await service.call('GET', '/api/run/summary')
  t.match(summary, {
    run_id: runId,
    running: false,
    result: 'ok',
    exit_code: 0,
    source: 'cli',
    timeline: { start: true, pre: true, post: true, done: true },
  })
  const file = await service.host.inject('/api/run/summary/file')
  t.match(file.headers['content-disposition'], /attachment; filename="last_sync.json"/)
  t.same(file.json(), summary)
  t.same((await service.call('GET', '/api/run/unresolved')).body, { total: 0, items: [] })

  t.match(await service.call('POST', `/api/run/${runId}/undo`), {
    status: 200,
    body: { ok: true, dry_run: true, reversible: 0 },
  })
  t.match(
    await service.call('POST', `/api/run/${runId}/undo`, { dry_run: false }),
    { status: 409, body: { ok: false, error: 'nothing_to_undo' } },
    'it applied nothing',
  )
  t.equal((await service.call('GET', '/api/run/summary')).body.run_id, runId, 'and no run was begun for it')

  await service.host.reload()
  t.match(
    (await service.call('GET', '/api/run/summary')).body,
    { run_id: runId, running: false },
    'the last report is there after a restart',
  )
})

t.test('repeatedly failing items are released by a person, and retried', async (t) => {
  await using service = await start()
  const [ann, ben] = service.accounts as [FakeAccount, FakeAccount, FakeAccount]
  const {
    body: { id },
  } = await service.call('POST', '/api/pairs', { source: 'ANN', target: 'BEN', enabled: true })
  setCatalogue(WORKS)
  ann.put({ feature: 'watchlist', work: WORKS[0]! })
  const run = async () => {
    const {
      body: { run_id: runId },
    } = await service.call('POST', '/api/run')
    await service.host.capability<{ finished(id: string): Promise<unknown> }>(SYNC).finished(runId)
  }
  const open = async () => (await service.call('GET', '/api/run/unresolved')).body.items
  ben.writeFault = 'not_found'
  for (let runs = 0; runs < 12; runs += 1) await run()
  t.match(await open(), [{ pair_id: id, op: 'add', quarantined: true, reason_code: 'quarantined' }])

  ben.writeFault = undefined
  await run()
  t.notOk(ben.has('watchlist', WORKS[0]!), 'it is left alone')
  t.equal((await service.call('POST', '/api/run/unresolved/clear', {})).status, 400)
  t.equal((await service.call('POST', '/api/run/unresolved/clear', { pair_id: id, feature: 'podcasts' })).status, 422)
  t.same((await service.call('POST', '/api/run/unresolved/clear', { pair_id: 'pair_other' })).body, {
    ok: true,
    cleared: 0,
  })
  t.same((await service.call('POST', '/api/run/unresolved/clear', { pair_id: id, key: (await open())[0].key })).body, {
    ok: true,
    cleared: 1,
  })
  await run()
  t.ok(ben.has('watchlist', WORKS[0]!))
  t.same(await open(), [])
})

for (const rewatches of [false, true])
  t.test(
    `items watched without a time are listed with their show and number, each separately${rewatches ? ', also by play' : ''}`,
    async (t) => {
      await using service = await start()
      const [ann] = service.accounts as [FakeAccount, FakeAccount, FakeAccount]
      await service.call('POST', '/api/pairs', {
        source: 'ANN',
        target: 'BEN',
        enabled: true,
        features: { history: { enabled: true, add: true, rewatches } },
      })
      setCatalogue(WORKS)
      for (const name of ['heat', 'thrones-1-1', 'thrones-1-2', 'thrones-2-1'])
        ann.put({ feature: 'history', work: workNamed(name) })
      const read = ann.read.bind(ann)
      ann.read = async function* (instance, request) {
        for await (const part of read(instance, request)) {
          yield part.type === 'rows' ? { ...part, rows: part.rows.map(({ watched_at: _time, ...item }) => item) } : part
        }
      }
      const {
        body: { run_id: runId },
      } = await service.call('POST', '/api/run')
      await service.host.capability<{ finished(id: string): Promise<unknown> }>(SYNC).finished(runId)

      const {
        body: { total, items },
      } = await service.call('GET', '/api/run/unresolved')
      t.equal(total, 4)
      t.match(
        items,
        ['', 'S01E01', 'S01E02', 'S02E01'].map((code, index) => ({
          title: index === 0 ? 'Heat' : 'Thrones',
          code,
          type: index === 0 ? 'movie' : 'episode',
          reason_code: 'missing_watched_at',
          key: index === 0 ? 'movie:tmdb:949' : /^(show|episode):/,
          line: index === 0 ? 'Heat | Missing watched date' : `Thrones - ${code} | Missing watched date`,
        })),
      )
    },
  )

t.test('of several plays those without a time are listed, for either side with more of them', async (t) => {
  await using service = await start()
  const accounts = service.accounts as [FakeAccount, FakeAccount, FakeAccount]
  const history = { enabled: true, add: true, rewatches: true }
  const pair = { source: 'ANN', target: 'BEN', mode: 'two-way', enabled: true, features: { history } }
  await service.call('POST', '/api/pairs', pair)
  setCatalogue(WORKS)
  const [ann, ben] = accounts
  const at = (day: number) => Date.parse(`2026-03-0${day}T20:00:00Z`)
  ann.put({ feature: 'history', work: workNamed('heat'), atMs: at(1) })
  ann.put({ feature: 'history', work: workNamed('heat'), atMs: at(2) })
  ben.put({ feature: 'history', work: workNamed('heat'), atMs: at(1) })
  ben.put({ feature: 'history', work: workNamed('thrones-1-1'), atMs: at(2) })
  for (const account of [ann, ben]) {
    const read = account.read.bind(account)
    account.read = async function* (instance, request) {
      for await (const part of read(instance, request))
        yield part.type === 'rows'
          ? {
              ...part,
              rows: part.rows.map((row) => {
                const { watched_at: time, ...item } = row
                return time?.startsWith('2026-03-02') === true ? item : row
              }),
            }
          : part
    }
  }
  for (let runs = 0; runs < 2; runs += 1) {
    const {
      body: { run_id: runId },
    } = await service.call('POST', '/api/run')
    await service.host.capability<{ finished(id: string): Promise<unknown> }>(SYNC).finished(runId)
    const { body } = await service.call('GET', '/api/run/unresolved')
    t.match(body.items.map(({ title, reason_code: code }: any) => `${title} ${code}`).sort(), [
      'Heat missing_watched_at',
      'Thrones missing_watched_at',
    ])
  }
  t.equal(ben.entries.length, 2, 'nothing was invented')
})

t.test('the unsynced items of a run are listed by it, with the number in its verdict', async (t) => {
  await using service = await start()
  const [ann, , cat] = service.accounts as [FakeAccount, FakeAccount, FakeAccount]
  setCatalogue(WORKS)
  ann.put({ feature: 'history', work: workNamed('heat') })
  cat.put({ feature: 'history', work: workNamed('thrones-1-1') })
  // A play without a time is not written.
  const timeless = new Set<FakeAccount>([ann, cat])
  for (const account of [ann, cat]) {
    const read = account.read.bind(account)
    account.read = async function* (instance, request) {
      for await (const part of read(instance, request))
        yield part.type !== 'rows' || !timeless.has(account)
          ? part
          : { ...part, rows: part.rows.map(({ watched_at: _time, ...item }) => item) }
    }
  }
  for (const source of ['ANN', 'CAT'])
    await service.call('POST', '/api/pairs', {
      ...{ source, target: 'BEN', mode: 'one_way', enabled: true },
      features: { history: true },
    })
  const run = async () => {
    const { body } = await service.call('POST', '/api/run')
    await service.host.capability<{ finished(id: string): Promise<unknown> }>(SYNC).finished(body.run_id)
    return body.run_id as string
  }
  const left = async (id: string) =>
    (await service.call('GET', `/api/run/unresolved?run_id=${id}&not_in_library=false`)).body
  const listed = async (query = '') => (await service.call('GET', `/api/runs${query}`)).body
  const first = await run()
  const reason_code = 'missing_watched_at'
  t.match(await left(first), { total: 2, items: [{ reason_code }, { reason_code }] })
  const verdict = { outcome: 'partly', open: 2 }
  t.match((await listed()).runs, [{ run_id: first, ...verdict }])
  t.match((await service.call('GET', `/api/runs/${first}`)).body.run, verdict)
  t.match((await service.call('GET', '/api/run/summary')).body, verdict)
  t.equal((await listed('?outcome=partly')).total, 1)
  t.equal((await listed('?outcome=synced')).total, 0, 'what is left open is not listed as synced')

  timeless.delete(cat)
  const second = await run()
  t.match(await left(first), { total: 1, items: [{ title: 'Heat' }] }, 'of an earlier run what is still open')
  t.match((await listed()).runs, [
    { run_id: second, outcome: 'partly', open: 1 },
    { run_id: first, ...verdict },
  ])
  t.match(await service.call('GET', '/api/run/unresolved?run_id=other'), {
    status: 404,
    body: { error: 'run_not_found' },
  })
})

t.test('an undone run is marked, and cannot be undone again', async (t) => {
  await using service = await start()
  const [ann, ben] = service.accounts as [FakeAccount, FakeAccount, FakeAccount]
  setCatalogue(WORKS)
  ann.put({ feature: 'watchlist', work: WORKS[0]! })
  await service.call('POST', '/api/pairs', {
    source: 'ANN',
    target: 'BEN',
    enabled: true,
    features: { watchlist: true },
  })
  const finished = (id: string) =>
    service.host.capability<{ finished(id: string): Promise<unknown> }>(SYNC).finished(id)
  const {
    body: { run_id: id },
  } = await service.call('POST', '/api/run')
  await finished(id)
  t.match((await service.call('GET', `/api/runs/${id}`)).body, { undoable: true, run: { undone: null } })
  const {
    body: { run_id: undo },
  } = await service.call('POST', `/api/run/${id}/undo`, { dry_run: false })
  await finished(undo)
  t.notOk(ben.has('watchlist', WORKS[0]!))
  t.match((await service.call('GET', `/api/runs/${id}`)).body, { undoable: false, run: { undone: 'all' } })
  t.match((await service.call('GET', '/api/runs')).body.runs, [
    { run_id: undo, undone: null, undone_run_id: id },
    { run_id: id, undone: 'all', undone_run_id: null },
  ])
})

t.test('all of many open items are counted, and the first are listed', async (t) => {
  await using service = await start()
  const item = JSON.stringify({ type: 'movie', title: 'Heat', ids: { tmdb: '949' } })
  const about = {
    pair_id: 'p',
    feature: 'watchlist',
    uid: 'u',
    op: 'add',
    provider: 'BEN',
    instance: 'default',
    reason: 'not_found',
    item,
    identity: '',
    attempts: 1,
    failures: 1,
    skip_until_run: 0,
    first_at: 0,
    last_at: 0,
    run_id: 'r',
  }
  for (let start = 0; start < 5_100; start += 300) {
    await service.host
      .ownTables('library')
      .insertInto('sync__unresolved')
      .values(Array.from({ length: 300 }, (_, index) => ({ ...about, key: `movie:tmdb:${start + index}` })))
      .execute()
  }
  const { body } = await service.call('GET', '/api/run/unresolved?scope=all')
  t.equal(body.total, 5_100)
  t.equal(body.items.length, 5_000)
})

t.test('an override without effect is refused, and named', async (t) => {
  await using service = await start()
  const pair = { source: 'ANN', target: 'BEN', mode: 'two_way', features: { history: true } }
  const refused = await service.call('POST', '/api/pairs', {
    ...pair,
    providers: { BEN: { history_ignore_dropped_shows: true } },
  })
  t.equal(refused.status, 422)
  t.match(refused.body, { detail: [{ loc: ['body', 'providers', 'BEN', 'history_ignore_dropped_shows'] }] })
  t.same((await service.call('GET', '/api/pairs')).body, [])
  const { status } = await service.call('POST', '/api/pairs', {
    ...pair,
    providers: { BEN: { history_ignore_dropped_shows: false, strict_id_matching: true } },
  })
  t.equal(status, 200)
})

t.test('dropped shows can be ignored where a side reports them, and nowhere else', async (t) => {
  await using service = await start()
  service.accounts[1]!.dropped = []
  const pair = { source: 'ANN', target: 'BEN', features: { history: true } }
  const { status, body } = await service.call('POST', '/api/pairs', {
    ...pair,
    providers: { BEN: { history_ignore_dropped_shows: true } },
  })
  t.equal(status, 200)
  t.same((await service.call('GET', '/api/pairs')).body[0].providers, { ben: { history_ignore_dropped_shows: true } })
  t.same(
    (await service.call('GET', '/api/sync/providers')).body.map(({ capabilities }: any) => capabilities.dropped_shows),
    [false, true, false],
  )
  for (const [side, wanted] of [
    ['ann', true],
    ['ben', 'yes'],
  ]) {
    const refused = await service.call('PUT', `/api/pairs/${body.id}`, {
      providers: { [String(side)]: { history_ignore_dropped_shows: wanted } },
    })
    t.equal(refused.status, 422, String(side))
    t.match(refused.body, { detail: [{ loc: ['body', 'providers', side, 'history_ignore_dropped_shows'] }] })
  }
  t.equal(
    (await service.call('PUT', `/api/pairs/${body.id}`, { name: 'Other' })).body.providers.ben
      .history_ignore_dropped_shows,
    true,
    'it stays',
  )
})

t.test('an option without effect is refused, and named', async (t) => {
  await using service = await start()
  const pair = { source: 'ANN', target: 'BEN' }
  for (const [fields, place] of [
    [{ features: { ratings: { source_of_truth: 'CAT' } } }, ['features', 'ratings', 'source_of_truth']],
    [{ features: { history: { libraries: { ANNE: ['1'] } } } }, ['features', 'history', 'libraries', 'ANNE']],
    [{ features: { history: { libraries: { 'ANN@KIDS': ['1'] } } } }, ['features', 'history', 'libraries', 'ANN@KIDS']],
    [{ providers: { cat: { strict_id_matching: true } } }, ['providers', 'cat']],
    [{ providers: { ann: { page_size: 5 } } }, ['providers', 'ann', 'page_size']],
  ] as const) {
    const { status, body } = await service.call('POST', '/api/pairs', { ...pair, ...fields })
    t.equal(status, 422, JSON.stringify(fields))
    t.match(body, { detail: [{ loc: ['body', ...place] }] })
  }
  t.same((await service.call('GET', '/api/pairs')).body, [])
  const fine = {
    watchlist: { use_anime_mapping: false },
    ratings: { source_of_truth: 'ben' },
    history: { source_of_truth: 'b', libraries: { CAT: ['1'], 'ben@default': ['2'] } },
  }
  t.equal((await service.call('POST', '/api/pairs', { ...pair, features: fine, providers: { ann: true } })).status, 200)
})

t.test('a feature that one of the accounts lacks is kept, and marked', async (t) => {
  await using service = await start()
  const { body: made } = await service.call('POST', '/api/pairs', {
    source: 'ANN',
    target: 'BEN',
    features: { watchlist: true, playlists: true },
  })
  t.match(made.features, { watchlist: { supported: undefined }, playlists: { enabled: true, supported: false } })

  const { body: again } = await service.call('PUT', `/api/pairs/${made.id}`, { features: made.features })
  t.same(again.features, made.features)
})

t.test('features and holdings of providers are listed, and an unread one is not zero', async (t) => {
  await using service = await start()
  const { body: providers } = await service.call('GET', '/api/sync/providers')
  t.match(providers[0], {
    name: 'ANN',
    label: 'ANN',
    popular: null,
    terms: { pairs: null, captures: null },
    list_service: Boolean,
    features: { watchlist: true, playlists: false },
    capabilities: { bidirectional: true },
    configured: true,
    can_source: true,
    instances: [{ id: 'default', configured: true }],
  })
  t.match((await service.call('GET', '/api/sync/providers/counts')).body, {
    ok: true,
    counts: { ANN: null, BEN: null },
    age: null,
    errors: {},
  })
})
