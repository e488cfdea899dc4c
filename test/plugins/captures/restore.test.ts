// slow: the whole service, or very many cases
// Restores and clears with accounts that change between the capture and the restore, and with faults.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import type { WriteFault } from '../sync/world/account.ts'
import { ALL, FEATURES, fill, startCaptures } from './world.ts'

t.setTimeout(900_000)

const world = await startCaptures({ ANN: {}, BEN: {} })
atEndOfFile(() => world[Symbol.asyncDispose]())
const [ann, ben] = [world.account('ANN'), world.account('BEN')]
await world.service.json('/api/config', { json: { sync: { removal_min: 5, removal_ratio: 0.1 } } })

async function clean(): Promise<void> {
  for (const account of [ann, ben]) {
    account.entries = []
    account.readFaults.length = account.writeFaults.length = 0
    account.readFault = account.writeFault = undefined
    account.hidden.clear()
    account.unreadable = []
  }
  ann.identity = 'ann-server/user'
  await world.expect('/clear', {})
}

type Feature = (typeof FEATURES)[number]
const ALL_CONFIRMED = ['removals', 'empty', 'incomplete', 'account', 'scope']

/** The data of the account, without numbers that its service assigns. */
const holdings = (feature?: Feature) =>
  ann.entries
    .filter((entry) => feature === undefined || entry.feature === feature)
    .map(({ work, feature: own, atMs, rating, positionMs }) =>
      JSON.stringify([own, work.name, Math.floor(atMs / 1_000), rating, positionMs]),
    )
    .sort()
/** Rows of a capture, without numbers that the service assigns. */
const rowsOf = async (path: string) =>
  (await world.rows(path)).map(({ item: { native: _native, ...item } }) => JSON.stringify(item)).sort()

async function restore(path: string, mode: string, more: object = {}) {
  return world.post('/restore', { path, mode, confirm: ALL_CONFIRMED, ...more })
}

/** Actions of people and of other services on an account. */
const deeds = fc.array(
  fc.record({
    work: fc.nat({ max: ALL.length - 1 }),
    op: fc.constantFrom('put' as const, 'put' as const, 'drop' as const, 'rewatch' as const),
    value: fc.integer({ min: 1, max: 10 }),
    day: fc.nat({ max: 300 }),
  }),
  { maxLength: 25 },
)
type Deeds = typeof deeds extends fc.Arbitrary<infer Value> ? Value : never

function live(feature: Feature, list: Deeds): void {
  for (const { work: index, op, value, day } of list) {
    const work = ALL[index]!
    if (feature === 'watchlist' && work.type === 'episode') continue
    if ((feature === 'history' || feature === 'progress') && work.type === 'show') continue
    const atMs = Date.UTC(2026, 0, 1 + day, value, 0, 7 * value)
    const values = {
      ...(feature === 'ratings' ? { rating: value } : {}),
      ...(feature === 'progress' ? { positionMs: value * 60_000 } : {}),
    }
    if (op === 'drop') ann.drop(feature, work)
    else ann.put({ work, feature, atMs, ...values })
    if (op === 'rewatch' && feature === 'history') ann.put({ work, feature, atMs: atMs + 3 * 86_400_000 })
  }
}

for (const feature of FEATURES)
  t.test(`property 34: captured ${feature} is there again after a clear_restore, whatever happened meanwhile`, () =>
    fc.assert(
      fc.asyncProperty(deeds, deeds, async (before, after) => {
        await clean()
        live(feature, before)
        const first = await world.create({ feature })
        const had = holdings(feature)
        live(feature, after)
        const { status, body } = await restore(first.path, 'clear_restore')
        if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
        const second = await world.create({ feature })
        const [a, b] = [await rowsOf(first.path), await rowsOf(second.path)]
        // A row with only a title cannot be written; it stays unchanged or is reported.
        const named = (texts: readonly string[]) => texts.filter((text) => !text.includes('"Nameless"'))
        if (named(a).join('\n') !== named(b).join('\n'))
          throw new Error(`had ${had.join(' ')}\nhas ${holdings(feature).join(' ')}\n${JSON.stringify(body.result)}`)
        const isWhole = a.join('\n') === b.join('\n')
        if (body.ok !== isWhole && body.ok) throw new Error('it says that all of it is there')
      }),
      {
        numRuns: runsOf(12),
        // An item with only a title cannot be removed, so the account differs from the capture.
        examples: [[[], [{ work: ALL.findIndex(({ name }) => name === 'nameless'), op: 'put', value: 1, day: 0 }]]],
      },
    ),
  )

t.test(
  'property 36: a merge writes nothing to an unchanged account, never removes, and is complete after one run',
  () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(...FEATURES), deeds, deeds, async (feature, before, after) => {
        await clean()
        live(feature, before)
        const { path } = await world.create({ feature })
        const writes = ann.writes.length
        const same = await restore(path, 'merge')
        if (same.status !== 200 || ann.writes.length !== writes || same.body.result.before_path !== null)
          throw new Error(`an unchanged account was written to: ${JSON.stringify(same.body)}`)
        live(feature, after)
        const had = holdings(feature)
        const first = await restore(path, 'merge')
        const once = holdings(feature)
        if (had.some((text) => !once.includes(text))) throw new Error('a merge changed or removed something')
        if (ann.writes.some(({ op }, place) => place >= writes && op !== 'add'))
          throw new Error('a merge did not only add')
        const count = ann.writes.filter(({ stored }) => stored).length
        await restore(path, 'merge')
        if (holdings(feature).join() !== once.join() || ann.writes.filter(({ stored }) => stored).length !== count)
          throw new Error('the second merge did something')
        if (first.body.result.removed !== 0) throw new Error('it counts removals')
      }),
      { numRuns: runsOf(25) },
    ),
)

t.test('sync_values changes differing values and removes nothing; exact ends with the state of the capture', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom('ratings' as const, 'progress' as const, 'watchlist' as const),
      deeds,
      deeds,
      async (feature, before, after) => {
        await clean()
        live(feature, before)
        const { path } = await world.create({ feature })
        const named = (texts: readonly string[]) =>
          texts
            .map((text) => JSON.parse(text))
            .filter((row) => row[1] !== 'nameless')
            .map((row) => JSON.stringify([row[0], row[1], row[3], row[4]]))
            .sort()
        const captured = named(holdings(feature))
        live(feature, after)
        const works = (texts: readonly string[]) => texts.map((text) => JSON.parse(text)[1])
        const had = named(holdings(feature))
        await restore(path, 'sync_values')
        const synced = named(holdings(feature))
        const lost = works(had).filter((work) => !works(synced).includes(work))
        if (lost.length > 0) throw new Error(`sync_values removed ${lost}`)
        if (captured.some((text) => !synced.includes(text)))
          throw new Error(`sync_values left another value:\n${captured}\n${synced}`)
        const { status, body } = await restore(path, 'exact')
        if (status !== 200 || named(holdings(feature)).join() !== captured.join())
          throw new Error(`${status} ${JSON.stringify(body)}\n${captured}\n${named(holdings(feature))}`)
      },
    ),
    { numRuns: runsOf(20) },
  ),
)

const FAULTS: readonly (WriteFault | undefined)[] = [
  undefined,
  undefined,
  'reject_some',
  'not_found',
  'throws',
  'applied_then_throws',
  'silent_drop',
  'too_few_outcomes',
  'partial_then_throws',
  'applied_then_unknown',
]

const NAMELESS: Deeds = [{ work: ALL.findIndex(({ name }) => name === 'nameless'), op: 'put', value: 1, day: 0 }]

interface Restored {
  readonly mode: string
  readonly result: any
  readonly wanted: readonly string[]
  readonly has: readonly string[]
}

/** Restores the capture while the service fails randomly; the check throws if the result is false. */
const restoredUnderFaults = (check: (restored: Restored) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom('merge', 'exact', 'clear_restore'),
      fc.constantFrom('watchlist' as const, 'history' as const, 'ratings' as const),
      deeds,
      deeds,
      fc.array(fc.constantFrom(...FAULTS), { maxLength: 4 }),
      async (mode, feature, before, after, faults) => {
        await clean()
        live(feature, before)
        const first = await world.create({ feature })
        live(feature, after)
        ann.writeFaults.push(...faults)
        const { status, body } = await restore(first.path, mode)
        ann.writeFaults.length = 0
        if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
        const { result } = body
        const second = await world.create({ feature })
        const keys = async (path: string) => (await world.rows(path)).map(({ key }) => key)
        const [wanted, has] = [await keys(first.path), await keys(second.path)]
        await check({ mode, result, wanted, has })
      },
    ),
    {
      numRuns: runsOf(25),
      // An item with only a title is in the plan, and is never sent.
      examples: [
        ['exact', 'ratings', [], NAMELESS, []],
        ['clear_restore', 'watchlist', NAMELESS, [], ['throws']],
      ],
    },
  )

t.test(
  'property 37: a restore that reports ok has the state of the capture, and another lists exactly the missing rows',
  () =>
    restoredUnderFaults(async ({ mode, result, wanted, has }) => {
      const near = (key: string) => has.some((one) => one === key || isNear(one, key))
      const missing = wanted.filter((key) => !near(key))
      const extra = has.filter((key) => !wanted.includes(key) && !wanted.some((one) => isNear(one, key)))
      if (result.ok && (missing.length > 0 || (mode !== 'merge' && extra.length > 0)))
        throw new Error(`it says ok, and lacks ${missing}, has ${extra}`)
      if (!result.ok && result.verified && missing.length > 0) throw new Error(`verified, and lacks ${missing}`)
      // Long lists are truncated.
      if (!result.verified && result.missing.length < 150 && missing.some((key) => !result.missing.includes(key)))
        throw new Error(`lacks ${missing}, lists ${result.missing}`)
      if (result.before_path !== null) {
        const kept = (await world.list()).find(({ path }) => path === result.before_path)
        if (kept?.trigger !== 'pre_restore' || kept.label !== 'pre-restore')
          throw new Error('no capture of what was before')
      } else if (result.planned.add + result.planned.update + result.planned.remove > 0)
        throw new Error('changed without a capture before')
    }),
)

t.test('property 38: the added, removed and failed rows of a restore are exactly its plan', () =>
  restoredUnderFaults(async ({ result }) => {
    const { planned } = result
    const total = planned.add + planned.update + planned.remove + planned.left_out
    const ended = result.added + result.updated + result.removed + result.unresolved_count + result.failed_count
    if (ended !== total) throw new Error(`${total} planned, ${ended} ended: ${JSON.stringify(result)}`)
  }),
)

/** Plays of one item within a minute are one. */
function isNear(a: string, b: string): boolean {
  const [[one, at], [other, time]] = [a.split('@'), b.split('@')]
  if (at === undefined || time === undefined || one !== other) return false
  return Math.abs(Number(at) - Number(time)) <= 60
}

t.test('a restore is planned first, shown as a plan, and undone completely', async (t) => {
  await clean()
  fill(ann, ALL.slice(20, 50))
  const bundle = await world.create({ feature: 'all' })
  for (const work of ALL.slice(20, 30)) for (const feature of FEATURES) ann.drop(feature, work)
  fill(ann, ALL.slice(50, 62))
  for (const work of ALL.slice(30, 33)) ann.put({ work, feature: 'ratings', rating: 1 })
  const changed = holdings()
  const dry = await world.expect('/restore', { path: bundle.path, mode: 'exact', dry_run: true })
  t.match(dry, { ok: true, result: { dry_run: true, needs: ['removals'], planned: { add: 40, remove: 48 } } })
  t.ok(dry.result.planned.update >= 2)
  t.same(holdings(), changed)
  const refused = await world.post('/restore', { path: bundle.path, mode: 'exact' })
  t.match(
    [refused.status, refused.body],
    [400, { error: 'confirmation_required', needs: ['removals'], planned: { remove: 48 } }],
  )
  t.same(holdings(), changed)
  const shown = await world.service.json(`/api/plans?run_id=${refused.body.run_id}`)
  t.equal(shown.body.plans.length, 4, JSON.stringify(shown.body).slice(0, 500))
  const files = await world.files()
  for (const { plan_id } of shown.body.plans)
    for (const approval of [{}, { allow_mass_delete: true }])
      t.match(await world.service.json('/api/run', { json: { plan_id, ...approval } }), {
        status: 409,
        body: { error: 'plan_not_runnable' },
      })
  t.same(holdings(), changed, 'only the restore applies its plans, which captures first')
  t.same(await world.files(), files)
  const { status, body } = await restore(bundle.path, 'exact', { confirm: ['removals'] })
  t.match(
    [status, body],
    [200, { ok: true, result: { verified: true, added: 40, removed: 48, errors: [] } }],
    JSON.stringify(body).slice(0, 1_500),
  )
  t.equal(body.result.children.length, 4)
  t.match(
    (await world.list()).find(({ path }) => path === body.result.before_path),
    { trigger: 'pre_restore', is_bundle: true },
  )
  const undone = await world.service.json(`/api/run/${body.result.run_id}/undo`, { json: { dry_run: false } })
  t.equal(undone.status, 200, JSON.stringify(undone.body))
  await until(async () => (await world.service.json('/api/run/summary')).body.running === false)
  t.same(holdings(), changed, 'and undone')
})

t.test('an undo of a clear_restore restores the state before it', async (t) => {
  await clean()
  fill(ann, ALL.slice(20, 40), ['ratings'])
  const { path } = await world.create({ feature: 'ratings' })
  ann.put({ work: ALL[20]!, feature: 'ratings', rating: 9 })
  fill(ann, ALL.slice(40, 45), ['ratings'])
  const before = holdings('ratings')
    .map((text) => JSON.parse(text))
    .map((row) => [row[1], row[3]].join())
  const { body } = await restore(path, 'clear_restore')
  t.equal(body.ok, true, JSON.stringify(body).slice(0, 500))
  const undone = await world.service.json(`/api/run/${body.result.run_id}/undo`, { json: { dry_run: false } })
  t.equal(undone.status, 200, JSON.stringify(undone.body))
  await until(async () => (await world.service.json('/api/run/summary')).body.running === false)
  t.same(
    holdings('ratings')
      .map((text) => JSON.parse(text))
      .map((row) => [row[1], row[3]].join()),
    before,
  )
})

t.test('changes that a person must confirm', async (t) => {
  await clean()
  const empty = await world.create({ feature: 'ratings' })
  fill(ann, ALL.slice(6, 9), ['ratings'])
  t.match(await world.post('/restore', { path: empty.path, mode: 'exact' }), {
    status: 400,
    body: { needs: ['empty'] },
  })
  t.equal(ann.of('ratings').length, 3)
  t.match(
    await world.post('/restore', { path: empty.path, mode: 'exact', confirm_empty: true }),
    { status: 200, body: { result: { removed: 2 } } },
    'the nameless one cannot be added again',
  )
  await clean()

  fill(ann, ALL.slice(20, 60), ['watchlist'])
  // A run reads the service, so that the number of its rows is known.
  await world.service.json('/api/editor/state/import', { json: { provider: 'ANN', features: ['watchlist'] } })
  await world.service.json('/api/config', { json: { runtime: { debug: true } } })
  await world.service.json('/api/editor/state/import', { json: { provider: 'ANN', features: ['watchlist'] } })
  for (const { name } of ALL.slice(20, 40)) ann.hidden.add(name)
  const half = await world.create()
  ann.hidden.clear()
  t.match(half, { count: 20, doubt: 'shrunk_read' })
  t.match(
    (await world.list()).find(({ path }) => path === half.path),
    { doubt: 'shrunk_read' },
  )
  t.match(
    await world.post('/restore', { path: half.path, mode: 'exact', confirm: ['removals'] }),
    { status: 400, body: { needs: ['incomplete'] } },
    'a server hid half of its library during the capture',
  )
  t.equal(ann.of('watchlist').length, 40)
  t.match(
    await world.post('/restore', { path: half.path, mode: 'merge' }),
    { status: 200, body: { ok: true } },
    'a merge harms nothing',
  )

  ann.unreadable = [ALL[30]!]
  const some = await world.create()
  ann.unreadable = []
  t.match(some, { count: 39, unreadable: 1 })
  t.match(await world.post('/restore', { path: some.path, mode: 'exact' }), {
    status: 400,
    body: { needs: ['incomplete'] },
  })
  ann.identity = 'ann-server/another-person'
  for (const mode of ['merge', 'exact'])
    t.match((await world.post('/restore', { path: some.path, mode })).body, { error: 'confirmation_required' })
  t.match((await world.post('/restore', { path: some.path, mode: 'merge' })).body.needs, ['account'])
  t.equal(ann.of('watchlist').length, 40)
})

t.test('for another account only confirmed changes and shared ids are in the plan and in the requests', async (t) => {
  await clean()
  ann.schemes = ['tmdb', 'mediab']
  t.teardown(() => (ann.schemes = ['tmdb', 'imdb', 'tvdb']))
  const [film] = ALL
  ann.put({ work: { ...film!, ids: { ...film!.ids, mediab: 'ofann' } }, feature: 'watchlist' })
  const { path } = await world.create()
  ann.entries = []
  ann.writes.length = 0
  ann.identity = 'ann-server/another-person'
  const looked = await world.post('/restore', { path, dry_run: true })
  t.match(looked, { status: 200, body: { result: { needs: ['account'], planned: { add: 1 } } } })
  const [planId] = looked.body.result.plan_ids
  const idsPlanned = async (id: string) =>
    (await world.service.json(`/api/run/plan/${id}`)).body.items.map(({ item }: any) => Object.keys(item.ids))
  t.same(await idsPlanned(planId), [['tmdb']], 'the plan is what will be sent')
  t.match(await world.post('/restore', { path }), { status: 400, body: { needs: ['account'] } })
  t.same(ann.writes, [])
  t.match(await world.post('/restore', { path, confirm: ['account'] }), { status: 200, body: { ok: true } })
  t.same(
    ann.writes.map(({ item }) => Object.keys(item.ids)),
    [['tmdb']],
  )
  ann.identity = 'ann-server/user'
  ann.entries = []
  ann.writes.length = 0
  await world.post('/restore', { path, confirm: ['account'] })
  t.same(
    ann.writes.map(({ item }) => Object.keys(item.ids)),
    [['tmdb', 'mediab']],
    'the same account, although another one would be agreed to',
  )
})

t.test('a capture of the older format has no account, so it must be given', async (t) => {
  await clean()
  await mkdir(join(world.folder, '2025-03-01'), { recursive: true })
  const path = '2025-03-01/20250301T100000Z__ANN__history__old.json'
  const film = { type: 'movie', title: 'Film 0', year: 1980, ids: { tmdb: '100000', mediab: 'ofann' } }
  await writeFile(
    join(world.folder, path),
    JSON.stringify({
      ...{ kind: 'snapshot', created_at: '2025-03-01T10:00:00Z', provider: 'ANN', instance: 'default', label: 'old' },
      ...{ feature: 'history', items: { a: { ...film, watched_at: '2023-11-14T22:13:20Z' } } },
    }),
  )
  ann.writes.length = 0
  t.match(await world.post('/restore', { path }), { status: 400, body: { needs: ['account'] } })
  t.same(ann.writes, [], 'plays of a person who may be another one')
  t.match(await world.post('/restore', { path, confirm: ['account'] }), { status: 200, body: { result: { added: 1 } } })
  t.same(
    ann.writes.map(({ item }) => Object.keys(item.ids)),
    [['tmdb']],
  )
})

t.test(
  'if another person signs in to the profile at any time, nothing is sent to them and nothing of theirs is removed',
  async (t) => {
    /** Before (even) and after each read: for the plan, for the capture before the restore, and for the verification; the
     * last feature only. */
    for (const [feature, moments] of [
      ['watchlist', [1, 2, 3, 4]],
      ['all', [1, 6, 7, 8, 15, 16, 17, 22]],
    ] as const)
      for (const at of moments)
        for (const deed of ['restore', 'clear', 'capture']) {
          await clean()
          fill(ann, ALL.slice(0, 6))
          const { path } = await world.create({ feature })
          const before = (await world.list()).length
          if (deed === 'restore') ann.entries = ann.entries.slice(0, 2)
          const { read } = ann
          let moment = 0
          const pass = () => {
            if (moment++ !== at) return
            ann.identity = 'ann-server/another-person'
            ann.entries = []
            fill(ann, ALL.slice(3, 5))
            ann.writes.length = 0
          }
          ann.read = async function* (this: typeof ann, ...given: Parameters<typeof read>) {
            pass()
            yield* read.apply(this, given)
            pass()
          }
          const features = feature === 'all' ? FEATURES : [feature]
          const { body } =
            deed === 'restore'
              ? await world.post('/restore', { path, mode: 'exact', confirm: ['removals'] })
              : deed === 'clear'
                ? await world.post('/tools/clear', { provider: 'ANN', features, confirm: 'ANN/default' })
                : await world.post('/create', { provider: 'ANN', feature })
          ann.read = read
          if (moment <= at + 1) continue
          const name = `${deed} ${feature} at ${at}`
          t.equal(body.ok, false, name)
          t.same(ann.writes, [], name)
          if (deed === 'capture')
            t.equal((await world.list()).length, before, 'a bundle is of one account, or there is none')
        }
  },
)

t.test('invalid requests are refused before any work starts', async (t) => {
  await clean()
  fill(ann, ALL.slice(0, 4))
  const { path } = await world.create()
  for (const [json, status, error] of [
    [{ path, mode: 'everything' }, 400, 'invalid_mode'],
    [{ path, mode: '' }, 400, 'invalid_mode'],
    [{ path: 'a/b.json' }, 404, 'capture_not_found'],
    [{ path: '../b.json' }, 400, 'invalid_capture_path'],
    [{ path, instance: 'ANN-P04' }, 404, 'unknown_instance'],
  ] as const)
    t.match(
      await world.post('/restore', { ...json, background: true }),
      { status, body: { ok: false, error } },
      JSON.stringify(json),
    )
  for (const [json, status, error] of [
    [{ provider: 'ANN', features: [] }, 400, 'no_features'],
    [{ provider: 'ANN', features: ['lists'] }, 400, 'unsupported_feature'],
    [{ provider: 'ANN', features: ['all'] }, 400, 'unsupported_feature'],
    [{ provider: 'ANN', features: ['watchlist'] }, 400, 'confirmation_required'],
    [{ provider: 'ANN', features: ['watchlist'], confirm: 'ann/default' }, 400, 'confirmation_required'],
    [{ provider: 'ANN', features: ['watchlist'], confirm: 'BEN/default' }, 400, 'confirmation_required'],
    [{ provider: 'NOPE', features: ['watchlist'], confirm: 'NOPE/default' }, 404, 'unknown_provider'],
  ] as const)
    t.match(await world.post('/tools/clear', json), { status, body: { ok: false, error } }, JSON.stringify(json))
  t.same(ann.writes.filter(({ op }) => op === 'remove').length >= 0 && ann.of('watchlist').length, 4)
})

t.test('property 45: after a clear the account has no rows, and the capture from before restores them', () =>
  fc.assert(
    fc.asyncProperty(
      fc.subarray([...FEATURES], { minLength: 1 }),
      deeds,
      fc.constantFrom(...FAULTS),
      async (features, list, fault) => {
        await clean()
        for (const feature of features) live(feature, list)
        ann.entries = ann.entries.filter(({ work }) => work.name !== 'nameless')
        const had = features.flatMap((feature) => holdings(feature)).sort()
        if (fault !== undefined) ann.writeFaults.push(fault)
        const { status, body } = await world.post('/tools/clear', { provider: 'ANN', features, confirm: 'ANN/default' })
        ann.writeFaults.length = 0
        if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
        const left = features.flatMap((feature) => holdings(feature))
        if (body.ok !== (left.length === 0))
          throw new Error(`ok ${body.ok}, and ${left.length} left: ${JSON.stringify(body)}`)
        for (const feature of features) {
          const own = body.result.results[feature]
          if (own.ok !== (holdings(feature).length === 0) || (own.remaining ?? -1) !== holdings(feature).length)
            throw new Error(JSON.stringify(own))
          if (body.ok && (await world.create({ feature })).count !== 0) throw new Error('rows remain')
        }
        const { before_path: before } = body.result
        const kept = (await world.list()).find(({ path }) => path === before)
        if (kept?.trigger !== 'pre_clear') throw new Error('no capture of what was before')
        const back = await restore(before, 'exact')
        if (!back.body.ok) throw new Error(JSON.stringify(back.body).slice(0, 2_000))
        const has = features.flatMap((feature) => holdings(feature)).sort()
        if (has.join('\n') !== had.join('\n')) throw new Error(`had ${had}\nhas ${has}`)
      },
    ),
    { numRuns: runsOf(20) },
  ),
)

t.test('a provider that fails at the start, or midway', async (t) => {
  await clean()
  fill(ann, ALL.slice(20, 45))
  const { path } = await world.create({ feature: 'all' })
  fill(ann, ALL.slice(45, 50))
  const before = holdings()
  // The reads for the plan succeed; the capture of the previous state fails.
  let reads = 0
  const { read } = ann
  ann.read = async function* (instance, request) {
    reads += 1
    if (reads === 6) ann.readFaults.push('partial')
    yield* read.call(ann, instance, request)
  }
  const refused = await restore(path, 'exact')
  ann.read = read
  t.match([refused.status, refused.body.error], [502, 'capture_failed'], JSON.stringify(refused.body))
  t.same(holdings(), before, 'nothing was changed without a capture')
  ann.readFault = 'partial'
  t.match(await restore(path, 'exact'), { status: 502, body: { error: 'read_incomplete' } })
  ann.readFault = undefined
  t.same(holdings(), before)
  // Everything is removed, and then the service is down.
  const { write } = ann
  ann.write = async (instance, request) => {
    if (request.op === 'remove' && request.items.length < 7) ann.writeFaults.push('throws')
    return write.call(ann, instance, request)
  }
  const one = (await world.list()).find(({ feature, bundle_path: bundle }) => feature === 'ratings' && bundle === path)
  const { body } = await restore(one.path, 'clear_restore')
  ann.write = write
  t.match(
    body,
    { ok: false, result: { ok: false, added: 0, error: 'not_restored' } },
    JSON.stringify(body).slice(0, 800),
  )
  t.ok(body.result.failed_count > 0)
  t.equal(body.result.verified, false)
  const again = await restore(one.path, 'exact')
  t.equal(again.body.ok, true)
})

t.test('property 46: an account is never captured, restored and synced at the same time', async (t) => {
  await clean()
  fill(ann, ALL.slice(20, 60))
  const { body: pair } = await world.service.json('/api/pairs', {
    json: {
      source: 'ANN',
      target: 'BEN',
      mode: 'two_way',
      enabled: true,
      features: { watchlist: { enabled: true, add: true, remove: true } },
    },
  })
  t.ok(pair.ok, JSON.stringify(pair))
  const log: string[] = []
  const { read, write } = ann
  let running = 0
  const guarded =
    <Args extends unknown[], Result>(what: string, work: (...args: Args) => Result) =>
    (...args: Args) => {
      log.push(what)
      return work(...args)
    }
  ann.read = guarded('read', async function* (instance, request) {
    running += 1
    if (running > 1) log.push('INTERLEAVED')
    try {
      await new Promise((resolve) => setTimeout(resolve, 30))
      yield* read.call(ann, instance, request)
    } finally {
      running -= 1
    }
  })
  const run = await world.service.json('/api/run', { json: {} })
  t.equal(run.status, 200)
  const statuses = new Set<number>()
  const path = (await world.list())[0]?.path
  for (let tries = 0; tries < 20; tries += 1) {
    const answer = await world.post('/create', { provider: 'ANN', feature: 'watchlist' })
    statuses.add(answer.status)
    if (answer.status === 409) t.match(answer.body, { error: 'busy', holder: /sync|capture/, since: Number })
  }
  await until(async () => (await world.service.json('/api/run/summary')).body.running === false)
  const both = await Promise.all([
    world.post('/create', { provider: 'ANN', feature: 'watchlist', background: true }),
    world.post('/create', { provider: 'ANN', feature: 'watchlist', background: true }),
  ])
  t.same(both.map(({ status }) => status).sort(), [202, 409])
  await world.ended(both.find(({ status }) => status === 202)!.body.progress_id)
  ann.read = read
  ann.write = write
  t.notOk(log.includes('INTERLEAVED'), [...statuses].join())
  void path
  await world.service.json(`/api/pairs/${pair.id ?? pair.pair?.id}`, { method: 'DELETE' })
})

t.test('after a clear, no pair removes at the other side what the account lacks', async (t) => {
  await clean()
  // With so few rows, two empty reads are believed. No pair wrote these before: a write that no read showed is not repeated.
  fill(ann, ALL.slice(64, 72), ['watchlist'])
  const { body: pair } = await world.service.json('/api/pairs', {
    json: {
      source: 'ANN',
      target: 'BEN',
      mode: 'two_way',
      enabled: true,
      features: { watchlist: { enabled: true, add: true, remove: true } },
    },
  })
  await world.service.json('/api/config', { json: { sync: { enable_remove: true, allow_mass_delete: true } } })
  const sync = async () => {
    await world.service.json('/api/run', { json: {} })
    await until(async () => (await world.service.json('/api/run/summary')).body.running === false)
  }
  await sync()
  await sync()
  t.equal(ben.of('watchlist').length, 8)
  const { body } = await world.post('/tools/clear', {
    provider: 'ANN',
    features: ['watchlist'],
    confirm: 'ANN/default',
  })
  t.match(body, { ok: true, result: { results: { watchlist: { removed: 8, remaining: 0 } } } })
  for (let runs = 0; runs < 4; runs += 1) await sync()
  t.equal(ben.of('watchlist').length, 8)
  // A restore is resumed instead: its removals stay.
  const before = body.result.before_path
  await restore(before, 'merge')
  await sync()
  await sync()
  fill(ann, ALL.slice(60, 64), ['watchlist'])
  await sync()
  t.equal(ben.of('watchlist').length, 12)
  t.equal((await restore(before, 'exact')).body.result.removed, 4)
  for (let runs = 0; runs < 4; runs += 1) await sync()
  t.same([ann.of('watchlist').length, ben.of('watchlist').length], [8, 8], 'the next sync does not undo the restore')
  await world.service.json(`/api/pairs/${pair.id ?? pair.pair?.id}`, { method: 'DELETE' })
  await world.service.json('/api/config', { json: { sync: { enable_remove: false, allow_mass_delete: false } } })
})

async function until(check: () => Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + 20_000
  while (!(await check())) {
    if (Date.now() > endsAt) throw new Error('it did not happen')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
