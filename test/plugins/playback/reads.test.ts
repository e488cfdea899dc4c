// slow: the whole service, or very many cases
// Reads: few requests, bounded time, and no loss of known data by a failure.
import { setTimeout as sleep } from 'node:timers/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import t from 'tap'
import { type Item, type Logger, PlayheadError, type ReadEnd, type ReadPart, type ReadRequest } from '@playhead/sdk'
import type { Profile } from '../../../plugins/services/playback/profiles.ts'
import { createReads } from '../../../plugins/services/playback/read/reads.ts'
import { episode, movie, openWorld, POSITIONS, upstreamError } from './world.ts'

const never = () => new Promise<void>(() => {})
const titles = (body: { items: { title: string }[] }) => body.items.map(({ title }) => title).toSorted()
const hasCode = (body: { errors: { error_code: string }[] }) => body.errors.map(({ error_code: code }) => code)

t.test('concurrent callers share one read, and the next minute needs no request', async (t) => {
  await using world = await openWorld({ accounts: { 'ALPHA@default': [movie(1, 10)] } })
  const own = world.account('ALPHA@default')
  own.before = () => sleep(50)
  const all = await Promise.all([1, 2, 3, 4].map((page) => world.list(`?page_size=1&page=${page}`)))
  t.same(
    all.map(({ total }) => total),
    [1, 1, 1, 1],
  )
  t.equal(own.reads.length, 1)
  await world.list('?media_type=movie')
  t.equal(own.reads.length, 1)
  await Promise.all([world.list('?force_refresh=true'), world.list('?force_refresh=true')])
  t.equal(own.reads.length, 2, 'a forced refresh asks again, once for all')
})

t.test('excluded and disconnected accounts are not read', async (t) => {
  await using world = await openWorld({
    providers: { GAMMA: { progress: undefined } },
    accounts: {
      'ALPHA@default': [movie(1, 10)],
      'ALPHA@ALPHA-P01': [movie(2, 10)],
      'BETA@default': [movie(3, 10)],
      'BETA@BETA-P01': [movie(4, 10)],
      'GAMMA@default': [movie(5, 10)],
    },
    settings: { disabled_profiles: ['alpha:alpha-p01'] },
  })
  world.account('BETA@default').configured = false
  Object.assign(world.account('BETA@BETA-P01'), { configured: false, reasonCode: 'missing_credentials' })
  const body = await world.list()
  t.same([titles(body), body.errors], [['Movie 1'], []])
  t.same(
    ['ALPHA@ALPHA-P01', 'BETA@default', 'BETA@BETA-P01', 'GAMMA@default'].map(
      (name) => world.account(name).reads.length,
    ),
    [0, 0, 0, 0],
  )
  t.match(
    body.providers.map((row: Record<string, unknown>) => [
      row['provider'],
      row['instance_id'],
      row['configured'],
      row['included'],
      row['read'],
      row['reason'],
    ]),
    [
      ['ALPHA', 'default', true, true, true, ''],
      ['ALPHA', 'ALPHA-P01', true, false, true, 'excluded'],
      ['BETA', 'BETA-P01', false, true, false, 'missing_credentials'],
    ],
    'a profile without settings of its own is not there at all',
  )
})

const failures: readonly (readonly [error: unknown, code: string, retryable: boolean, status: number | null])[] = [
  [upstreamError(503), 'http:503', true, 503],
  [upstreamError(404), 'http:404', false, 404],
  [new PlayheadError('PLH_AUTH_FAILED', 'secret', { details: { status: 401 } }), 'auth_failed', false, 401],
  [new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'secret'), 'provider_timeout', true, null],
  [
    new PlayheadError('PLH_UPSTREAM', 'secret', { details: { reason: 'connection_lost' } }),
    'provider_unavailable',
    true,
    null,
  ],
  [new PlayheadError('PLH_UPSTREAM_INVALID', 'secret'), 'provider_error', true, null],
  [new PlayheadError('PLH_UNSUPPORTED', 'secret'), 'unsupported', false, null],
  [new PlayheadError('PLH_NOT_READY', 'secret'), 'not_configured', false, null],
  [new PlayheadError('PLH_CAPABILITY_GONE', 'secret'), 'provider_unavailable', true, null],
  [new TypeError('secret'), 'provider_error', true, null],
]
for (const [error, code, retryable, status] of failures) {
  t.test(`one failing service is reported, the others are shown: ${code} ${status ?? ''}`, async (t) => {
    await using world = await openWorld({
      accounts: { 'ALPHA@default': [movie(1, 10)], 'BETA@default': [movie(2, 10)] },
    })
    world.account('BETA@default').before = () => {
      throw error
    }
    const body = await world.list()
    t.same(titles(body), ['Movie 1'])
    t.match(body.errors, [
      {
        ok: false,
        provider: 'BETA',
        instance_id: 'default',
        operation: 'list_progress',
        error_code: code,
        retryable,
        remote_status: status,
      },
    ])
    t.equal(body.partial, true)
    t.notMatch(JSON.stringify(body), /secret/)
    t.match((await world.get('providers')).body.providers[1], { last_refresh: null, last_error: /BETA/ })
    await world.list()
    t.equal(world.account('BETA@default').reads.length, 1, 'it is not asked again at once')
  })
}

t.test('after a failure the earlier rows are shown as old, and a success replaces them', async (t) => {
  await using world = await openWorld({ accounts: { 'ALPHA@default': [movie(1, 10), movie(2, 20)] } })
  const own = world.account('ALPHA@default')
  const stale = (body: { items: { stale: boolean }[] }) => body.items.map((item) => item.stale)
  t.same(stale(await world.list()), [false, false])
  own.before = () => {
    throw upstreamError(500)
  }
  own.rows = []
  let body = await world.list('?force_refresh=true')
  t.same([titles(body), stale(body), hasCode(body)], [['Movie 1', 'Movie 2'], [true, true], ['http:500']])
  delete own.before
  own.end = { complete: false, reason: 'total_mismatch' }
  body = await world.list('?force_refresh=true')
  t.same(
    [titles(body), hasCode(body)],
    [['Movie 1', 'Movie 2'], ['provider_error']],
    'an incomplete read shows no fewer',
  )
  delete own.end
  body = await world.list('?force_refresh=true')
  t.same([titles(body), body.errors, body.partial], [[], [], false])
})

t.test('an account that was never read completely shows its known rows, as old', async (t) => {
  await using world = await openWorld({ accounts: { 'ALPHA@default': [movie(1, 10)] } })
  world.account('ALPHA@default').end = { complete: false, reason: 'truncated' }
  t.match(await world.list(), { items: [{ title: 'Movie 1', stale: true, read_at: null }], partial: true })
})

t.test('before its first successful read, an account shows the rows of the last sync', async (t) => {
  await using world = await openWorld({
    accounts: { 'ALPHA@default': [] },
    synced: { 'ALPHA@default': [movie(5, 30)] },
  })
  world.account('ALPHA@default').before = () => {
    throw upstreamError(502)
  }
  t.match((await world.list()).items, [{ title: 'Movie 5', stale: true, read_at: '2026-06-01T00:00:00.000Z' }])
})

t.test('a profile that signs in to another account shows nothing of the first', async (t) => {
  await using world = await openWorld({ accounts: { 'ALPHA@default': [movie(1, 10)] } })
  const own = world.account('ALPHA@default')
  await world.list()
  own.fingerprint = 'another'
  own.before = () => {
    throw upstreamError(503)
  }
  const body = await world.list()
  t.same([body.items, hasCode(body)], [[], ['http:503']])
})

t.test('a hanging service costs the set time, not more, and its late response changes nothing', async (t) => {
  await using world = await openWorld({
    accounts: { 'ALPHA@default': [movie(1, 10)], 'BETA@default': [movie(2, 10)] },
    settings: { provider_timeout_seconds: 3 },
  })
  const own = world.account('BETA@default')
  await world.list()
  let answer = () => {}
  let aborted = false
  own.before = (signal) => {
    signal?.addEventListener('abort', () => void (aborted = true))
    return new Promise<void>((resolve) => void (answer = resolve))
  }
  own.rows = [movie(9, 10)]
  const slow = await world.list('?force_refresh=true')
  t.same([titles(slow), hasCode(slow)], [['Movie 1', 'Movie 2'], ['provider_timeout']])
  t.equal(aborted, true, 'the read is cancelled')
  answer()
  await sleep(100)
  const after = await world.list()
  t.same([titles(after), hasCode(after)], [['Movie 1', 'Movie 2'], ['provider_timeout']])
})

t.test('at most six services are read at a time, and those that wait too long are late as well', async (t) => {
  const names = Array.from({ length: 9 }, (_, index) => `P${index}@default`)
  await using world = await openWorld({
    accounts: Object.fromEntries(names.map((name, index) => [name, [movie(index + 1, 10)]])),
    settings: { provider_timeout_seconds: 3 },
  })
  let running = 0
  let most = 0
  for (const name of names)
    world.account(name).before = async () => {
      most = Math.max(most, ++running)
      await sleep(20)
      running -= 1
    }
  t.equal((await world.list()).total, 9)
  t.equal(most, 6)
  for (const name of names) world.account(name).before = never
  const body = await world.list('?force_refresh=true')
  t.same([body.total, hasCode(body)], [9, names.map(() => 'provider_timeout')])
  for (const name of names) delete world.account(name).before
  t.same((await world.list('?force_refresh=true')).errors, [], 'what hung holds no place')
})

t.test('if a service can return changes, only those are read', async (t) => {
  const requests: (string | undefined)[] = []
  let nowMs = 1_000_000
  let answer: { readonly rows: readonly Item[]; readonly end: Partial<ReadEnd> } = { rows: [], end: {} }
  let full: typeof answer | undefined
  const reads = createReads({
    provider: () => ({
      async *read(_instance: string, { since }: ReadRequest): AsyncGenerator<ReadPart> {
        requests.push(since)
        const { rows, end } = since === undefined ? (full ?? answer) : answer
        yield { type: 'rows', rows }
        yield { type: 'end', end: { complete: true, semantics: 'present', account: 'one', ...end } }
      },
    }),
    library: () => undefined,
    log: { debug() {}, error() {} } as unknown as Logger,
    signal: new AbortController().signal,
    now: () => nowMs,
  })
  const profile: Profile = {
    key: 'ALPHA:default',
    provider: 'ALPHA',
    label: 'Alpha',
    instance: 'default',
    instanceLabel: 'Default',
    fingerprint: 'one',
    configured: true,
    included: true,
    reason: '',
    progress: POSITIONS,
    history: undefined,
    libraries: [],
  }
  const look = async (force = false) => {
    nowMs += 61_000
    const [rows] = await reads.rowsOf([profile], { timeoutMs: 1_000, force })
    return [...rows!.entries.values()].map(({ item, percent }) => `${item.title} ${percent}`)
  }
  answer = { rows: [movie(1, 10), movie(2, 20), movie(3, 30)], end: { checkpoint: 'a' } }
  t.same(await look(), ['Movie 1 10', 'Movie 2 20', 'Movie 3 30'])
  answer = { rows: [], end: { semantics: 'unchanged', checkpoint: 'b' } }
  t.same(await look(), ['Movie 1 10', 'Movie 2 20', 'Movie 3 30'])
  answer = {
    rows: [movie(2, 25), movie(3, 0), movie(4, 40)],
    end: { semantics: 'delta', deleted: [movie(1, 10)], checkpoint: 'c' },
  }
  t.same(await look(), ['Movie 2 25', 'Movie 4 40'])
  answer = { rows: [movie(9, 90)], end: { semantics: 'delta', account: 'two' } }
  full = { rows: [movie(7, 70)], end: { account: 'two', checkpoint: 'd' } }
  t.same(await look(), ['Movie 7 70'], 'changes of another account are no changes')
  t.same(await look(true), ['Movie 7 70'])
  t.same(requests, [undefined, 'a', 'b', 'c', undefined, undefined], 'a forced read is a full one')
  nowMs -= 3_600_000
  await look()
  t.equal(requests.length, 7, 'a clock that was set back keeps nothing')
})

t.test('thousands of rows in each account delay no one', async (t) => {
  const names = Array.from({ length: 4 }, (_, index) => `P${index}@default`)
  const rows = (of: number) => [
    ...Array.from({ length: 2_500 }, (_, index) => movie(index + 1, 5 + ((index * 7 + of) % 80))),
    ...Array.from({ length: 2_500 }, (_, index) => episode((index % 100) + 1, 1, Math.floor(index / 100) + 1, 50)),
  ]
  await using world = await openWorld({
    accounts: Object.fromEntries(names.map((name, index) => [name, rows(index)])),
    pairs: names.slice(1).map((name) => [names[0] as string, name] as const),
  })
  const first = await world.list('?page_size=250')
  t.ok(first.total >= 5_000)
  t.equal(first.items.length, 250)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  for (const query of ['?page=2', '?sort=title&page=40', '?search=movie%2012&page_size=250', '?sort=provider&page=9'])
    t.ok((await world.list(query)).items.length > 0)
  delay.disable()
  t.comment(`longest hold-up: ${(delay.max / 1e6).toFixed(0)} ms`)
  const seen = new Set<string>()
  for (let page = 1; page <= Math.ceil(first.total / 250); page += 1)
    for (const { remote_id: id } of (await world.list(`?page_size=250&page=${page}`)).items) seen.add(id)
  t.equal(seen.size, first.total, 'the pages hold each row once')
})

t.test('many rows of the same title cost no time', async (t) => {
  await using world = await openWorld({
    accounts: {
      'ALPHA@default': Array.from({ length: 5_000 }, (_, index) => movie(1, 50, { native: { item_id: `${index}` } })),
    },
  })
  t.ok((await world.list()).total >= 1)
})
