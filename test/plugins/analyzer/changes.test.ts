// slow: the whole service, or very many cases
// Corrections: patch, suggestions, fixes, deletion and undo. The tracker is changed through plans, other accounts through the
// manual policy, and never by a rule.
import { join } from 'node:path'
import t from 'tap'
import { rekeyed, withIds } from '../../../plugins/services/analyzer/act/ids.ts'
import { episode, film, openWorld, pair, row } from './world.ts'

const at = '2025-01-01T10:00:00Z'
const patch = (body: object) => ['POST', '/api/analyzer/patch', body] as const
const fix = (body: object) => ['POST', '/api/analyzer/fix', body] as const

t.test('property 16: a new key keeps the part and the time, and an episode is named by its show', async (t) => {
  const item = episode(1, 2, 3, { show_ids: { tvdb: '9' }, ids: { tmdb: '77' }, watched_at: at })
  const corrected = withIds(item, { tmdb: 1399 }, 'remove')
  t.same([corrected.show_ids, corrected.ids], [{ tvdb: '9', tmdb: '1399' }, { tmdb: '77' }])
  t.equal(rekeyed(corrected, 'show:tvdb:9#s02e03@1735725600'), 'show:tmdb:1399#s02e03@1735725600')
  t.equal(rekeyed(corrected, 'show:tvdb:9#s02e03'), 'show:tmdb:1399#s02e03')
  t.equal(rekeyed(film(603), 'movie:imdb:tt0133093@id:42'), 'movie:tmdb:603@id:42')
  t.same(withIds(film(1), { tmdb: null, imdb: 'https://www.imdb.com/title/tt0133093/', tvdb: '' }, 'remove').ids, {
    imdb: 'tt0133093',
  })
  t.same(withIds(film(1), { tmdb: '' }, 'keep').ids, { tmdb: '1' })
  t.throws(() => withIds(film(1), { nonsense: '1' }, 'keep'), { message: /no kind of id/ })
})

t.test('a finding contains enough to request its fix', async (t) => {
  await using world = await openWorld({
    rows: {
      'SVC@default history': [
        film(7, { ids: { tmdb: '12-abc' }, watched_at: at }),
        { key: 'movie:tmdb:9', item: film(8, { watched_at: at }) },
        film(4, { ids: { anilist: '4' }, watched_at: at }),
      ],
    },
    rules: ['id-format', 'key-and-ids', 'missing-ids'],
  })
  const { problems } = (await world.get('/api/analyzer/problems')).body
  const told = []
  for (const { type, provider, feature, key, ids, fixable, fix_with: fields } of problems) {
    const { status, body } = await world.send(
      ...fix({ ...fields, provider, feature, key, type, item: { ids }, dry_run: true }),
    )
    told.push([type, fixable, status, body.changes ?? body.error])
  }
  t.same(told.toSorted(), [
    ['invalid_id_format', true, 200, ['ids.tmdb=12']],
    ['key_ids_mismatch', true, 200, ['ids.tmdb=9']],
    ['key_missing_ids', false, 400, 'validation_failed'],
  ])
})

t.test('a row of the tracker is changed through a plan, with its new key and an undo', async (t) => {
  await using world = await openWorld({
    rows: {
      'SVC@default history': [film(1, { ids: { imdb: 'tt0133093' }, watched_at: at }), film(2, { watched_at: at })],
    },
    rules: ['missing-ids'],
  })
  const key = 'movie:imdb:tt0133093@1735725600'
  const { status, body } = await world.send(
    ...patch({ provider: 'svc', feature: 'history', key, ids: { tmdb: '603' }, rekey: true }),
  )
  t.match([status, body], [200, { ok: true, new_key: 'movie:tmdb:603@1735725600' }], JSON.stringify(body))
  t.match(world.written, [
    {
      provider: 'SVC',
      feature: 'history',
      plays: true,
      cause: 'analyzer',
      changes: [{ op: 'update', key, item: { ids: { imdb: 'tt0133093', tmdb: '603' } } }],
    },
  ])
  t.match((await world.get('/api/analyzer/changes')).body.changes, [
    {
      change_id: body.change_id,
      operation: 'patch',
      by: 'plan',
      before: { ids: { imdb: 'tt0133093' } },
      after: { ids: { tmdb: '603' } },
    },
  ])
  const undo = () => world.send('POST', `/api/analyzer/changes/${body.change_id}/undo`, {})
  world.undoEnds.push({ result: 'failed' }, { result: 'partial', left_to_undo: 1, not_undone: { read_only: 1 } })
  t.match(await undo(), { status: 502, body: { error: 'undo_incomplete' } })
  t.match(await undo(), {
    status: 200,
    body: { state: 'partly', left_to_undo: 1, not_undone: [{ reason: 'read_only', count: 1 }] },
  })
  t.match((await world.get('/api/analyzer/changes')).body.changes, [{ undone: false, not_undone: { read_only: 1 } }])
  t.match(await undo(), { status: 200, body: { state: 'undone', run_id: 'undo', not_undone: [], left_to_undo: 0 } })
  t.same(world.undone, ['plan-1', 'plan-1', 'plan-1'])
  t.match(await world.send('POST', `/api/analyzer/changes/${body.change_id}/undo`, {}), {
    status: 409,
    body: { error: 'nothing_to_undo' },
  })
  const taken = await world.send(
    ...patch({
      provider: 'SVC',
      feature: 'history',
      key: 'movie:tmdb:603@1735725600',
      ids: { tmdb: '2' },
      rekey: true,
    }),
  )
  t.match(
    taken.body,
    { new_key: 'movie:tmdb:603@1735725600', conflict_key: 'movie:tmdb:2@1735725600' },
    'a key that is taken is not taken twice',
  )
})

t.test('two concurrent corrections of one row are one, and a missing row is not removed again', async (t) => {
  await using world = await openWorld({
    rows: { 'SVC@default history': [film(1, { ids: { imdb: 'tt0133093' }, watched_at: at })] },
    rules: ['missing-ids'],
  })
  const row = { provider: 'SVC', feature: 'history', key: 'movie:imdb:tt0133093@1735725600' }
  const given = ['603', '604'].map((tmdb) => ({ ...row, ids: { imdb: null, tmdb }, rekey: true }))
  const both = await Promise.all(given.map((body) => world.send(...patch(body))))
  t.same(both.map(({ status, body }) => [status, body.error ?? null]).sort(), [
    [200, null],
    [409, 'changed_since'],
  ])
  t.equal(world.data.get('SVC@default history')!.length, 1)
  const left = { ...row, key: both.find(({ status }) => status === 200)!.body.new_key }
  const removed = await Promise.all([left, left].map((body) => world.send('DELETE', '/api/analyzer/item', body)))
  t.same(removed.map(({ status }) => status).sort(), [200, 404])
  t.equal((await world.get('/api/analyzer/changes')).body.changes.length, 2)
})

t.test('ids that another account lacks become a manual add; its own ids are not contradicted', async (t) => {
  await using world = await openWorld({
    rows: {
      'MEDIAA@default watchlist': [film(1, { ids: { imdb: 'tt0133093' }, native: { item_id: '7' } })],
      'MEDIAA@default ratings': [film(1, { rating: 8 })],
    },
  })
  const target = { provider: 'MEDIAA', feature: 'watchlist', key: 'movie:imdb:tt0133093' }
  const { body } = await world.send(...patch({ ...target, ids: { tmdb: 603 }, rekey: true }))
  t.match(body, { ok: true, new_key: target.key })
  t.match(world.adds, [{ item: { ids: { imdb: 'tt0133093', tmdb: '603' } } }])
  t.notOk('native' in world.adds[0]!.item)
  t.same(world.written, [], 'no service is written')
  t.match(await world.send(...patch({ ...target, ids: { imdb: 'tt0000001' } })), {
    status: 400,
    body: { error: 'contradicts_account' },
  })
  t.match(await world.send(...patch({ ...target, ids: { imdb: null } })), {
    status: 400,
    body: { error: 'contradicts_account' },
  })
  t.match(
    await world.send(...patch({ ...target, feature: 'ratings', key: 'movie:tmdb:1', ids: { imdb: 'tt0133093' } })),
    { status: 400, body: { error: 'cannot_correct' } },
  )
  await world.send('POST', `/api/analyzer/changes/${body.change_id}/undo`, {})
  t.same(world.adds, [])
  t.match(
    await world.send('PATCH', '/api/analyzer/item', {
      ...target,
      updates: { title: 'Neu', year: 1999, ids: { tmdb: '603', tvdb: '' } },
    }),
    { status: 200, body: { ok: true } },
  )
  t.match(world.adds, [{ item: { title: 'Neu', year: 1999, ids: { tmdb: '603' } } }])
})

t.test('malformed and wrong requests change nothing', async (t) => {
  await using world = await openWorld({
    rows: {
      'SVC@default watchlist': [film(1)],
      'TRACKA@default watchlist': [film(1)],
      'TRACKA@TRACKA-P01 watchlist': [film(1)],
    },
  })
  const target = { provider: 'SVC', feature: 'watchlist', key: 'movie:tmdb:1' }
  for (const [method, path, body, status, error] of [
    ['POST', 'patch', { ...target }, 422, undefined],
    ['POST', 'patch', { ...target, ids: 'x' }, 422, undefined],
    ['POST', 'patch', { ...target, ids: { nonsense: '1' } }, 400, 'validation_failed'],
    ['POST', 'patch', { ...target, key: 'movie:tmdb:7', ids: {} }, 404, 'item_not_found'],
    ['POST', 'patch', { ...target, provider: 'NOPE', ids: {} }, 404, 'unknown_provider'],
    ['POST', 'patch', { ...target, provider: 'TRACKA', ids: {} }, 409, 'ambiguous_provider'],
    ['POST', 'patch', { ...target, feature: 'playlists', ids: {} }, 422, undefined],
    ['PATCH', 'item', { ...target, updates: { year: 1700 } }, 422, undefined],
    ['PATCH', 'item', { ...target, updates: { rating: 3 } }, 422, undefined],
    ['POST', 'fix', { ...target, type: 'nonsense' }, 400, 'unsupported_fix'],
    [
      'POST',
      'fix',
      { ...target, type: 'invalid_id_format', id_name: 'tmdb', id_value: 'none' },
      400,
      'validation_failed',
    ],
    ['POST', 'fix', { ...target, type: 'key_ids_mismatch' }, 400, 'validation_failed'],
    ['DELETE', 'item', { ...target, key: 'movie:tmdb:7' }, 404, 'item_not_found'],
    ['DELETE', 'item', {}, 422, undefined],
    ['POST', 'suggest', { provider: 'SVC' }, 422, undefined],
  ] as const) {
    const answer = await world.send(method, `/api/analyzer/${path}`, body)
    t.equal(answer.status, status, `${path} ${JSON.stringify(body)} ${JSON.stringify(answer.body)}`)
    if (error === undefined) t.ok(Array.isArray(answer.body.detail))
    else t.match(answer.body, { ok: false, error })
  }
  t.match((await world.send('POST', '/api/analyzer/patch', { ...target, provider: 'TRACKA', ids: {} })).body, {
    profiles: ['TRACKA', 'TRACKA@TRACKA-P01'],
  })
  t.same([world.written, world.adds], [[], []])
})

t.test(
  'property 18: ids come from rows of the same title and year alone, and never where they contradict',
  async (t) => {
    await using world = await openWorld({
      rows: {
        'SVC@default watchlist': [
          film(1, { ids: { imdb: 'tt0000001' }, title: 'Heat', year: 1995 }),
          film(2, { ids: { imdb: 'tt0000002' }, title: '', year: 1995 }),
          film(3, { ids: { imdb: 'tt0000003' }, title: 'Crash', year: 2004 }),
          film(4, { ids: { imdb: 'tt0000004' }, title: 'Solo', year: null }),
        ],
        'TRACKA@default watchlist': [
          film(949, { title: 'heat', year: 1995 }),
          film(950, { title: 'Heat', year: 1995, ids: { tmdb: '950', imdb: 'tt0000099' } }),
          film(951, { title: '', year: 1995 }),
          film(952, { title: 'Crash', year: 2004 }),
          film(953, { title: 'Crash', year: 2004 }),
          film(954, { title: 'Solo', year: null }),
        ],
      },
    })
    const fixed = (key: string) =>
      world.send(...fix({ provider: 'SVC', feature: 'watchlist', key, type: 'missing_ids' }))
    t.match((await fixed('movie:imdb:tt0000001')).body, {
      ok: true,
      changes: ['ids.tmdb=949'],
      new_key: 'movie:tmdb:949',
    })
    for (const key of ['movie:imdb:tt0000002', 'movie:imdb:tt0000003', 'movie:imdb:tt0000004'])
      t.match(await fixed(key), { status: 400, body: { error: 'nothing_to_merge' } }, key)
    const { body } = await world.send('POST', '/api/analyzer/suggest', {
      provider: 'SVC',
      feature: 'watchlist',
      key: 'movie:imdb:tt0000003',
    })
    t.match(
      body.suggestions.map(({ ids, source, new_key: key }: any) => [ids.tmdb, source, key]),
      [
        ['952', 'peer', 'movie:tmdb:952'],
        ['953', 'peer', 'movie:tmdb:953'],
      ],
    )
    t.same(body.needs, ['metadata_key'])
  },
)

t.test('ids from the metadata service and the anime mapping are suggested, the surest first', async (t) => {
  const asked: unknown[] = []
  const anime = { type: 'anime' as const, title: 'Frieren', year: 2023, ids: { anilist: '154587' } }
  const metadata = {
    ready: () => true,
    async identify(work: { ids: { imdb?: string } }) {
      asked.push(work)
      if (work.ids.imdb === 'tt0000009') throw new Error('the service is down')
      return work.ids.imdb === 'tt0113277' ? { imdb: 'tt0113277', tmdb: '949' } : undefined
    },
    search: async () => [
      { type: 'movie', tmdb: '950', title: 'Heat', year: 2013 },
      { type: 'movie', tmdb: '951', title: 'Heat of the night', year: 1995 },
    ],
  }
  const mapping = {
    revision: async () => '1',
    scope: async () => ({ providers: [], features: [] }),
    enrich: async (items: readonly { ids: object }[]) =>
      items.map(({ ids }) => ({ ids: { ...ids, tvdb: '81' }, added: ['tvdb'] })),
  }
  await using world = await openWorld({
    rows: {
      'SVC@default watchlist': [
        film(1, { ids: { imdb: 'tt0113277' }, title: 'Heat', year: 1995 }),
        film(2, { ids: { imdb: 'tt0000009' }, title: 'Heat', year: 2013 }),
        anime,
      ],
      'SVC@default history': [episode(3, 1, 1, { show_ids: { imdb: 'tt0113277' }, watched_at: at })],
    },
    capabilities: { metadata, 'anime-mapping': mapping },
  })
  const suggested = async (key: string, feature = 'watchlist') => {
    const { status, body } = await world.send('POST', '/api/analyzer/suggest', { provider: 'SVC', feature, key })
    t.equal(status, 200, JSON.stringify(body))
    t.same(body.needs, [])
    return body.suggestions.map(({ ids, show_ids: show, source, confidence, new_key: as }: any) => [
      source,
      { ...ids, ...show },
      confidence,
      as,
    ])
  }
  t.same(await suggested('movie:imdb:tt0113277'), [
    ['metaA', { tmdb: '949' }, 0.95, 'movie:tmdb:949'],
    ['metaA', { tmdb: '950' }, 0.6, 'movie:tmdb:950'],
  ])
  t.same(await suggested('movie:imdb:tt0000009'), [['metaA', { tmdb: '950' }, 0.9, 'movie:tmdb:950']])
  t.same(await suggested(row(anime).key), [
    ['anime_mapping', { tvdb: '81' }, 0.9, row({ ...anime, ids: { ...anime.ids, tvdb: '81' } }).key],
  ])
  t.same(await suggested('show:imdb:tt0113277#s01e01@1735725600', 'history'), [
    ['metaA', { tmdb: '949' }, 0.95, 'show:tmdb:949#s01e01@1735725600'],
  ])
  t.match(asked.at(-1), { type: 'show', ids: { imdb: 'tt0113277' } }, 'an episode is asked for by its show')
  t.same(world.written, [])
})

t.test('ids of linked rows in any account and list are suggested, never those of another work', async (t) => {
  const imdb = 'tt0000001'
  await using world = await openWorld({
    rows: {
      'SVC@default watchlist': [film(1, { ids: { imdb } })],
      'A@default ratings': [film(1, { title: 'Autre', ids: { imdb, tmdb: '11' }, rating: 7 })],
      'B@default watchlist': [film(1, { title: 'Otro', ids: { imdb, tvdb: '22' } })],
      'C@default watchlist': [film(1, { title: 'Andere', ids: { imdb: 'tt0000002', tvdb: '22' } })],
      'SVC@default history': [
        episode(3, 1, 1, { show_ids: { imdb }, watched_at: at }),
        episode(4, 1, 1, { ids: { tvdb: '900' }, show_ids: { imdb: 'tt0000009' }, watched_at: at }),
      ],
      'A@default history': [
        episode(3, 1, 1, { show_ids: { imdb, tvdb: '33' }, series_title: 'X', watched_at: at }),
        // Services number episodes differently; the id of the episode is the same.
        episode(4, 1, 2, { ids: { tvdb: '900' }, show_ids: { imdb: 'tt0000009', tvdb: '44' }, watched_at: at }),
      ],
    },
  })
  const suggested = async (feature: string, key: string) => {
    const body = { provider: 'SVC', feature, key }
    const { suggestions } = (await world.send('POST', '/api/analyzer/suggest', body)).body
    return suggestions.map(({ ids, show_ids: show, source, confidence, fix: { ids: fixed } }: any) => [
      ...[source, confidence, { ...ids, ...show }],
      fixed,
    ])
  }
  t.same(await suggested('watchlist', `movie:imdb:${imdb}`), [
    ['alias', 0.9, { tmdb: '11' }, { tmdb: '11' }],
    ['alias', 0.9, { tvdb: '22' }, { tvdb: '22' }],
  ])
  t.same(await suggested('history', `show:imdb:${imdb}#s01e01@1735725600`), [
    ['alias', 0.9, { tvdb: '33' }, { tvdb: '33' }],
  ])
  t.match(await suggested('history', 'show:imdb:tt0000009#s01e01@1735725600'), [['alias', 0.9, { tvdb: '44' }]])
})

t.test('failing services remove no suggestions from other rows', async (t) => {
  const anime = { type: 'anime' as const, title: 'Frieren', year: 2023, ids: { anilist: '154587' } }
  const fails = async () => {
    throw new Error('the service is down')
  }
  await using world = await openWorld({
    rows: {
      'SVC@default watchlist': [anime],
      'A@default watchlist': [{ ...anime, ids: { ...anime.ids, tvdb: '81' } }],
    },
    pairs: [pair('SVC', 'A')],
    capabilities: {
      metadata: { ready: fails, identify: fails, search: fails },
      'anime-mapping': { revision: fails, scope: async () => ({ providers: [], features: [] }), enrich: fails },
    },
  })
  const asked = { provider: 'SVC', feature: 'watchlist', key: row(anime).key }
  const { status, body } = await world.send('POST', '/api/analyzer/suggest', asked)
  t.equal(status, 200, JSON.stringify(body))
  t.match(body, { suggestions: [{ source: 'peer', ids: { tvdb: '81' } }], needs: ['metadata_key', 'anime_index'] })
})

t.test('the later rating is written to the other account, unless something changed since', async (t) => {
  await using world = await openWorld({
    rows: {
      'A@default ratings': [
        film(1, { rating: 9, rated_at: '2025-05-01T00:00:00Z' }),
        film(2, { rating: 9 }),
        film(3, { rating: 9, rated_at: '2025-05-01T10:00:00Z' }),
      ],
      'B@default ratings': [
        film(1, { rating: 3, rated_at: '2024-05-01T00:00:00Z' }),
        film(2, { rating: 3 }),
        film(3, { rating: 3, rated_at: '2025-05-01' }),
      ],
    },
    pairs: [pair('A', 'B', { features: ['ratings'] })],
  })
  const target = { provider: 'A', feature: 'ratings', key: 'movie:tmdb:1', type: 'rating_conflict' }
  t.match((await world.send(...fix({ ...target, dry_run: true }))).body, {
    dry_run: true,
    changes: ['The B: rating 3 becomes 9'],
    plan: { provider: 'B' },
  })
  t.same(world.written, [], 'a look writes nothing')
  t.match(await world.send(...fix({ ...target, item: { ids: { tmdb: '7' } } })), {
    status: 409,
    body: { error: 'changed_since' },
  })
  world.active.run = { run_id: 'r', pair_ids: ['pair_a_b'] }
  t.match(await world.send(...fix(target)), { status: 409, body: { error: 'sync_running' } })
  world.active.run = null
  for (const key of ['movie:tmdb:2', 'movie:tmdb:3'])
    t.match(
      await world.send(...fix({ ...target, key })),
      { status: 400, body: { error: 'no_later_rating' } },
      `${key}: no time, or only the same day`,
    )
  // A person decides, also where no time says which one is later.
  const { problems } = (await world.get('/api/analyzer/problems?type=rating_conflict')).body
  const [shown] = problems.filter(({ key }: any) => key === 'movie:tmdb:2')
  t.strictSame([Object.keys(shown.values), shown.choices], [shown.choices, shown.choices])
  t.equal(shown.choices.length, 2)
  const lines: string[] = []
  for (const keep of shown.choices) {
    const chosen = { ...target, ...shown.fix_with, key: shown.key, keep, dry_run: true }
    lines.push(...(await world.send(...fix(chosen))).body.changes)
  }
  t.strictSame(lines.sort(), ['The A: rating 9 becomes 3', 'The B: rating 3 becomes 9'])
  t.match(await world.send(...fix({ ...target, key: shown.key, keep: 'C@default' })), {
    status: 400,
    body: { error: 'invalid_choice' },
  })
  // The person changes the rating at B: the library has it, but the rows of the pass do not.
  t.equal((await world.get('/api/analyzer/problems')).status, 200)
  const before = world.data.get('B@default ratings')!
  world.data.set('B@default ratings', [
    row(film(1, { rating: 7, rated_at: '2026-01-01T00:00:00Z' })),
    ...before.slice(1),
  ])
  t.match(await world.send(...fix(target)), { status: 409, body: { error: 'changed_since' } })
  world.data.set('B@default ratings', before)
  t.match((await world.send(...fix(target))).body, { ok: true, changes: ['The B: rating 3 becomes 9'] })
  t.match(world.written, [
    {
      provider: 'B',
      feature: 'ratings',
      changes: [{ op: 'update', key: 'movie:tmdb:1', item: { rating: 9 }, current: { rating: 3 } }],
    },
  ])
})

t.test('a rule with an invalid fix, or one that throws, changes and reveals nothing', async (t) => {
  await using world = await openWorld({
    rows: { 'SVC@default watchlist': [film(1)] },
    rules: [],
    more: { fixes: join(import.meta.dirname, 'bad', 'fixes.ts') },
  })
  const target = { provider: 'SVC', feature: 'watchlist', key: 'movie:tmdb:1' }
  t.match(await world.send(...fix({ ...target, type: 'bad_plan' })), { status: 400, body: { error: 'invalid_fix' } })
  const thrown = await world.send(...fix({ ...target, type: 'bad_throw' }))
  t.match([thrown.status, thrown.body], [400, { error: 'fix_failed' }])
  t.notMatch(JSON.stringify(thrown.body), /secret/)
  t.same(world.written, [])
  t.match((await world.send(...fix({ ...target, type: 'good_plan' }))).body, { ok: true, changes: ['It is removed.'] })
  t.equal(world.written.length, 1)
})

t.test(
  'a deleted row is removed from the tracker by a plan, and for other accounts only from the stored rows',
  async (t) => {
    await using world = await openWorld({
      rows: { 'SVC@default watchlist': [film(1)], 'TRACKA@default watchlist': [film(1), film(2)] },
    })
    t.match(
      await world.send('DELETE', '/api/analyzer/item', { provider: 'SVC', feature: 'watchlist', key: 'movie:tmdb:1' }),
      { status: 200, body: { ok: true } },
    )
    t.match(world.written, [{ provider: 'SVC', changes: [{ op: 'remove', key: 'movie:tmdb:1' }] }])
    t.match(
      await world.send('DELETE', '/api/analyzer/item', {
        provider: 'TRACKA',
        feature: 'watchlist',
        key: 'movie:tmdb:1',
      }),
      { status: 200 },
    )
    t.equal(world.written.length, 1, 'no service is written')
    t.same(
      (await world.get('/api/analyzer/state')).body.items.map(({ key }: any) => key),
      ['movie:tmdb:2'],
    )
  },
)
