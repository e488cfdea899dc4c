// slow: the whole service, or very many cases
// Events during a pass or a fix: rules that are reloaded, hang or end their thread, libraries that change, concurrent requests,
// and malicious names.
import { join } from 'node:path'
import t from 'tap'
import { film, openWorld, pair, row } from './world.ts'

const PROBLEMS = '/api/analyzer/problems'
const bad = (name: string) => join(import.meta.dirname, 'bad', `${name}.ts`)
const rows = { 'A@default watchlist': [film(1), film(2)], 'B@default watchlist': [film(1)] }
const pairs = [pair('A', 'B', { features: ['watchlist'] })]
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

t.test('a rule that is reloaded during a pass is called again, and so is its previous version', async (t) => {
  let version = 1
  await using world = await openWorld({
    rows,
    pairs,
    rules: [],
    onText: (name) => {
      if (name.startsWith('A')) version = 2
    },
    capabilities: {
      'analyzer:version': {
        describe: () => ({ label: 'Version', problems: [], needs: {}, fixes: [] }),
        module: async () => ({ plugin: 'version', file: bad(`version-${version}`) }),
      },
    },
  })
  const shown = async () => {
    const { body } = await world.get(PROBLEMS)
    t.same([body.total, body.failed_rules], [3, []])
    return body.problems[0].message
  }
  t.equal(await shown(), 'Version 1.', 'a pass goes on with what it began with')
  t.equal(version, 2)
  t.equal(await shown(), 'Version 2.')
  version = 1
  t.equal(await shown(), 'Version 1.', 'nothing of one version is shown for another')
})

t.test('a rule that ends the thread of all rules twice is left out', async (t) => {
  await using world = await openWorld({ rows, pairs, rules: ['missing-peer'], more: { ends: bad('ends') } })
  for (const _ of [1, 2]) {
    const { status, body } = await world.get(PROBLEMS)
    t.equal(status, 200, JSON.stringify(body))
    t.match(body.failed_rules, [{ rule: 'ends', reason: 'ended_thread' }])
    t.match(body.problems, [{ type: 'missing_peer', key: 'movie:tmdb:2' }])
  }
})

t.test('a fix that does not return is refused, and everything else continues', async (t) => {
  await using world = await openWorld({
    rows: { ...rows, 'SVC@default watchlist': [film(1)] },
    pairs,
    rules: ['missing-peer'],
    more: { fixes: bad('fixes') },
    config: { rule_seconds: 1 },
  })
  const target = { provider: 'SVC', feature: 'watchlist', key: 'movie:tmdb:1' }
  const [fixed, problems, system] = await Promise.all([
    world.send('POST', '/api/analyzer/fix', { ...target, type: 'endless_plan' }),
    world.get(PROBLEMS),
    world.get('/api/analyzer/system'),
  ])
  t.match(fixed, { status: 400, body: { ok: false, error: 'fix_failed' } })
  t.match(problems, { status: 200, body: { problems: [{ type: 'missing_peer' }] } })
  t.equal(system.status, 200)
  t.same(world.written, [])
  t.match((await world.get(PROBLEMS)).body.failed_rules, [{ rule: 'fixes', reason: 'too_slow' }])
  t.match(
    await world.send('POST', '/api/analyzer/fix', { ...target, type: 'good_plan' }),
    { status: 400 },
    'until it changes',
  )
})

t.test('requests waiting for a thread that a rule ends are answered', async (t) => {
  await using world = await openWorld({
    rows,
    pairs,
    rules: ['missing-peer', 'plugin-health', 'stored-state'],
    more: { endless: bad('endless') },
    config: { rule_seconds: 1 },
  })
  const answers = await Promise.all(
    [
      PROBLEMS,
      '/api/analyzer/system',
      `${PROBLEMS}?pairs=${pairs[0]!.id}`,
      '/api/analyzer/state',
      '/api/analyzer/ratings-audit',
    ].map((path) => world.get(path)),
  )
  for (const { status, body } of answers) t.equal(status, 200, JSON.stringify(body))
})

t.test('a hundred thousand findings with long fields on one page are counted, and listed up to a limit', async (t) => {
  await using world = await openWorld({ rows, pairs, rules: ['missing-peer'], more: { long: bad('long') } })
  const { status, body } = await world.get(`${PROBLEMS}?limit=1`)
  t.equal(status, 200)
  t.same(body.failed_rules, [])
  t.equal(body.summary.by_type.long, 200_000)
  t.ok(body.total > 1_000 && body.total < 20_000, String(body.total))
  t.equal((await world.get(`${PROBLEMS}?type=missing_peer`)).body.total, 1, 'the others have theirs')
})

t.test('two concurrent passes over a changing library each compare rows of one moment', async (t) => {
  const size = 1_200
  const all = range(0, size).map((id) => film(id))
  let changes = 0
  const own = [...pairs, pair('A', 'C', { features: ['watchlist'] })]
  await using world = await openWorld({
    rows: Object.fromEntries(['A', 'B', 'C'].map((name) => [`${name}@default watchlist`, all])),
    pairs: own,
    rules: ['missing-peer'],
    onText: (name) => {
      if (changes >= 2 || !name.startsWith('B')) return
      changes += 1
      for (const one of ['A', 'B', 'C'])
        world.data.set(`${one}@default watchlist`, world.data.get(`${one}@default watchlist`)!.slice(300))
      world.changed()
    },
  })
  const answers = await Promise.all(
    ['', `?pairs=${own[0]!.id}`, `?pairs=${own[1]!.id}`, ''].map((query) => world.get(`${PROBLEMS}${query}`)),
  )
  for (const { status, body } of answers) {
    t.equal(status, 200, JSON.stringify(body))
    t.equal(body.summary.total, 0)
    for (const { total, synced } of body.pair_stats) t.same([total, synced], [size - 600, size - 600])
  }
})

t.test('a fix must still make the confirmed change', async (t) => {
  const rated = (rating: number, year: number) => film(1, { rating, rated_at: `${year}-05-01T00:00:00Z` })
  await using world = await openWorld({
    rows: { 'A@default ratings': [rated(9, 2025)], 'B@default ratings': [rated(3, 2024)] },
    pairs: [pair('A', 'B', { features: ['ratings'] })],
  })
  const body = { provider: 'A', feature: 'ratings', key: 'movie:tmdb:1', type: 'rating_conflict' }
  const fix = (more: object) => world.send('POST', '/api/analyzer/fix', { ...body, ...more })
  const { changes } = (await fix({ dry_run: true })).body
  t.same(changes, ['The B: rating 3 becomes 9'])
  // The item is rated again at B, later than at A: the fix would have the reverse direction.
  world.data.set('B@default ratings', [row(rated(4, 2026))])
  world.changed()
  t.match(await fix({ changes }), { status: 409, body: { error: 'changed_since' } })
  t.same(world.written, [])
  const now = (await fix({ dry_run: true })).body.changes
  t.same(now, ['The A: rating 9 becomes 4'])
  t.equal((await fix({ changes: now })).status, 200)
  t.match(world.written, [{ provider: 'A', changes: [{ item: { rating: 4 }, current: { rating: 9 } }] }])
  t.equal((await fix({ changes: 'no list' })).status, 422)
})

t.test('malicious names are found or not, and never cause a server error', async (t) => {
  const odd = [
    '__proto__',
    'constructor',
    '../../etc/passwd',
    'a\u0000b',
    'x"y',
    'ü\u{1F600}\n',
    '%',
    "';--",
    'x'.repeat(900),
  ]
  const keyed = odd.map((key) => ({ key, item: film(1, { title: key, library_id: key }) }))
  await using world = await openWorld({ rows: { 'A@default watchlist': keyed, 'B@default watchlist': [] }, pairs })
  const { body } = await world.get(`${PROBLEMS}?limit=1000`)
  t.same(body.failed_rules, [])
  for (const key of odd) {
    const found = await world.get(
      `/api/analyzer/detail?${new URLSearchParams({ provider: 'A', feature: 'watchlist', key })}`,
    )
    t.match(found, { status: 200, body: { targets: ['B'] } }, key)
    for (const [method, path, payload] of [
      ['POST', '/api/analyzer/fix', { provider: 'A', feature: 'watchlist', key, type: key.slice(0, 200) }],
      ['POST', '/api/analyzer/patch', { provider: key.slice(0, 200), feature: 'watchlist', key, ids: {} }],
      ['POST', `/api/analyzer/changes/${encodeURIComponent(key.slice(0, 90))}/undo`, {}],
      ['DELETE', '/api/analyzer/exclusions', { type: key.slice(0, 200), key }],
      ['POST', '/api/analyzer/suggest', { provider: 'A', feature: 'watchlist', key: `${key}!` }],
    ] as const) {
      const { status } = await world.send(method, path, payload)
      t.ok([400, 404].includes(status), `${status} ${method} ${path} ${key}`)
    }
    for (const query of [`pairs=${encodeURIComponent(key)}`, `type=${encodeURIComponent(key.slice(0, 200))}`]) {
      const { status } = await world.get(`${PROBLEMS}?${query}`)
      t.equal(status, query.startsWith('pairs') ? 404 : 200, query)
    }
  }
  for (const path of ['detail?provider=A&feature=watchlist&key=%ff%fe', 'state?q=%ff', 'changes/%ff/undo'])
    t.ok((await world.host.inject(`/api/analyzer/${path}`)).statusCode < 500, path)
  t.equal((await world.get(`/api/analyzer/detail?provider=A&feature=watchlist&key=${'y'.repeat(1_001)}`)).status, 422)
  t.same(world.written, [])
})
