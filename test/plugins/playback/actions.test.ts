// Actions: writes, refusals, and requests that a client cannot make the server send.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { type AccountChanges, type ChangeOutcome, type FeatureSupport, type Logger, PlayheadError } from '@playhead/sdk'
import { createActions } from '../../../plugins/services/playback/act/actions.ts'
import type { Profile } from '../../../plugins/services/playback/profiles.ts'
import { entryOf } from '../../../plugins/services/playback/read/entry.ts'
import { actionsOf } from '../actions/service.ts'
import { episode, movie, openWorld, PLAYS, POSITIONS, upstreamError, type World } from './world.ts'

const ONE = { 'ALPHA@default': [movie(1, 35), movie(2, 40), episode(7, 1, 2, 50)] }
const target = (id: string, more: object = {}) => ({
  provider: 'alpha',
  instance_id: 'default',
  remote_id: id,
  ...more,
})
const sent = ({ written }: World) =>
  written.flatMap(({ provider, instance, feature, plays, approved, changes }) =>
    changes.map(
      ({ op, key }) =>
        `${provider}@${instance} ${feature}${plays === true ? '/plays' : ''} ${op} ${key}${approved ? '' : ' unapproved'}`,
    ),
  )

t.test('a position is removed from its account', async (t) => {
  await using world = await openWorld({ accounts: ONE })
  const { status, body } = await world.post('actions/remove', target('row-1'))
  t.equal(status, 200)
  t.match(body, {
    ok: true,
    provider: 'ALPHA',
    instance_id: 'default',
    operation: 'remove_progress',
    remote_id: 'row-1',
    canonical_key: 'tmdb:1',
    status: 'applied',
    retryable: false,
    results: [{ ok: true, remote_id: 'row-1', status: 'applied' }],
    successful: 1,
    failed: 0,
    skipped: 0,
    unsupported: 0,
  })
  t.same(sent(world), ['ALPHA@default progress remove movie:tmdb:1'])
  t.match(world.written[0]?.changes[0], { current: movie(1, 35), item: { native: { item_id: 'row-1' } } })
  t.equal(world.written[0]?.cause, 'playback_progress')
  const reads = world.account('ALPHA@default').reads.length
  t.equal((await world.list()).total, 2)
  t.equal(world.account('ALPHA@default').reads.length, reads + 1, 'after a success the account is read again')
})

t.test('a position is set in milliseconds, with the current time', async (t) => {
  await using world = await openWorld({ accounts: ONE })
  const before = Math.floor(Date.now() / 1_000) * 1_000
  const { body } = await world.post('actions/update_progress', { ...target('row-7-1-2'), progress_percent: 12.5 })
  t.match(body, {
    ok: true,
    status: 'applied',
    canonical_key: 'tmdb:7#s01e02',
    decision_context: { before_percent: 50, position_ms: 375_000, duration_ms: 3_000_000 },
  })
  t.same(sent(world), ['ALPHA@default progress update show:tmdb:7#s01e02'])
  const { item } = world.written[0]!.changes[0]!
  t.match(item, {
    progress_ms: 375_000,
    duration_ms: 3_000_000,
    progress_percent: 12.5,
    native: { item_id: 'row-7-1-2' },
  })
  t.ok(Date.parse(item.progress_at as string) >= before && Date.parse(item.progress_at as string) <= Date.now())
  t.match((await world.list('?media_type=episode')).items[0], { progress_percent: 12.5 })
})

t.test('if the length is unknown, the percentage alone is set', async (t) => {
  await using world = await openWorld({ accounts: { 'ALPHA@default': [movie(1, 35, { duration_ms: undefined })] } })
  await world.post('actions/update_progress', { ...target('row-1'), progress_percent: 60 })
  const { item } = world.written[0]!.changes[0]!
  t.same([item.progress_percent, item.progress_ms, item.duration_ms], [60, undefined, undefined])
})

t.test('a title that is marked as watched gets one play with its time, and its position is removed', async (t) => {
  await using world = await openWorld({ accounts: ONE })
  const { body } = await world.post('actions/mark_watched', {
    ...target('row-1'),
    watched_at: '2026-05-01T22:00:00+02:00',
  })
  t.match(body, {
    ok: true,
    status: 'applied',
    history_result: { status: 'applied' },
    playback_cleanup_result: { status: 'applied' },
  })
  t.same(sent(world), ['ALPHA@default history/plays add movie:tmdb:1', 'ALPHA@default progress remove movie:tmdb:1'])
  const [play] = world.account('ALPHA@default').plays
  t.match(play, { ids: { tmdb: '1' }, watched_at: '2026-05-01T20:00:00Z', watched: true })
  t.notOk(play?.native, 'ids of positions mean nothing in the history')
})

t.test('a remaining position does not undo the play', async (t) => {
  await using world = await openWorld({
    accounts: ONE,
    answer: ({ feature }) => (feature === 'progress' ? { outcome: 'failed', reason: 'http_503' } : undefined),
  })
  const { status, body } = await world.post('actions/mark_watched', target('row-1'))
  t.equal(status, 200)
  t.match(body, { ok: true, status: 'applied', playback_cleanup_result: { status: 'failed', reason: 'http_503' } })
})

t.test('a play that was not recorded keeps the position', async (t) => {
  await using world = await openWorld({
    accounts: ONE,
    answer: ({ feature }) => (feature === 'history' ? { outcome: 'rejected', reason: 'missing_ids' } : undefined),
  })
  const { status, body } = await world.post('actions/mark_watched', target('row-1'))
  t.equal(status, 502)
  t.match(body, {
    ok: false,
    error: 'history_failed',
    status: 'unresolved',
    reason: 'missing_ids',
    playback_cleanup_result: null,
  })
  t.equal(sent(world).length, 1)
})

t.test('a title that the service already has as watched is skipped, and its position removed', async (t) => {
  await using world = await openWorld({
    accounts: ONE,
    answer: ({ feature }) => (feature === 'history' ? { outcome: 'already' } : undefined),
  })
  const { body } = await world.post('actions/mark_watched', target('row-1'))
  t.match(body, { ok: true, status: 'skipped', reason: 'already_watched', skipped: 1 })
  t.equal((await world.list()).total, 2)
})

t.test('two clicks are one play', async (t) => {
  await using world = await openWorld({ accounts: ONE, before: () => sleep(30) })
  const answers = await Promise.all([1, 2, 3].map(() => world.post('actions/mark_watched', target('row-1'))))
  t.same(
    answers.map(({ status, body }) => [status, body.ok, body.status, body.reason]),
    [
      [200, true, 'applied', undefined],
      [200, true, 'skipped', 'already_watched'],
      [200, true, 'skipped', 'already_watched'],
    ],
  )
  t.equal(world.account('ALPHA@default').plays.length, 1)
  t.match((await world.post('actions/mark_watched', target('row-1'))).body, { status: 'skipped' })
  t.equal(world.account('ALPHA@default').plays.length, 1)
})

t.test('two clicks on remove, or on a position, are one change', async (t) => {
  await using world = await openWorld({ accounts: ONE, before: () => sleep(30) })
  const removed = await Promise.all([1, 2].map(() => world.post('actions/remove', target('row-1'))))
  t.same(
    removed.map(({ status, body }) => [status, body.status, body.reason]),
    [
      [200, 'applied', undefined],
      [200, 'skipped', 'already_removed'],
    ],
  )
  const body = { ...target('row-2'), progress_percent: 70 }
  const moved = await Promise.all([1, 2].map(() => world.post('actions/update_progress', body)))
  t.same(
    moved.map(({ body: { status, reason } }) => [status, reason]),
    [
      ['applied', undefined],
      ['skipped', 'progress_unchanged'],
    ],
  )
  t.equal(world.written.length, 2)
})

t.test('a repeated attempt after an unknown one has the time of the first', async (t) => {
  let count = 0
  await using world = await openWorld({
    accounts: ONE,
    answer: ({ feature }) =>
      feature === 'history' && (count += 1) === 1 ? { outcome: 'unknown', reason: 'timeout' } : undefined,
  })
  const first = await world.post('actions/mark_watched', target('row-1'))
  t.match(first, { status: 504, body: { ok: false, status: 'unresolved', error_code: 'history_failed' } })
  await sleep(1_100)
  t.match(await world.post('actions/mark_watched', target('row-1')), { status: 200, body: { ok: true } })
  const [a, b] = world.written
    .filter(({ feature }) => feature === 'history')
    .map(({ changes }) => changes[0]?.item.watched_at)
  t.ok(a !== undefined && a === b, 'so that the service recognises the play')
})

const outcomes: readonly (readonly [
  outcome: Omit<ChangeOutcome, 'key' | 'op'>,
  http: number,
  wanted: Readonly<Record<string, unknown>>,
])[] = [
  [{ outcome: 'already' }, 200, { ok: true, status: 'skipped', reason: 'progress_unchanged' }],
  [
    { outcome: 'failed', reason: 'http_503' },
    502,
    { ok: false, status: 'failed', retryable: true, remote_status: 503 },
  ],
  [{ outcome: 'failed', reason: 'timeout' }, 504, { ok: false, status: 'failed', retryable: true }],
  [{ outcome: 'rate_limited', reason: 'rate_limited' }, 502, { ok: false, status: 'failed', retryable: true }],
  [{ outcome: 'rejected', reason: 'position_too_small' }, 502, { ok: false, status: 'unresolved', retryable: false }],
  [{ outcome: 'not_found', reason: 'not_in_library' }, 502, { ok: false, status: 'unresolved' }],
  [{ outcome: 'filtered', reason: 'missing_ids' }, 502, { ok: false, status: 'unresolved' }],
  [{ outcome: 'deferred', reason: 'changed_since_plan' }, 409, { status: 'skipped', reason: 'target_newer' }],
  [{ outcome: 'failed', reason: 'changed_since_read' }, 409, { ok: false, status: 'skipped', reason: 'target_newer' }],
]
for (const [outcome, http, wanted] of outcomes) {
  t.test(`the response of the service is passed on: ${outcome.outcome} ${outcome.reason ?? ''}`, async (t) => {
    await using world = await openWorld({ accounts: ONE, answer: () => outcome })
    const { status, body } = await world.post('actions/update_progress', { ...target('row-1'), progress_percent: 60 })
    t.equal(status, http)
    t.match(body, wanted)
    t.equal(body.error_code, body.ok === true ? undefined : 'progress_update_failed')
    t.equal(body.error, body.error_code)
    const bulk = await world.post('actions/bulk', {
      action: 'update_progress',
      progress_percent: 60,
      items: [target('row-2')],
    })
    t.equal(bulk.status, 200)
    t.match(bulk.body, { results: [wanted] })
  })
}

t.test('an invisible removal has its own code', async (t) => {
  await using world = await openWorld({
    accounts: ONE,
    answer: () => ({ outcome: 'rejected', reason: 'progress_remove_unconfirmed' }),
  })
  t.match((await world.post('actions/remove', target('row-1'))).body, { error_code: 'progress_remove_unconfirmed' })
})

for (const [error, http] of [
  [new PlayheadError('PLH_NOT_FOUND', 'gone'), 404],
  [new PlayheadError('PLH_CONFLICT', 'other', { wire: 'account_changed' }), 409],
  [upstreamError(500), 502],
  [new TypeError('a fault'), 502],
] as const) {
  t.test(`a plan that cannot be applied is reported: ${(error as Error).message}`, async (t) => {
    await using world = await openWorld({
      accounts: ONE,
      before: () => {
        throw error
      },
    })
    const { status, body } = await world.post('actions/remove', target('row-1'))
    t.equal(status, http)
    t.match(body, { ok: false, status: 'failed', error_code: 'progress_remove_failed' })
    t.notMatch(JSON.stringify(body), /secret|a fault/)
  })
}

t.test('while the account is synced the change waits, which is reported', async (t) => {
  let isSynced = true
  await using world = await openWorld({ accounts: ONE, before: () => (isSynced ? ('queued' as const) : undefined) })
  const mark = async () => (await world.post('actions/mark_watched', target('row-1'))).body
  t.match(await mark(), { ok: true, status: 'queued', message: /synced/, playback_cleanup_result: null })
  t.match(await mark(), { ok: true, status: 'queued', reason: 'already_queued' })
  t.equal(world.queued.size, 1, 'a second click queues nothing')
  t.match((await world.post('actions/remove', target('row-2'))).body, { ok: true, status: 'queued' })
  t.equal((await world.list()).total, 3, 'nothing is hidden that is still there')
  isSynced = false
  world.queued.clear()
  t.match(await mark(), { status: 'skipped', reason: 'already_watched' })
  t.equal(world.written.length, 0)
})

t.test(
  'a play that waits for a long sync is not requested twice, and afterwards a title can be watched again',
  async (t) => {
    let nowMs = Date.UTC(2026, 6, 1)
    let isQueued = true
    const plans: string[] = []
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
      history: PLAYS,
      libraries: [],
    }
    const entry = entryOf(movie(1, 35))!
    const act = createActions({
      profiles: async () => [profile],
      reads: {
        rowsOf: async () => [{ profile, entries: new Map([[entry.remoteId, entry]]), readAtMs: nowMs, isOld: false }],
        invalidate() {},
      },
      timeoutMs: () => 1_000,
      streams: async () => [],
      writer: () =>
        actionsOf({
          async plan({ feature }: AccountChanges) {
            plans.push(feature)
            return { planId: `plan-${plans.length}`, ready: { add: 0, update: 0, remove: 0 }, held: null, leftOut: [] }
          },
          applyWhenFree: async () => (isQueued ? null : [{ key: entry.key, op: 'add', outcome: 'applied' }]),
          outcomes: async () => (isQueued ? null : []),
        }),
      log: {} as Logger,
      now: () => nowMs,
    })
    const mark = async () => {
      const [result] = await act({ operation: 'mark_watched' }, [
        { provider: 'alpha', instance: 'default', remoteId: 'row-1' },
      ])
      return [result?.status, result?.reason]
    }
    t.same(await mark(), ['queued', 'busy'])
    nowMs += 3_600_000
    t.same(await mark(), ['queued', 'already_queued'])
    t.same(plans, ['history'])
    isQueued = false
    t.same(await mark(), ['applied', undefined])
    t.same(plans, ['history', 'history', 'progress'])
  },
)

t.test('without the sync engine nothing is changed, which is reported', async (t) => {
  await using world = await openWorld({ accounts: ONE, withoutLibrary: true })
  t.equal((await world.list()).total, 3)
  t.equal((await world.post('actions/remove', target('row-1'))).status, 503)
})

t.test('an item that is playing is left alone', async (t) => {
  const stream = {
    source: 'alpha',
    provider: 'ALPHA',
    provider_instance: 'default',
    media_type: 'movie' as const,
    title: 'Movie 1',
    season: null,
    episode: null,
    state: 'paused' as const,
    progress: 36,
    started: 0,
    updated: Math.floor(Date.now() / 1_000),
    ids: { tmdb: '1' },
  }
  await using world = await openWorld({
    accounts: { ...ONE, 'ALPHA@ALPHA-P01': [movie(1, 35)] },
    streams: () => [stream],
  })
  for (const [path, more] of [
    ['remove', {}],
    ['mark_watched', {}],
    ['update_progress', { progress_percent: 70 }],
  ] as const) {
    const { status, body } = await world.post(`actions/${path}`, target('row-1', more))
    t.equal(status, 409)
    t.match(body, { ok: false, status: 'skipped', reason: 'active_session', failed: 1, skipped: 1 })
  }
  t.equal(world.written.length, 0)
  const all = await world.post('actions/remove', { items: [target('row-1'), target('row-2')] })
  t.match(all, { status: 200, body: { ok: false, successful: 1, failed: 1, skipped: 1 } })
  const other = await world.post('actions/remove', target('row-1', { instance_id: 'ALPHA-P01' }))
  t.equal(other.status, 200, "another profile's position is another matter")
})

t.test("a client's claims about a position are ignored", async (t) => {
  const support: FeatureSupport = { ...POSITIONS, remove: false, completion: { percent: 80 } }
  await using world = await openWorld({
    providers: { ALPHA: { progress: support } },
    accounts: { ...ONE, 'ALPHA@ALPHA-P01': [movie(9, 35)], 'BETA@default': [movie(8, 35)] },
  })
  const forged = {
    ...(await world.list('?provider=alpha&search=movie%201')).items[0],
    can_remove_progress: true,
    editable_progress_max_exclusive: 100,
    duration_seconds: 9e15,
    ids: { tmdb: '666' },
    canonical_key: 'tmdb:666',
    title: 'Another',
  }
  t.match(await world.post('actions/remove', { provider: 'ALPHA', instance_id: 'default', record: forged }), {
    status: 400,
    body: { error_code: 'unsupported', unsupported: 1 },
  })
  t.match(await world.post('actions/update_progress', { ...forged, progress_percent: 90 }), {
    status: 400,
    body: { error_code: 'invalid_progress', message: /80 percent/ },
  })
  t.equal(world.written.length, 0)
  await world.post('actions/update_progress', { record: forged, progress_percent: 50 })
  t.match(world.written[0]?.changes[0]?.item, { ids: { tmdb: '1' }, progress_ms: 3_000_000, duration_ms: 6_000_000 })
  for (const foreign of ['row-9', 'row-8', 'movie:tmdb:1', '../row-1', '', ' ']) {
    const { status, body } = await world.post('actions/update_progress', { ...target(foreign), progress_percent: 60 })
    t.equal(status, foreign.trim() === '' ? 400 : 404, foreign)
    t.equal(body.error_code, foreign.trim() === '' ? 'missing_remote_id' : 'invalid_item')
  }
  t.equal(world.written.length, 1, 'ids of another account reach nothing')
})

t.test('an unknown position is looked up again', async (t) => {
  await using world = await openWorld({ accounts: ONE })
  const own = world.account('ALPHA@default')
  await world.list()
  own.rows.push(movie(4, 44))
  t.equal((await world.post('actions/remove', target('row-4'))).status, 200)
  t.equal(own.reads.length, 2)
})

t.test('if the account cannot be read, its error is passed on', async (t) => {
  await using world = await openWorld({ accounts: ONE })
  world.account('ALPHA@default').before = () => {
    throw upstreamError(503)
  }
  t.match(await world.post('actions/remove', target('row-1')), {
    status: 502,
    body: { error_code: 'http:503', retryable: true, remote_status: 503 },
  })
})

const unknown: readonly (readonly [body: object, status: number, code: string])[] = [
  [{ ...target('row-1'), provider: 'nobody' }, 404, 'unknown_provider'],
  [{ remote_id: 'row-1' }, 404, 'unknown_provider'],
  [{}, 404, 'unknown_provider'],
  [{ ...target('row-1'), provider: 'combined', instance_id: 'all' }, 404, 'unknown_provider'],
  [{ ...target('row-1'), instance_id: 'ALPHA-P07' }, 404, 'profile_not_found'],
  [{ ...target('row-1'), instance_id: 'ALPHA-P01' }, 400, 'not_configured'],
  [{ ...target('row-1'), instance_id: 'ALPHA-P02' }, 400, 'unsupported'],
  [{ provider: 'ALPHA' }, 400, 'missing_remote_id'],
]
for (const [body, status, code] of unknown) {
  t.test(`a missing target is refused: ${JSON.stringify(body)}`, async (t) => {
    await using world = await openWorld({
      accounts: { ...ONE, 'ALPHA@ALPHA-P01': [movie(1, 35)], 'ALPHA@ALPHA-P02': [movie(1, 35)] },
      settings: { disabled_profiles: ['ALPHA:ALPHA-P02'] },
    })
    Object.assign(world.account('ALPHA@ALPHA-P01'), { configured: false, reasonCode: 'missing_credentials' })
    t.match(await world.post('actions/remove', body), { status, body: { ok: false, error_code: code, error: code } })
    t.equal(world.written.length, 0)
  })
}

t.test('ids and lengths that a service requires are checked before anything is sent', async (t) => {
  const rows = [
    movie(1, 35, { ids: { imdb: 'tt1' } }),
    movie(2, 35, { duration_ms: undefined }),
    episode(3, 1, 1, 35, { show_ids: { imdb: 'tt3' } }),
    episode(4, 1, 1, 35, {
      ids: { tvdb: '4' },
      show_ids: { tmdb: '4' },
      season: undefined,
      native: { item_id: 'row-4' },
    }),
  ]
  await using world = await openWorld({
    providers: {
      ALPHA: {
        progress: { ...POSITIONS, needsAnyId: ['tmdb'], needsDuration: true },
        history: { ...PLAYS, kinds: ['movie'] },
      },
    },
    accounts: { 'ALPHA@default': rows },
  })
  const update = async (id: string) =>
    (await world.post('actions/update_progress', { ...target(id), progress_percent: 50 })).body.error_code
  t.same(await Promise.all(['row-1', 'row-2', 'row-3-1-1', 'row-4'].map(update)), [
    'missing_tmdb_id',
    'missing_duration',
    'missing_tmdb_id',
    'missing_episode_numbers',
  ])
  t.match((await world.post('actions/mark_watched', target('row-3-1-1'))).body, { error_code: 'unsupported' })
  t.equal(world.written.length, 0)
  const { items } = await world.list('?sort=title')
  t.same(
    items.map((item: Record<string, unknown>) => [
      item['remote_id'],
      item['can_update_progress'],
      item['can_mark_watched'],
    ]),
    [
      ['row-1', false, true],
      ['row-2', false, true],
      ['row-3-1-1', false, false],
      ['row-4', false, false],
    ],
  )
  t.match(items[1].capability_messages, [/length/])
})

t.test('a read-only service offers no action', async (t) => {
  await using world = await openWorld({
    providers: { ALPHA: { progress: { ...POSITIONS, add: false, update: false, remove: false }, history: undefined } },
    accounts: ONE,
  })
  t.match((await world.get('providers')).body.providers[0], {
    read: true,
    remove_progress: false,
    mark_watched: false,
    update_progress: false,
    bulk_remove_progress: false,
    capabilities: { mark_watched: false },
  })
  for (const [path, more] of [
    ['remove', {}],
    ['mark_watched', {}],
    ['update_progress', { progress_percent: 70 }],
  ] as const)
    t.match(await world.post(`actions/${path}`, target('row-1', more)), {
      status: 400,
      body: { error_code: 'unsupported' },
    })
})

t.test('a short title may be set near its end if the service only counts long ones', async (t) => {
  const completion = { percent: 90, minDurationSeconds: 60 }
  await using world = await openWorld({
    providers: { ALPHA: { progress: { ...POSITIONS, completion } } },
    accounts: { 'ALPHA@default': [movie(1, 35, { duration_ms: 59_000 }), movie(2, 35, { duration_ms: 2 })] },
  })
  t.equal((await world.list('?search=movie%201')).items[0].editable_progress_max_exclusive, 100)
  const set = (id: string, percent: number) =>
    world.post('actions/update_progress', { ...target(id), progress_percent: percent })
  t.equal((await set('row-1', 99.9)).status, 200)
  t.equal((await set('row-2', 50)).status, 200)
  t.same(
    world.written.map(({ changes }) => changes[0]?.item.progress_ms),
    [58_941, 1],
    'never the end itself, and never the begin',
  )
})

for (const [percent, status] of [
  [1.99, 400],
  [2, 200],
  [99.9, 200],
  [100, 400],
  [0, 400],
  [-1, 422],
  [101, 422],
  ['half', 422],
  [null, 422],
  [undefined, 422],
] as const) {
  t.test(`a position within the title: ${percent}`, async (t) => {
    await using world = await openWorld({ accounts: ONE })
    const { status: got, body } = await world.post('actions/update_progress', {
      ...target('row-1'),
      progress_percent: percent,
    })
    t.equal(got, status)
    if (status === 400) t.equal(body.error_code, 'invalid_progress')
    t.equal(world.written.length, status === 200 ? 1 : 0)
  })
}

for (const [at, status] of [
  ['2026-05-01T20:00:00Z', 200],
  ['2026-05-01', 400],
  ['yesterday', 400],
  ['', 400],
  ['2026-05-01T20:00:00', 400],
  [new Date(Date.now() + 3_600_000).toISOString(), 400],
  [7, 422],
  [{}, 422],
  ['9'.repeat(65), 422],
] as const) {
  t.test(`a play needs a past time: ${JSON.stringify(at).slice(0, 30)}`, async (t) => {
    await using world = await openWorld({ accounts: ONE })
    const { status: got } = await world.post('actions/mark_watched', { ...target('row-1'), watched_at: at })
    t.equal(got, status)
    t.equal(world.account('ALPHA@default').plays.length, status === 200 ? 1 : 0)
  })
}

t.test('many positions are changed with one plan for each account', async (t) => {
  const rows = (from: number) => Array.from({ length: 100 }, (_, index) => movie(from + index, 35))
  await using world = await openWorld({ accounts: { 'ALPHA@default': rows(1), 'BETA@default': rows(201) } })
  const items = [
    ...rows(1).map(({ native }) => target(native!.item_id!)),
    ...rows(201).map(({ native }) => target(native!.item_id!, { provider: 'BETA' })),
    target('row-1'),
    target('row-999'),
    { provider: 'GAMMA', remote_id: 'row-1' },
    'row-1',
  ]
  const refused = await world.post('actions/bulk', { action: 'mark_watched', items })
  t.equal(refused.status, 422, 'an item that is no object')
  const { status, body } = await world.post('actions/bulk', { action: 'mark_watched', items: items.slice(0, -1) })
  t.equal(status, 200)
  t.match(body, { successful: 201, failed: 2, skipped: 1, unsupported: 0 })
  t.equal(body.results.length, 203)
  t.same(
    body.results.slice(-3).map((one: Record<string, unknown>) => one['reason'] ?? one['error_code']),
    ['duplicate', 'invalid_item', 'unknown_provider'],
  )
  t.equal(world.written.length, 4)
  t.equal((await world.list()).total, 0)
})

t.test('provider and profile of the body apply to items without their own', async (t) => {
  await using world = await openWorld({ accounts: { ...ONE, 'ALPHA@ALPHA-P01': [movie(5, 35)] } })
  const { body } = await world.post('actions/remove', {
    provider: 'ALPHA',
    instance_id: 'ALPHA-P01',
    items: [{ remote_id: 'row-5' }, target('row-1')],
  })
  t.match(body, { ok: true, successful: 2 })
  t.same(sent(world).toSorted(), [
    'ALPHA@ALPHA-P01 progress remove movie:tmdb:5',
    'ALPHA@default progress remove movie:tmdb:1',
  ])
})

t.test('two copies in one account are two positions', async (t) => {
  await using world = await openWorld({
    accounts: { 'ALPHA@default': [movie(1, 35), movie(1, 60, { native: { item_id: 'copy' } })] },
  })
  t.equal((await world.list()).total, 2)
  const { body } = await world.post('actions/remove', { items: [target('row-1'), target('copy')] })
  t.match(body, { successful: 2 })
  t.equal(new Set(world.written[0]?.changes.map(({ key }) => key)).size, 2)
})

for (const [name, path, body, status] of [
  ['no list', 'bulk', { action: 'remove_progress' }, 422],
  ['an empty list', 'bulk', { action: 'remove_progress', items: [] }, 422],
  ['an empty list', 'remove', { items: [] }, 422],
  ['too many', 'bulk', { action: 'remove_progress', items: Array.from({ length: 251 }, () => target('row-1')) }, 422],
  ['another action', 'bulk', { action: 'delete', items: [target('row-1')] }, 422],
  ['no action', 'bulk', { items: [target('row-1')] }, 422],
  ['no position', 'bulk', { action: 'update_progress', items: [target('row-1')] }, 400],
  ['a list as the body', 'remove', [target('row-1')], 422],
  ['a record that is none', 'remove', { ...target(''), record: 'row-1' }, 422],
  ['an endless id', 'remove', target('x'.repeat(501)), 422],
] as const) {
  t.test(`an invalid body changes nothing: ${name}`, async (t) => {
    await using world = await openWorld({ accounts: ONE })
    t.equal((await world.post(`actions/${path}`, body)).status, status)
    t.equal(world.written.length, 0)
  })
}

t.test('accounts are changed in parallel, positions of one account one after the other', async (t) => {
  let running = 0
  let most = 0
  const seen: string[] = []
  await using world = await openWorld({
    accounts: { ...ONE, 'BETA@default': [movie(1, 35)] },
    async before({ provider }: AccountChanges) {
      seen.push(`${provider} begins`)
      most = Math.max(most, ++running)
      await sleep(40)
      running -= 1
      seen.push(`${provider} ends`)
    },
  })
  await Promise.all([
    world.post('actions/remove', target('row-1')),
    world.post('actions/remove', target('row-2')),
    world.post('actions/remove', target('row-1', { provider: 'BETA' })),
  ])
  t.equal(most, 2)
  t.same(
    seen.filter((line) => line.startsWith('ALPHA')),
    ['ALPHA begins', 'ALPHA ends', 'ALPHA begins', 'ALPHA ends'],
  )
})
