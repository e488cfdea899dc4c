// Guarantees of the archive for stored events.
import t from 'tap'
import type { EventRecord } from '@playhead/sdk'
import { ALIEN, failed, finished, HEAT, openArchive, ROUTE, started, wrote } from './support.ts'

const AT = Math.floor(Date.now() / 1_000) * 1_000 - 7_200_000

t.test('a repeated import is stored once', async (t) => {
  await using archive = await openArchive()
  const events = [
    {
      event_type: 'write_failed',
      item_key: 'movie:tmdb:1',
      title: 'One',
      created_at: 1_700_000_000,
      reason: 'refused_by_service',
      severity: 'error',
    },
    {
      event_type: 'write_failed',
      item_key: 'movie:tmdb:1',
      title: 'One',
      created_at: 1_700_000_001,
      severity: 'error',
    },
    { id: 7, event_type: 'audit_login', created_at: '2023-11-14T22:13:20Z', detail: { actor: { username: 'ada' } } },
  ]
  t.match((await archive.post('import', { source: 'old', events })).body, {
    ok: true,
    imported: 3,
    duplicates: 0,
    skipped: 0,
    files: 1,
    errors: [],
    errors_total: 0,
  })
  t.match((await archive.post('import', { source: 'old', events })).body, {
    ok: true,
    imported: 0,
    duplicates: 3,
    skipped: 0,
  })
  t.match((await archive.post('import', { source: 'old', events: [events[0], events[0]], dry_run: true })).body, {
    imported: 0,
    duplicates: 2,
    dry_run: true,
  })
  t.match(await archive.get('status'), { events: 3, by_domain: { sync: 2, audit: 1 }, last_import: Number })
  t.match(
    (await archive.get('search?view=events&domain=all&source_provider=')).items.map(
      ({ source_kind: kind, source_file: file, created_at: at }: any) => [kind, file, at],
    ),
    [
      ['json_import', 'old', 1_700_000_001],
      ['json_import', 'old', 1_700_000_000],
      ['json_import', 'old', 1_700_000_000],
    ],
  )
})

t.test('a bad row of an import is reported, and fails no other', async (t) => {
  await using archive = await openArchive()
  const good = { event_type: 'write_failed', item_key: 'movie:tmdb:1', created_at: 5 }
  const bad = [
    null,
    [],
    'x',
    {},
    { ...good, event_type: 'a b' },
    { ...good, domain: 'x' },
    { ...good, severity: 'fatal' },
    { ...good, created_at: 'soon' },
    { ...good, created_at: -1 },
    { ...good, title: 5 },
    { ...good, year: 1.5 },
    { ...good, detail: [] },
    { ...good, detail: '{' },
    { ...good, direction: 'up' },
    { ...good, title: 'x'.repeat(3_000) },
  ]
  const { status, body } = await archive.post('import', { events: [good, ...bad, { ...good, created_at: 6 }] })
  t.equal(status, 200)
  t.match(body, { imported: 2, skipped: bad.length, errors_total: bad.length })
  t.same(
    body.errors.map(({ index }: any) => index),
    bad.map((_, index) => index + 1),
  )
  t.match(body.errors[4], { field: 'event_type', error: String })
  t.match(
    await archive.post('import', { events: [{ ...good, detail: { long: 'x'.repeat(2_000_000) } }] }),
    { status: 200, body: { imported: 1 } },
    'an import may be large; a member that is too large is left out',
  )
  t.match(
    (await archive.get('search?view=events&order=oldest')).items.find(({ detail }: any) => detail !== null).detail,
    { omitted: ['long'] },
  )
  t.match(await archive.post('import', { events: ['x'.repeat(9_000_000)] }), { status: 413 })
  t.match(await archive.post('import', {}), { status: 400, body: { ok: false, error: 'validation_failed' } })
  t.match(await archive.post('import', { events: {} }), {
    status: 422,
    body: { detail: [{ loc: ['body', 'events'] }] },
  })
  t.match(
    (
      await archive.post('import', {
        runs: [{ run_id: 'old', started_at: 10, finished_at: 20, status: 'done', errors: 1 }, { status: 'x' }],
      })
    ).body,
    { ok: true, runs: 1, skipped: 1 },
  )
  t.match(await archive.get('statistics?range=all'), { kpis: { sync_runs: { value: 1 }, failures: { value: 1 } } })
})

t.test('open items of the sync can be imported', async (t) => {
  const open = [
    {
      pair_id: 'p',
      feature: 'history',
      provider: 'TRACKA',
      instance: 'default',
      op: 'add',
      key: ALIEN.key,
      item: { type: 'movie', ids: { tmdb: '348' }, title: 'Alien', year: 1979 },
      reason_code: 'refused_by_service',
      attempts: 4,
      failures: 3,
      quarantined: true,
      first_at_ms: 1_000,
      last_at_ms: AT,
      run_id: 'r0',
    },
  ]
  const pair = {
    id: 'p',
    name: 'mine',
    enabled: true,
    running: false,
    source: 'MEDIAB',
    source_instance: 'default',
    target: 'TRACKA',
    target_instance: 'default',
    mode: 'one_way',
    features: ['history'],
  }
  const sync = {
    pairs: async () => [pair],
    active: async () => null,
    tombstones: async () => 1,
    open: async function* () {
      yield open
    },
  }
  const library = {
    holdings: async () => [{ provider: 'MEDIAB', instance: 'default', feature: 'history', readAtMs: 1, count: 1 }],
    items: async (provider: string) => (provider === 'MEDIAB' ? [{ key: ALIEN.key, item: {} }] : []),
  }
  await using archive = await openArchive({ capabilities: { sync, library } })
  t.match((await archive.post('import', { source_state: true })).body, { imported: 3 })
  t.match((await archive.post('import', { source_state: true })).body, { imported: 0, duplicates: 3 })
  const [group] = (await archive.get('recent')).items
  t.match(group, {
    title: 'Alien',
    status: 'blackboxed',
    severity: 'warning',
    pair_key: 'MEDIAB-TRACKA',
    source_provider: 'MEDIAB',
  })
  const [event] = (await archive.get(`groups/${group.id}/events`)).items
  t.match(await archive.get(`context?event_id=${event.id}`), {
    ok: true,
    event: { id: event.id },
    related: { item: { length: 3 }, pair: { length: 3 } },
    context: {
      unresolved_state: { present: false, total: 1 },
      blackbox_state: { present: true, total: 1 },
      tombstone_state: { present: true, total: 1 },
      pair_state: { matched: true, strategy: 'providers_instances', reversed: false, id: 'p', label: 'mine' },
      item_state: { item_key: ALIEN.key, present_somewhere: true },
      analyzer_findings: { count: 1 },
      manual_block: { present: false },
    },
  })
  t.match(await archive.get('context?pair_key=NONE&feature=ratings'), {
    context: { pair_state: { matched: false, raw_pair_key: 'NONE' }, unresolved_state: null },
  })
})

t.test('a failing part of the context is null, and the others are there', async (t) => {
  const gone = () => Promise.reject(new Error('no'))
  const sync = {
    pairs: gone,
    active: async () => null,
    tombstones: async () => 0,
    open: async function* () {
      yield []
    },
  }
  const library = { holdings: gone, items: gone }
  await using archive = await openArchive({ capabilities: { sync, library } })
  t.match(await archive.call(`context?item_key=${encodeURIComponent(HEAT.key)}`), {
    status: 200,
    body: {
      ok: true,
      event: null,
      context: {
        pair_state: null,
        analyzer_findings: null,
        item_state: null,
        tombstone_state: { present: false },
        unresolved_state: { present: false },
        provider_health: { status_available: false },
      },
    },
  })
})

t.test('two equal batches of one run are two events', async (t) => {
  await using archive = await openArchive()
  const batch: EventRecord = {
    ...ROUTE,
    type: 'write_attempted',
    run_id: 'r',
    operation: 'add',
    atMs: AT,
    detail: { attempted: 2 },
  }
  await archive.record(batch, batch)
  await archive.record(batch)
  t.equal((await archive.get('run/r')).total, 3)
})

t.test('a watch that starts again is one event, with the furthest progress', async (t) => {
  await using archive = await openArchive()
  const start = (progress: number, session = 'a'): EventRecord => ({
    ...ROUTE,
    type: 'scrobble_started',
    domain: 'scrobble',
    feature: 'scrobble',
    operation: 'watch',
    source_kind: 'watcher',
    session_key: session,
    item: HEAT,
    atMs: AT,
    detail: { progress },
  })
  await archive.record(start(10), start(60), start(40), start(5, 'b'))
  await archive.record(start(50))
  const { items } = await archive.get('recent?domain=scrobble&view=events&order=oldest')
  t.same(
    items.map(({ detail }: any) => detail.progress),
    [60, 5],
  )
  t.same(
    (await archive.get('recent?domain=scrobble')).items.map(({ status }: any) => status),
    ['running', 'running'],
  )
})

t.test('an item that was acknowledged and fails again is open again', async (t) => {
  await using archive = await openArchive()
  const later = Date.now() + 60_000
  await archive.record(started('r1', AT), failed('r1', ALIEN, { atMs: AT }))
  const [group] = (await archive.get('search?q=alien')).items
  await archive.post(`groups/${group.id}/acknowledge`)
  await archive.record(wrote('r1', ALIEN, { atMs: later }), {
    ...failed('r1', ALIEN, { atMs: later }),
    type: 'blackbox_blocked',
  })
  t.equal(
    (await archive.get('search?q=alien&view=events')).total,
    0,
    'what only tells about it stays out of sight, too',
  )
  await archive.record(failed('r2', ALIEN, { atMs: later }))
  t.match(await archive.get('search?q=alien'), {
    total: 1,
    items: [
      {
        id: group.id,
        status: 'failed',
        acknowledged_at: null,
        acknowledgements: [{ by: 'tester', reopened_at: Math.floor(later / 1_000) }],
      },
    ],
  })
  t.equal((await archive.get('search?q=alien&view=events')).total, 4)
  t.equal((await archive.get('status')).acknowledged, 0)
})

t.test('children are listed only below their own runs', async (t) => {
  await using archive = await openArchive()
  const third = { key: 'movie:tmdb:3', title: 'Third' }
  await archive.record(
    started('r1', AT),
    started('r2', AT + 1_000),
    failed('r1', HEAT, { atMs: AT + 2_000 }),
    failed('r2', ALIEN, { atMs: AT + 2_000 }),
    failed('r1', third, { atMs: AT + 3_000 }),
    failed('r2', third, { atMs: AT + 4_000 }),
    finished('r2', AT + 5_000),
    finished('r1', AT + 6_000),
  )
  const { items } = await archive.get('tree')
  t.same(
    items.map((run: any) => [run.run_id, run.children.map(({ title }: any) => title), run.children_total]),
    [
      ['r1', ['Third', 'Heat'], 2],
      ['r2', ['Third', 'Alien'], 2],
    ],
  )
})

t.test('items that are reported before their run find it', async (t) => {
  await using archive = await openArchive()
  await archive.record(failed('late', HEAT, { atMs: AT }))
  t.match(await archive.get('tree'), { total: 1, items: [{ title: 'Heat', children: [] }] })
  await archive.record(started('late', AT))
  t.match(await archive.get('tree'), { total: 1, items: [{ run_id: 'late', children: [{ title: 'Heat' }] }] })
})

t.test('dry runs are marked, and not counted', async (t) => {
  await using archive = await openArchive()
  const dry = { detail: { dry_run: true } }
  await archive.record(
    { ...started('dry', AT), detail: { dry_run: true } },
    failed('dry', HEAT, { ...dry, atMs: AT + 1_000 }),
    finished('dry', AT + 2_000, { dry_run: true, unresolved: 1, errors: 1 }),
  )
  t.match(await archive.get('statistics'), {
    kpis: { sync_runs: { value: 0 }, failures: { value: 0 } },
    failure_reasons: [],
    routes: [],
    outcomes: [],
  })
  t.match(await archive.get('status'), { open_problems: 0, events: 3 })
  t.match((await archive.get('search?q=heat&view=events')).items, [{ detail: { dry_run: true } }])
})

t.test('a search means the typed text', async (t) => {
  await using archive = await openArchive()
  const titles = [
    '100% Wolf',
    '_underscore_',
    'say "yes"',
    'star * wars',
    'back\\slash',
    'x',
    '🎬 film',
    "l'été",
    'AND OR NOT',
    'a(b)c',
    'semi;colon--',
    'two  blanks',
    '%_%',
  ]
  await archive.record(...titles.map((title, index) => wrote('r', { key: `movie:tmdb:${index}`, title })))
  for (const q of [
    ...titles,
    '%',
    '_',
    '"',
    '*',
    '\\',
    '🎬',
    '🎬 f',
    'é',
    'NOT',
    'AND',
    '(b',
    '--',
    '  ',
    "l'",
    'o',
    ' ',
    '%_',
    'NEAR(a b)',
    'title:x',
    'x*',
    '^x',
    '\u0000',
    '{}',
  ]) {
    const plain = titles.filter((title) => title.toLowerCase().includes(q.toLowerCase()))
    for (const view of ['events', 'groups']) {
      const answer = await archive.call(`search?view=${view}&q=${encodeURIComponent(q)}`)
      t.equal(answer.status, 200, q)
      // A search for a single letter also matches keys.
      const expected = titles.filter(
        (title, index) =>
          plain.includes(title) ||
          `movie:tmdb:${index}`.includes(q.toLowerCase()) ||
          'new_on_a'.includes(q.toLowerCase()),
      )
      t.same(
        answer.body.items.map(({ title }: any) => title).toSorted(),
        expected.toSorted(),
        `${view}: ${JSON.stringify(q)}`,
      )
    }
  }
})

t.test('a deletion removes what was confirmed, and never during a run', async (t) => {
  let active: object | null = { run_id: 'r', pair_ids: [] }
  await using archive = await openArchive({ capabilities: { sync: { active: async () => active } } })
  await archive.record(started('r', AT), failed('r', HEAT, { atMs: AT }), finished('r', AT), {
    type: 'audit_login',
    domain: 'audit',
    atMs: AT,
  })
  for (const confirm of ['false', 'true', 1, 0, false, null, undefined, {}]) {
    t.match(
      await archive.post('clear', { confirm }),
      { status: 400, body: { ok: false, error: 'confirmation_required', confirm: false } },
      JSON.stringify(confirm),
    )
  }
  t.match(await archive.post('clear', { confirm: true, domain: 'nothing' }), {
    status: 422,
    body: { detail: [{ loc: ['body', 'domain'] }] },
  })
  t.match(await archive.post('clear', { confirm: true }), { status: 409, body: { ok: false, error: 'run_active' } })
  t.equal((await archive.get('status')).events, 4)
  active = null
  t.match((await archive.post('clear', { confirm: true, domain: 'sync', before: 100 })).body, {
    ok: true,
    cleared: true,
    events: 0,
  })
  t.match((await archive.post('clear', { confirm: true, domain: 'sync' })).body, {
    ok: true,
    cleared: true,
    domain: 'sync',
    events: 3,
    groups: 2,
    runs: 1,
  })
  t.match(await archive.get('status'), { by_domain: { audit: 3 }, runs: 0 })
  t.match((await archive.post('clear', { confirm: true, domain: '' })).body, { domain: 'all', events: 3 })
  t.match(
    await archive.get('status'),
    { events: 1, by_type: { audit_events_cleared: 1 } },
    'that it was deleted is on record',
  )
  await archive.record(failed('r', HEAT, { atMs: AT }))
  t.match(await archive.get('search?q=heat'), { total: 1 }, 'and it goes on')
})

t.test('no plugin records who did what', async (t) => {
  await using opened = await openArchive()
  const { archive } = opened
  let reads = 0
  const login = { type: 'audit_login', detail: { actor: { username: 'ada' } } }
  const forged: readonly unknown[] = [
    { ...login, domain: 'audit' },
    login,
    { ...login, domain: 'sync' },
    { ...login, domain: 'scrobble' },
    { type: 'write_succeeded', domain: 'audit' },
    { type: 'write_succeeded', domain: 'AUDIT' },
    { type: 'write_succeeded', domain: ['audit'] },
    { type: 'write_succeeded', domain: { toJSON: () => 'audit' } },
    { type: { toJSON: () => 'audit_login' } },
    { type: 'Audit_Login' },
    { type: ' audit_login' },
    {
      type: 'write_succeeded',
      get domain() {
        reads += 1
        return reads > 1 ? 'audit' : 'sync'
      },
    },
  ]
  for (const record of forged) {
    const batch = [wrote('r', HEAT), record, wrote('r', ALIEN)] as EventRecord[]
    // A value that can be read once only has become a plain event of its domain.
    if (record === forged.at(-1)) await archive.record(batch)
    else
      await t.rejects(
        archive.record(batch),
        { code: 'PLH_FORBIDDEN', message: /domains sync and scrobble/ },
        String(reads),
      )
  }
  await archive.flushed()
  t.match(await opened.get('status'), { events: 3, by_domain: { sync: 3 }, dropped: 0 })
  t.notOk((await opened.get('status')).by_domain.audit)
})

t.test('changes by hand and corrections are recorded from the bus, with their item and account', async (t) => {
  await using opened = await openArchive()
  const about = { provider: 'TRACKA', instance: 'default', ...HEAT }
  opened.host.events.emit('manual.changed', {
    ...about,
    action: 'history',
    count: 1,
    watched_at: null,
    watched_on: null,
  })
  opened.host.events.emit('manual.changed', { ...about, action: 'remove_watchlist', count: 1 })
  opened.host.events.emit('analyzer.changed', {
    ...about,
    feature: 'ratings',
    change_id: 'c1',
    new_key: 'movie:imdb:tt0113277',
    by: 'rows',
    operation: 'remove',
  })
  await opened.host.events.settled()
  await opened.archive.flushed()
  const { items } = await opened.get(`item/${HEAT.key}`)
  t.match(
    items.map((row: any) => [
      row.event_type,
      row.domain,
      row.operation,
      row.feature,
      row.title,
      row.destination_provider,
    ]),
    [
      ['audit_analyzer_remove', 'audit', 'analyzer_remove', 'ratings', 'Heat', 'TRACKA'],
      ['manual_remove_watchlist', 'audit', 'remove', null, 'Heat', 'TRACKA'],
      ['manual_watched', 'audit', 'watch', null, 'Heat', 'TRACKA'],
    ],
  )
  t.match(items[0].detail, { change_id: 'c1', new_key: 'movie:imdb:tt0113277', by: 'rows' })
})

t.test('a follower of the archive gets every event once, in the order in which it was stored', async (t) => {
  await using archive = await openArchive()
  await archive.archive.record(
    Array.from({ length: 700 }, (_, index) => wrote('r', { key: `movie:tmdb:${index}` }, { atMs: AT - index * 1_000 })),
  )
  const first = await archive.archive.since(0)
  t.equal(first.events.length, 500)
  const second = await archive.archive.since(first.events.at(-1)?.id ?? 0)
  t.same(
    [...first.events, ...second.events].map((event) => event['item_key']),
    Array.from({ length: 700 }, (_, index) => `movie:tmdb:${index}`),
  )
  t.equal(second.archive, first.archive)
  const last = second.events.at(-1)?.id ?? 0
  t.same((await archive.archive.since(last)).events, [])
  await archive.post('clear', { confirm: true })
  await archive.record(wrote('r', HEAT))
  const after = await archive.archive.since(last)
  t.same(
    after.events.map(({ event_type: type }) => type),
    ['audit_events_cleared', 'write_succeeded'],
    'ids are not used twice',
  )
  t.equal(after.archive, first.archive)
})

t.test('old events are deleted at night, short-lived ones sooner, and the oldest of too many', async (t) => {
  const day = 86_400_000
  await using archive = await openArchive({
    config: {
      retention: {
        days: 100,
        brief_days: 10,
        audit_days: 200,
        acknowledged_days: 90,
        max_events: 1_000,
        max_megabytes: 2_048,
      },
    },
  })
  const old = (age: number, more: EventRecord): EventRecord => ({ ...more, atMs: AT - age * day })
  await archive.record(
    old(101, failed('old', HEAT)),
    old(99, failed('new', ALIEN)),
    old(101, { type: 'audit_login', domain: 'audit' }),
    old(201, { type: 'audit_logout', domain: 'audit' }),
    old(11, { ...ROUTE, type: 'plan_created', run_id: 'new' }),
    old(9, { ...ROUTE, type: 'plan_created', run_id: 'new' }),
    old(150, started('old', 0)),
  )
  await archive.host.runJob('retention')
  t.match(await archive.get('status'), {
    events: 3,
    groups: 3,
    runs: 1,
    by_type: { audit_login: 1, write_failed: 1, plan_created: 1 },
  })
  t.equal((await archive.get('search?q=heat')).total, 0)
  await archive.record(
    ...Array.from({ length: 1_200 }, (_, index) =>
      wrote('many', { key: `movie:tmdb:${index}` }, { atMs: AT - index * 1_000 }),
    ),
  )
  await archive.host.runJob('retention')
  t.ok((await archive.get('status')).events <= 1_000)
})
