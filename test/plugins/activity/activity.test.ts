// The activity log: rows, retention and search.
import fc, { runsOf } from '../../fast-check.ts'
import { sql } from 'kysely'
import t from 'tap'
import { type ActivityEntry, type ActivityLog, type AppliedOperation, type RunSummary, ACTIVITY } from '@playhead/sdk'
import { createTestClock, createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/activity/index.ts'
import { createLog } from '../../../plugins/services/activity/log.ts'

const manifest = new URL('../../../plugins/services/activity/plugin.json', import.meta.url)
const START_MS = Date.parse('2026-07-01T20:00:00Z')
const START = START_MS / 1_000

const watched = (more: Partial<ActivityEntry> = {}): ActivityEntry => ({
  kind: 'scrobble',
  method: 'watcher',
  event: 'scrobble_stop',
  source: 'MEDIAA',
  target: 'TRACKA',
  media_type: 'movie',
  title: 'Heat',
  year: 1995,
  progress: 97,
  account: 'ann',
  ids: { tmdb: '949' },
  watchedAtMs: START_MS,
  capturedAtMs: START_MS,
  ...more,
})

async function open(capabilities: Readonly<Record<string, object>> = {}) {
  const host = await createTestHost({ plugin, manifest, capabilities })
  const log = host.capability<ActivityLog>(ACTIVITY)
  return {
    host,
    log,
    async get(path: string) {
      const answer = await host.inject(path)
      return { status: answer.statusCode, body: answer.json() }
    },
    [Symbol.asyncDispose]: () => host.close(),
  }
}

t.test('a watch event that was delivered to three accounts is one row with three targets', async (t) => {
  await using world = await open()
  t.equal(
    await world.log.record([
      watched(),
      watched({ target: 'trackb', progress: 98 }),
      watched({ target: 'TRACKA', target_instance: 'TRACKA-P01', capturedAtMs: START_MS + 119_000 }),
    ]),
    3,
  )
  const { body } = await world.get('/api/activity/history')
  t.match(body, { ok: true, total: 1, offset: 0, limit: 100, has_more: false })
  const [{ id, ...row }] = body.items
  t.match(id, /^[0-9a-f]{24}$/)
  t.strictSame(row, {
    kind: 'scrobble',
    event: 'scrobble_stop',
    status: 'ok',
    source: 'mediaa',
    source_instance: 'default',
    target: 'tracka',
    target_instance: 'default',
    targets: [
      { target: 'tracka', target_instance: 'default' },
      { target: 'trackb', target_instance: 'default' },
      { target: 'tracka', target_instance: 'TRACKA-P01' },
    ],
    media_type: 'movie',
    title: 'Heat',
    method: 'watcher',
    account: 'ann',
    year: 1995,
    progress: 97,
    watched_at: START,
    captured_at: START,
    ids: { tmdb: '949' },
  })
})

const apart: readonly (readonly [name: string, more: Partial<ActivityEntry>])[] = [
  ['more than two minutes later', { capturedAtMs: START_MS + 121_000 }],
  ['from another profile', { source_instance: 'MEDIAA-P01' }],
  ['of another person', { account: 'ben' }],
  ['with another outcome', { status: 'failed' }],
  ['of another year', { year: 1986 }],
  ['told to the same account again', { target: 'TRACKA', capturedAtMs: START_MS + 61_000 }],
]
for (const [name, more] of apart) {
  t.test(`a separate row: ${name}`, async (t) => {
    await using world = await open()
    await world.log.record([watched()])
    await world.log.record([watched({ target: 'TRACKB', ...more })])
    t.equal((await world.get('/api/activity/history')).body.total, 2)
  })
}

t.test('a second failure a minute later is kept, a repeated report of the same delivery is merged', async (t) => {
  await using world = await open()
  for (const capturedAtMs of [START_MS, START_MS + 1_000, START_MS + 60_000])
    await world.log.record([watched({ status: 'failed', capturedAtMs })])
  t.equal((await world.get('/api/activity/history?status=failed')).body.total, 2)
  t.equal((await world.get('/api/activity/history?status=error')).body.total, 2)
  t.equal((await world.get('/api/activity/history?status=ok')).body.total, 0)
})

t.test('an entry replaces the earlier one with the same id', async (t) => {
  await using world = await open()
  await world.log.record([watched({ id: 'own', progress: 10 })])
  await world.log.record([watched({ id: 'own', progress: 90, title: 'Heat (restored)' })])
  const { body } = await world.get('/api/activity/history?q=restored')
  t.match(body, { total: 1, items: [{ id: 'own', progress: 90, targets: { length: 1 } }] })
})

t.test('deliveries that name their event share a row, at any distance', async (t) => {
  await using world = await open()
  await world.log.record([watched({ fanout_id: 'e1' })])
  await world.log.record([
    watched({ fanout_id: 'e1', target: 'SVC', capturedAtMs: START_MS + 900_000 }),
    watched({ fanout_id: 'e2', target: 'LISTA' }),
  ])
  t.strictSame((await world.log.list()).items.map(({ targets }) => targets.length).toSorted(), [1, 2])
})

t.test('only films and episodes are recorded, with numbers for episodes alone', async (t) => {
  await using world = await open()
  const stored = await world.log.record([
    watched({ media_type: 'show' as 'movie' }),
    watched({ source: ' ' }),
    watched({ target: '' }),
    watched({ season: 4, episode: 5, title: ' ', progress: 140 }),
    watched({
      media_type: 'episode',
      title: 'Series',
      season: 0,
      episode: 5,
      progress: -3,
      status: '',
      kind: undefined as never,
    }),
  ])
  t.equal(stored, 2)
  const { items } = await world.log.list()
  t.match(
    items.find(({ media_type: type }) => type === 'movie'),
    { title: 'Untitled', progress: 100, season: undefined, episode: undefined },
  )
  t.match(
    items.find(({ media_type: type }) => type === 'episode'),
    { season: 0, episode: 5, progress: 0, status: 'ok', kind: 'activity' },
  )
})

t.test('words are searched literally, in any case, at any position', async (t) => {
  await using world = await open()
  await world.log.record([
    watched({ title: '100% Wolf_Ä "x"', method: 'webhook' }),
    watched({
      title: 'Wolf 100',
      target: 'SVC',
      target_instance: 'SVC-P02',
      account: 'Zoe',
      capturedAtMs: START_MS + 1_000,
    }),
  ])
  const total = async (q: string) => (await world.get(`/api/activity/history?q=${encodeURIComponent(q)}`)).body.total
  for (const [q, wanted] of [
    ['wolf', 2],
    ['0% w', 1],
    ['%', 1],
    ['_ä', 1],
    ['wolf_a', 1],
    ['"', 1],
    ['svc-p02', 1],
    ['ZOE', 1],
    ['webhook', 1],
    ['scrobble_', 2],
    ['*', 0],
    ['😀', 0],
    ['', 2],
  ] as const) {
    t.equal(await total(q), wanted, q)
  }
})

t.test('pages belong to one list, for any filter', async (t) => {
  await using world = await open()
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          media_type: fc.constantFrom('movie' as const, 'episode' as const),
          status: fc.constantFrom('ok', 'failed'),
          title: fc.constantFrom('Heat', 'Ronin', 'Alien'),
          capturedAtMs: fc.integer({ min: 0, max: 2_000 }).map((seconds) => START_MS + seconds * 1_000),
          target: fc.constantFrom('TRACKA', 'TRACKB'),
        }),
        { maxLength: 40 },
      ),
      fc.integer({ min: 1, max: 7 }),
      async (entries, limit) => {
        await world.log.clear()
        await world.log.record(entries.map((entry) => watched(entry)))
        for (const query of ['', 'media_type=movie', 'status=failed', 'q=heat', `since=${START + 1_000}`]) {
          const whole = (await world.get(`/api/activity/history?limit=500&${query}`)).body
          const paged: unknown[] = []
          for (let offset = 0; ; offset += limit) {
            const { items, has_more, total } = (
              await world.get(`/api/activity/history?limit=${limit}&offset=${offset}&${query}`)
            ).body
            paged.push(...items)
            if (total !== whole.items.length) throw new Error(`${total} of ${whole.items.length}`)
            if (has_more !== paged.length < total) throw new Error('has_more is wrong')
            if (!has_more) break
          }
          if (JSON.stringify(paged) !== JSON.stringify(whole.items)) throw new Error(`the pages differ for ${query}`)
          const targets = whole.items.flatMap((row: { targets: unknown[] }) => row.targets).length
          if (
            query === '' &&
            targets !==
              new Set(
                entries.map(({ target, title, media_type, status, capturedAtMs }) =>
                  JSON.stringify([target, title, media_type, status, Math.floor(capturedAtMs / 60_000)]),
                ),
              ).size
          )
            throw new Error('deliveries were lost or doubled')
          const order = whole.items.map((row: { captured_at: number }) => row.captured_at)
          if (order.some((at: number, index: number) => index > 0 && at > order[index - 1]))
            throw new Error('the newest is not first')
        }
      },
    ),
    { numRuns: runsOf(25) },
  )
  t.pass('for all lists')
})

t.test('the last rows, and those since a time', async (t) => {
  await using world = await open()
  await world.log.record(
    Array.from({ length: 15 }, (_, index) =>
      watched({ title: `Film ${index}`, capturedAtMs: START_MS + index * 1_000 }),
    ),
  )
  const { body } = await world.get('/api/activity/recent')
  t.match(body, { ok: true, total: 15, limit: 10, offset: 0, has_more: true, items: { length: 10 } })
  t.equal(body.items[0].title, 'Film 14')
  t.equal((await world.get(`/api/activity/recent?since=${START + 13}`)).body.total, 2)
})

t.test('minutes are the known ones, otherwise the usual ones', async (t) => {
  await using world = await open()
  await world.log.record([
    watched(),
    watched({ target: 'TRACKB' }),
    watched({ title: 'Short', runtime_minutes: 20 }),
    watched({ media_type: 'episode', title: 'Series', season: 1, episode: 1 }),
    watched({ title: 'Lost', status: 'failed' }),
  ])
  t.equal(await world.log.minutes({ status: 'ok' }), 115 + 20 + 45)
  t.equal(await world.log.minutes({ kinds: ['history_sync'] }), 0)
})

t.test('everything is deleted, or one kind', async (t) => {
  await using world = await open()
  await world.log.record([
    watched(),
    watched({ target: 'TRACKB' }),
    watched({ kind: 'history_sync', event: 'history_add', method: '' }),
  ])
  t.strictSame(await world.log.clear('scrobble'), { removed: 2, remaining: 1 })
  const remove = async () => (await world.host.inject({ method: 'DELETE', url: '/api/activity/history' })).json()
  t.strictSame(await remove(), { ok: true, existed: true, kind: '', removed: 1, remaining: 0 })
  t.strictSame(await remove(), { ok: true, existed: false, kind: '', removed: 0, remaining: 0 })
})

t.test('deleting is one step: what breaks off in between removes nothing', async (t) => {
  await using world = await open()
  await world.log.record(Array.from({ length: 600 }, (_, index) => watched({ title: `Film ${index}` })))
  await sql`create trigger broken before delete on activity__event when old.title = 'Film 400'
    begin select raise(abort, 'broken off'); end`.execute(world.host.db)
  for (const kind of [undefined, 'scrobble']) {
    await t.rejects(world.log.clear(kind), /broken off/)
    t.equal((await world.log.list()).total, 600)
    const [counted] = (await sql<{ n: number }>`select count(*) as n from activity__target`.execute(world.host.db)).rows
    t.equal(counted?.n, 600)
  }
})

t.test('data that cannot be deleted is reported', async (t) => {
  await using world = await open()
  await world.log.record([watched()])
  await world.host.db.schema.dropTable('activity__target').execute()
  const answer = await world.host.inject({ method: 'DELETE', url: '/api/activity/history' })
  t.equal(answer.statusCode, 500)
  t.match(answer.json(), { ok: false, error: 'clear_activity_failed' })
})

t.test('the oldest are deleted: after a year, and beyond a number', async (t) => {
  await using world = await open()
  const clock = createTestClock()
  const nowMs = clock.now()
  const log = createLog(world.host.db, () => clock.now(), 30)
  await log.capability.record(
    Array.from({ length: 40 }, (_, index) => watched({ title: `Film ${index}`, capturedAtMs: nowMs + index * 1_000 })),
  )
  await log.prune()
  const { items, total } = await log.capability.list()
  t.equal(total, 30)
  t.equal(items.at(-1)?.title, 'Film 10')
  clock.advance(365 * 86_400_000 + 25_000)
  await log.prune()
  t.equal((await log.capability.list()).total, 15)
  const left = await world.host.db
    .selectFrom('activity__target')
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirst()
  t.equal(Number(left?.['count']), 15, 'nothing is left of the others')
})

const added = (
  target: string,
  item: AppliedOperation['item'],
  more: Partial<AppliedOperation> = {},
): AppliedOperation => ({
  run_id: 'r1',
  pair_id: 'p',
  feature: 'history',
  op: 'add',
  key: 'k',
  item,
  source: { provider: 'MEDIAA', instance: 'default' },
  target: { provider: target, instance: 'default' },
  atMs: START_MS,
  ...more,
})

function syncOf(
  runs: readonly { readonly id: string; readonly dry?: boolean; readonly applied: readonly AppliedOperation[] }[],
) {
  const asked: string[] = []
  return {
    asked,
    active: async () => null,
    reports: async () =>
      runs
        .toReversed()
        .map(
          ({ id, dry = false, applied }): RunSummary => ({
            run_id: id,
            running: false,
            result: 'ok',
            exit_code: 0,
            dry_run: dry,
            features: { history: { added: applied.length } },
          }),
        ),
    async *applied(runId: string) {
      asked.push(runId)
      yield runs.find(({ id }) => id === runId)?.applied ?? []
    },
  }
}

t.test('additions of a run to histories are recorded, one row per play with all its target accounts', async (t) => {
  const heat = {
    type: 'movie' as const,
    title: 'Heat',
    year: 1995,
    ids: { tmdb: '949' },
    watched_at: '2026-06-01T20:00:00Z',
  }
  const episode = {
    type: 'episode' as const,
    title: 'Two',
    ids: {},
    show_ids: { tmdb: '5' },
    series_title: 'Series',
    series_year: 2011,
    season: 1,
    episode: 2,
    watched_at: '2026-06-02',
  }
  const sync = syncOf([
    {
      id: 'r1',
      applied: [
        added('TRACKA', heat),
        added('TRACKB', heat, { pair_id: 'q' }),
        added('TRACKA', { ...heat, watched_at: '2026-06-09T20:00:00Z' }),
        added('TRACKA', episode),
        added('TRACKA', { type: 'show', ids: { tmdb: '9' } }),
        added('TRACKA', heat, { feature: 'ratings' }),
        added('TRACKA', heat, { op: 'remove' }),
      ],
    },
    { id: 'dry', dry: true, applied: [added('LISTA', heat)] },
  ])
  await using world = await open({ sync })
  world.host.events.emit('run.finished', { run_id: 'r1' })
  await world.host.events.settled()
  const { items, total } = await world.log.list()
  t.equal(total, 3)
  t.match(
    items.find(({ targets }) => targets.length === 2),
    {
      kind: 'history_sync',
      event: 'history_add',
      status: 'ok',
      title: 'Heat',
      source: 'mediaa',
      watched_at: Date.parse('2026-06-01T20:00:00Z') / 1_000,
      captured_at: START,
    },
  )
  t.match(
    items.find(({ media_type: type }) => type === 'episode'),
    { title: 'Series', year: 2011, season: 1, episode: 2, ids: { tmdb: '5' } },
  )
  t.notOk('method' in items[0]!)

  world.host.events.emit('run.finished', { run_id: 'r1' })
  await world.host.events.settled()
  await world.host.reload()
  await world.host.runDelayed()
  t.strictSame(sync.asked, ['r1'], 'a run is taken in once')
  t.equal((await world.log.list()).total, 3)
})

t.test('a run that ended while the plugin was off is ingested when it is back', async (t) => {
  await using world = await open({
    sync: syncOf([{ id: 'r1', applied: [added('TRACKA', { type: 'movie', title: 'Heat', ids: { tmdb: '949' } })] }]),
  })
  await world.host.runDelayed()
  t.equal((await world.log.list()).total, 1)
})

t.test('a first run of many thousand plays is ingested without blocking', async (t) => {
  const plays = Array.from({ length: 4_000 }, (_, index) =>
    added('TRACKA', { type: 'movie', title: `Film ${index}`, ids: { tmdb: String(index + 1) } }),
  )
  await using world = await open({ sync: syncOf([{ id: 'r1', applied: plays }]) })
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
  }, 1)
  await world.host.runDelayed()
  clearInterval(timer)
  t.equal((await world.log.list({ limit: 1 })).total, 4_000)
  t.ok(ticks > 20, `timers ran ${ticks} times`)
})

for (const query of [
  'recent?limit=0',
  'recent?limit=51',
  'recent?since=-1',
  'history?limit=501',
  'history?offset=-1',
  'history?media_type=show',
  'history?status=good',
  'history?since=soon',
  `history?q=${'x'.repeat(201)}`,
]) {
  t.test(`an invalid query is refused: ${query.slice(0, 40)}`, async (t) => {
    await using world = await open()
    t.match(await world.get(`/api/activity/${query}`), { status: 422, body: { detail: [{ loc: ['query', /./] }] } })
  })
}
