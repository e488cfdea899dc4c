// Removing titles: requests, results and refusals.
import t from 'tap'
import { busy, movie, openWorld, row } from './world.ts'

const BOTH = {
  'TRACKA@default': [row(movie('1', { ids: { tmdb: '1', imdb: 'tt1' } })), row(movie('2'))],
  'MEDIAA@default': [row({ type: 'movie', ids: { imdb: 'tt1' }, native: { item_id: 'n1' } }, 'movie:imdb:tt1')],
  'MEDIAA@MEDIAA-P01': [row({ type: 'movie', ids: { imdb: 'tt1' } }, 'movie:imdb:tt1')],
}

t.test('a title is removed from every account that has it, each by its own row', async (t) => {
  await using world = await openWorld({ rows: BOTH })
  const { status, body } = await world.call('DELETE', 'movie:tmdb:1')
  t.equal(status, 200)
  t.same(body, {
    ok: true,
    deleted: 3,
    provider: 'ALL',
    key: 'movie:tmdb:1',
    status: 'ok',
    details: {
      MEDIAA: {
        ok: true,
        per_instance: { default: { ok: true, removed: 1 }, 'MEDIAA-P01': { ok: true, removed: 1 } },
        removed: 2,
      },
      TRACKA: { ok: true, per_instance: { default: { ok: true, removed: 1 } }, removed: 1 },
    },
  })
  t.same(
    world.written
      .map(({ provider, instance, feature, approved, cause, changes }) => [
        provider,
        instance,
        feature,
        approved,
        cause,
        changes.map(({ op, key }) => `${op} ${key}`),
      ])
      .toSorted(),
    [
      ['MEDIAA', 'MEDIAA-P01', 'watchlist', true, 'watchlist_tool', ['remove movie:imdb:tt1']],
      ['MEDIAA', 'default', 'watchlist', true, 'watchlist_tool', ['remove movie:imdb:tt1']],
      ['TRACKA', 'default', 'watchlist', true, 'watchlist_tool', ['remove movie:tmdb:1']],
    ],
  )
  const sent = world.written.find(({ provider, instance }) => provider === 'MEDIAA' && instance === 'default')
    ?.changes[0]
  t.same([sent?.item, sent?.current], [BOTH['MEDIAA@default'][0]!.item, BOTH['MEDIAA@default'][0]!.item])
  t.equal(world.host.events.recent({ name: 'watchlist.removed' }).length, 3)
})

const targets: readonly (readonly [query: string, accounts: readonly string[]])[] = [
  ['provider=TRACKA', ['TRACKA@default']],
  ['provider=trackA', ['TRACKA@default']],
  ['provider=mediaA', ['MEDIAA@MEDIAA-P01', 'MEDIAA@default']],
  ['provider=MEDIAA&provider_instance=mediaa-p01', ['MEDIAA@MEDIAA-P01']],
  ['provider=MEDIAA&provider_instance=default', ['MEDIAA@default']],
  ...['all', 'ANY', '*', 'auto', ''].map(
    (name) =>
      [
        `provider=MEDIAA&provider_instance=${encodeURIComponent(name)}`,
        ['MEDIAA@MEDIAA-P01', 'MEDIAA@default'],
      ] as const,
  ),
  ['provider=all&provider_instance=MEDIAA-P01', ['MEDIAA@MEDIAA-P01', 'MEDIAA@default', 'TRACKA@default']],
]

for (const [query, accounts] of targets) {
  t.test(`only selected rows are written to: ${query}`, async (t) => {
    await using world = await openWorld({ rows: BOTH })
    const { body } = await world.call('DELETE', `movie:imdb:tt1?${query}`)
    t.equal(body.ok, true)
    t.same(world.written.map(({ provider, instance }) => `${provider}@${instance}`).toSorted(), accounts)
  })
}

t.test('a single provider has results by profile', async (t) => {
  await using world = await openWorld({ rows: BOTH })
  t.same((await world.call('DELETE', 'movie:imdb:tt1?provider=MEDIAA')).body.details, {
    default: { ok: true, removed: 1 },
    'MEDIAA-P01': { ok: true, removed: 1 },
  })
})

const keys: readonly (readonly [text: string, sent: string | null, reason?: string])[] = [
  ['movie:tmdb:2', 'movie:tmdb:2'],
  ['tmdb:2', 'movie:tmdb:2'],
  ['movie%3Atmdb%3A2', 'movie:tmdb:2'],
  ['movie%253Atmdb%253A2', 'movie:tmdb:2'],
  ['tmdb:7', null, 'ambiguous_key'],
  ['show:tmdb:7', 'show:tmdb:7'],
  ['movie:tmdb:8', null, 'ambiguous_key'],
  ['movie:tmdb:99', null, 'not_in_state'],
  ['nonsense', null, 'not_in_state'],
  ['%25', null, 'not_in_state'],
]

for (const [text, sent, reason] of keys) {
  t.test(`the row of a key is never guessed: ${text}`, async (t) => {
    await using world = await openWorld({
      rows: {
        'TRACKA@default': [
          row(movie('2')),
          row(movie('7')),
          row({ type: 'show', ids: { tmdb: '7' } }),
          row(movie('8', { ids: { tmdb: '8', imdb: 'tt8' } })),
          row(movie('8', { ids: { tmdb: '8', imdb: 'tt9' } }), 'movie:imdb:tt9'),
        ],
      },
    })
    const { status, body } = await world.call('DELETE', text)
    t.same(
      world.written.flatMap(({ changes }) => changes.map(({ key }) => key)),
      sent === null ? [] : [sent],
    )
    t.equal(status, reason === 'ambiguous_key' ? 400 : 200)
    t.match(body, {
      status: sent !== null ? 'ok' : reason === 'ambiguous_key' ? 'error' : 'noop',
      deleted: sent === null ? 0 : 1,
    })
    t.equal(body.reason, reason)
  })
}

t.test('a batch has results per provider and key', async (t) => {
  for (const path of ['delete', 'delete_batch']) {
    await using world = await openWorld({ rows: BOTH })
    const { status, body } = await world.call('POST', path, {
      keys: ['tmdb:1', { key: 'gone', aliases: ['movie:tmdb:2'] }, 'movie:tmdb:99'],
    })
    t.equal(status, 200)
    t.match(body, {
      ok: true,
      partial: false,
      provider: 'ALL',
      targets: ['MEDIAA', 'TRACKA'],
      deleted_ok: 3,
      deleted_total: 3,
      unresolved: [{ key: 'movie:tmdb:99', reason: 'not_in_state' }],
    })
    t.same(
      body.results.map(({ provider, ok, deleted, per_key: perKey }: any) => [provider, ok, deleted, perKey]),
      [
        [
          'MEDIAA',
          true,
          1,
          [
            { key: 'tmdb:1', resolved_key: 'movie:tmdb:1', deleted: true, attempted: true },
            { key: 'gone', resolved_key: 'movie:tmdb:2', deleted: false, attempted: false, reason: 'not_in_state' },
            { key: 'movie:tmdb:99', deleted: false, attempted: false, reason: 'not_in_state' },
          ],
        ],
        [
          'TRACKA',
          true,
          2,
          [
            { key: 'tmdb:1', resolved_key: 'movie:tmdb:1', deleted: true, attempted: true },
            { key: 'gone', resolved_key: 'movie:tmdb:2', deleted: true, attempted: true },
            { key: 'movie:tmdb:99', deleted: false, attempted: false, reason: 'not_in_state' },
          ],
        ],
      ],
    )
  }
})

t.test('a provider without any of the keys says so', async (t) => {
  await using world = await openWorld({ rows: BOTH })
  const { body } = await world.call('POST', 'delete', { provider: 'MEDIAA', keys: ['movie:tmdb:2'] })
  t.match(body, {
    ok: true,
    deleted_ok: 0,
    deleted_total: 0,
    targets: ['MEDIAA'],
    results: [{ provider: 'MEDIAA', deleted: 0, per_key: [{ reason: 'not_in_state' }] }],
  })
  t.same(world.written, [])
})

t.test('failures of the service are reported unchanged, key by key', async (t) => {
  await using world = await openWorld({
    rows: { 'TRACKA@default': ['1', '2', '3', '4', '5'].map((id) => row(movie(id))) },
    answer: (_request, key) =>
      ({
        'movie:tmdb:1': { outcome: 'applied' as const },
        'movie:tmdb:2': { outcome: 'already' as const },
        'movie:tmdb:3': { outcome: 'not_found' as const },
        'movie:tmdb:4': { outcome: 'rejected' as const, reason: 'provider_limit' },
        'movie:tmdb:5': { outcome: 'unknown' as const },
      })[key],
  })
  const { status, body } = await world.call('POST', 'delete', {
    keys: ['1', '2', '3', '4', '5'].map((id) => `movie:tmdb:${id}`),
  })
  t.match([status, body], [200, { ok: false, partial: true, deleted_ok: 2, deleted_total: 5 }])
  t.same(
    body.results[0].per_key.map(({ deleted, reason }: any) => [deleted, reason]),
    [
      [true, undefined],
      [true, undefined],
      [false, 'not_found'],
      [false, 'provider_limit'],
      [false, 'unknown'],
    ],
  )
  t.same(
    (await world.list()).items.map(({ tmdb }: any) => tmdb).toSorted(),
    [3, 4, 5],
    'and only what is gone is hidden',
  )
})

t.test('a response that omits a key proves nothing about it', async (t) => {
  await using world = await openWorld({ rows: { 'TRACKA@default': [row(movie('1'))] }, isSilent: true })
  t.match(await world.call('DELETE', 'movie:tmdb:1'), {
    status: 400,
    body: { ok: false, status: 'error', deleted: 0, reason: 'unknown' },
  })
})

t.test('a failing account does not hide the result of the other', async (t) => {
  await using world = await openWorld({
    rows: BOTH,
    before: ({ provider }) => (provider === 'TRACKA' ? busy() : undefined),
  })
  const { status, body } = await world.call('DELETE', 'movie:tmdb:1')
  t.equal(status, 400)
  t.match(body, {
    ok: false,
    status: 'error',
    deleted: 2,
    reason: 'busy',
    details: {
      MEDIAA: { ok: true, removed: 2 },
      TRACKA: { ok: false, removed: 0, per_instance: { default: { ok: false, removed: 0, error: 'busy' } } },
    },
  })
})

t.test('while a run holds all of the accounts nothing is done, which is reported', async (t) => {
  await using world = await openWorld({ rows: BOTH, before: busy })
  for (const answer of [
    await world.call('DELETE', 'movie:tmdb:1'),
    await world.call('POST', 'delete', { keys: ['movie:tmdb:1'] }),
  ]) {
    t.match(answer, { status: 409, body: { ok: false, error: 'busy' } })
  }
  t.equal((await world.list()).items.length, 2)
})

t.test('a failure of an account is reported as a code, and never as its own text', async (t) => {
  await using world = await openWorld({
    rows: { 'TRACKA@default': [row(movie('1'))] },
    before: () => {
      throw new Error('https://api.trakt.tv/?api_key=secret')
    },
  })
  const { status, body } = await world.call('DELETE', 'movie:tmdb:1')
  t.match([status, body], [400, { ok: false, status: 'error', deleted: 0, reason: 'failed' }])
  const batch = await world.call('POST', 'delete', { keys: ['movie:tmdb:1'] })
  t.match(batch.body, { deleted_total: 0, results: [{ per_key: [{ attempted: false, reason: 'failed' }] }] })
  t.notMatch(JSON.stringify(body), 'secret')
})

t.test('many keys are one plan, and a failure midway keeps the earlier results', async (t) => {
  const list = Array.from({ length: 1_200 }, (_, index) => row(movie(String(index + 1))))
  await using world = await openWorld({
    rows: { 'TRACKA@default': list },
    answer: (_request, key) =>
      Number(key.slice('movie:tmdb:'.length)) > 1_000 ? { outcome: 'deferred', reason: 'not_attempted' } : undefined,
  })
  const { status, body } = await world.call('POST', 'delete', { keys: list.map(({ key }) => key) })
  t.match([status, body], [200, { ok: false, partial: true, deleted_ok: 1_000, deleted_total: 1_000 }])
  t.same(
    world.written.map(({ changes }) => changes.length),
    [1_200],
  )
  t.same(body.results[0].per_key[1_100], {
    key: 'movie:tmdb:1101',
    deleted: false,
    attempted: false,
    reason: 'not_attempted',
  })
  t.equal((await world.list()).items.length, 200)
})

t.test('a row with only a title is not changed', async (t) => {
  await using world = await openWorld({
    rows: { 'TRACKA@default': [row({ type: 'movie', title: 'Heat', year: 1995, ids: {} }, 'movie:title:heat:1995')] },
  })
  t.match(await world.call('DELETE', 'movie:title:heat:1995'), {
    status: 400,
    body: { ok: false, status: 'error', reason: 'missing_ids', deleted: 0 },
  })
  t.equal((await world.list()).items.length, 1)
})

t.test('a deleted title is gone until a read finds it again', async (t) => {
  await using world = await openWorld({ rows: BOTH })
  await world.call('DELETE', 'movie:tmdb:1?provider=TRACKA')
  const list = async () => (await world.list()).items.map(({ key, sources }: any) => [key, sources]).toSorted()
  t.same(
    await list(),
    [
      ['movie:imdb:tt1', ['mediaa']],
      ['movie:tmdb:2', ['tracka']],
    ],
    'only where it was deleted',
  )
  await world.host.reload()
  t.equal((await list()).length, 2, 'also after the plugin was loaded again')
  world.stored.set('TRACKA@default', [...BOTH['TRACKA@default']])
  t.same(await list(), [
    ['movie:tmdb:1', ['mediaa', 'tracka']],
    ['movie:tmdb:2', ['tracka']],
  ])
})

const refusals: readonly (readonly [payload: object, status: number, error?: string])[] = [
  [{}, 400, 'keys must be a non-empty array'],
  [{ keys: [] }, 400, 'keys must be a non-empty array'],
  [{ keys: 'movie:tmdb:1' }, 400, 'keys must be a non-empty array'],
  [{ keys: [1] }, 400, 'keys must hold texts, or objects with a key and aliases'],
  [{ keys: [{ aliases: [] }] }, 400, 'keys must hold texts, or objects with a key and aliases'],
  [{ keys: [{ key: 'a', aliases: [7] }] }, 400, 'keys must hold texts, or objects with a key and aliases'],
  [{ keys: ['a'], provider: 'NOPE' }, 404, 'unknown_provider'],
  [{ keys: ['a'], provider: 'MEDIAA', provider_instance: 'MEDIAA-P07' }, 404, 'not_found'],
  [{ keys: ['a'], provider: 'MEDIAB' }, 409, "provider 'MEDIAB' not connected"],
  [{ keys: ['a'], provider: 'mediab', provider_instance: 'default' }, 409, "provider 'MEDIAB' not connected"],
  [{ keys: ['a'], provider: 7 }, 422],
  [[1], 422],
]

t.test('invalid requests are refused, and nothing is written', async (t) => {
  await using world = await openWorld({ rows: BOTH, unconfigured: ['MEDIAB@default'] })
  for (const [payload, status, error] of refusals) {
    const answer = await world.call('POST', 'delete', payload)
    t.equal(answer.status, status, JSON.stringify(payload))
    if (error !== undefined) t.match(answer.body, { ok: false, error }, JSON.stringify(payload))
  }
  t.equal((await world.host.inject({ method: 'POST', url: '/api/watchlist/delete' })).statusCode, 422)
  t.match(await world.call('DELETE', 'a?provider=NOPE'), { status: 404, body: { error: 'unknown_provider' } })
  t.same(world.written, [])
})

t.test('without a connected account, or without an engine, nothing is deleted', async (t) => {
  await using world = await openWorld({
    rows: { 'TRACKA@default': [row(movie('1'))] },
    unconfigured: ['TRACKA@default'],
  })
  t.match(await world.call('DELETE', 'movie:tmdb:1'), {
    status: 409,
    body: { ok: false, error: 'no connected providers' },
  })
  await using other = await openWorld({ rows: { 'TRACKA@default': [row(movie('1'))] }, withoutLibrary: true })
  t.match(await other.call('DELETE', 'movie:tmdb:1'), {
    status: 503,
    body: { ok: false, error: 'capability_unavailable' },
  })
})
