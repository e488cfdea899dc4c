// Every route: its responses, including those to invalid requests.
import t from 'tap'
import { ALIEN, failed, finished, HEAT, openArchive, started, wrote } from './support.ts'

const AT = Math.floor(Date.now() / 1_000) * 1_000 - 7_200_000

async function openWithRun() {
  const opened = await openArchive()
  await opened.record(
    started('r1', AT),
    wrote('r1', HEAT, { atMs: AT + 1_000 }),
    failed('r1', ALIEN, { atMs: AT + 2_000 }),
    { ...failed('r1', ALIEN, { atMs: AT + 2_000 }), type: 'unresolved_recorded', severity: 'warn' },
    finished('r1', AT + 60_000, { added: 1, unresolved: 1 }),
    { type: 'audit_login', domain: 'audit', atMs: AT + 3_000, detail: { actor: { username: 'ada' } } },
    {
      type: 'scrobble_completed',
      domain: 'scrobble',
      feature: 'scrobble',
      operation: 'watch',
      source_kind: 'webhook',
      session_key: '7',
      item: HEAT,
      atMs: AT,
      source: { provider: 'MEDIAA', instance: 'default' },
      destination: { provider: 'TRACKA', instance: 'default' },
    },
  )
  return opened
}

t.test('the status counts the stored events', async (t) => {
  await using archive = await openWithRun()
  t.match(await archive.get('status'), {
    ok: true,
    available: true,
    events: 7,
    acknowledged: 0,
    groups: 5,
    runs: 1,
    open_problems: 2,
    first_event: AT / 1_000,
    last_event: AT / 1_000 + 60,
    last_import: null,
    correlation: null,
    by_type: { write_failed: 1, sync_run_started: 1 },
    by_domain: { sync: 5, audit: 1, scrobble: 1 },
    dropped: 0,
  })
  t.notOk('path' in (await archive.get('status')))
})

t.test('the recent list shows groups of syncs, newest first, and events on request', async (t) => {
  await using archive = await openWithRun()
  const groups = await archive.get('recent')
  t.match(groups, {
    total: 3,
    limit: 50,
    offset: 0,
    items: [
      { operation: 'run', status: 'warning', run_id: 'r1' },
      { title: 'Alien', status: 'unresolved', severity: 'warning', reason_label: 'Refused by the service' },
      { title: 'Heat', status: 'resolved' },
    ],
  })
  t.match(groups.items[0].summary, 'Run completed with issues: 1 added, 1 unresolved')
  t.match(groups.items[1].summary_parts, { item: 'Alien', route: 'MEDIAB -> TRACKA' })
  const events = await archive.get('recent?view=events&order=oldest&domain=all')
  t.equal(events.total, 7)
  t.same(
    events.items.map(({ created_at: at }: any) => at),
    events.items.map(({ created_at: at }: any) => at).toSorted((a: number, b: number) => a - b),
  )
  t.match(
    events.items.find(({ event_type: type }: any) => type === 'write_failed'),
    {
      domain: 'sync',
      severity: 'error',
      feature: 'history',
      item_key: HEAT.key.replace('949', '348'),
      title: 'Alien',
      year: 1979,
      reason_code: 'refused_by_service',
      reason: 'refused_by_service',
      reason_label: 'Refused by the service',
      run_id: 'r1',
      source_provider: 'MEDIAB',
      destination_provider: 'TRACKA',
      direction: 'a_to_b',
      group_id: Number,
      event_hash: /^[0-9a-f]{32}$/,
    },
  )
  t.same(
    (await archive.get('recent?domain=audit&view=events')).items.map(({ event_type: type }: any) => type),
    ['audit_login'],
  )
  t.match(await archive.get('recent?domain=scrobble'), {
    total: 1,
    items: [{ status: 'completed', summary: 'Watched Heat -> TRACKA' }],
  })
})

const filters: readonly (readonly [query: string, titles: readonly (string | null)[]])[] = [
  ['q=ali', ['Alien']],
  ['q=eat', ['Heat']],
  ['q=movie:tmdb:949', ['Heat']],
  ['q=refused_by', ['Alien']],
  ['q=with%20issues', [null]],
  ['event_type=write_failed', ['Alien']],
  ['provider=tracka', ['Alien', 'Heat']],
  ['source_provider=TRACKA', []],
  ['destination_provider=TRACKA&status=resolved', ['Heat']],
  ['feature=ratings', []],
  ['pair_key=MEDIAB-TRACKA', ['Alien', 'Heat']],
  ['item_key=movie:tmdb:949', ['Heat']],
  ['title_key=movie:tmdb:949', ['Heat']],
  ['title_key=movie:tmdb:348%20movie:tmdb:949', ['Alien', 'Heat']],
  ['title_key=movie:tmdb:94', []],
  ['run_id=r1', [null, 'Alien', 'Heat']],
  ['run_id=r2', []],
  ['reason_code=refused_by_service', ['Alien']],
  ['category=problems', [null, 'Alien']],
  ['category=successful', ['Heat']],
  [`since=${AT / 1_000 + 2}`, [null, 'Alien']],
  [`until=${new Date(AT + 1_000).toISOString()}`, ['Heat']],
  ['visibility=acknowledged', []],
]

t.test('each filter finds its matches, and counts them', async (t) => {
  await using archive = await openWithRun()
  for (const [query, titles] of filters) {
    for (const path of ['search', 'groups']) {
      const { items, total } = await archive.get(`${path}?${query}`)
      t.same(
        items.map(({ title }: any) => title),
        titles,
        `${path}: ${query}`,
      )
      t.equal(total, titles.length, `${path}: ${query}`)
    }
  }
})

t.test('unknown query values are refused, with their place', async (t) => {
  await using archive = await openArchive()
  for (const [path, field] of [
    ['recent?order=sideways', 'order'],
    ['recent?view=list', 'view'],
    ['recent?visibility=x', 'visibility'],
    ['recent?domain=x', 'domain'],
    ['recent?limit=0', 'limit'],
    ['recent?limit=501', 'limit'],
    ['recent?offset=-1', 'offset'],
    ['search?status=x', 'status'],
    ['search?category=x', 'category'],
    ['search?since=yesterday', 'since'],
    ['search?until=2026-13-01', 'until'],
    ['search?since=-1', 'since'],
    ['recent?after=x', 'after'],
    ['tree?children=maybe', 'children'],
    ['statistics?range=1y', 'range'],
    ['statistics?bucket=minute', 'bucket'],
    ['statistics?tz=Nowhere', 'tz'],
    ['statistics?since=20&until=10', 'since'],
    ['groups/1/events?order=x', 'order'],
    ['groups/1/events?limit=1001', 'limit'],
    ['groups/1/run-items?limit=501', 'limit'],
    ['item/x?limit=501', 'limit'],
    ['context?event_id=x', 'event_id'],
  ] as const) {
    t.match(
      await archive.call(path),
      { status: 422, body: { detail: [{ loc: ['query', field], msg: String, type: String }] } },
      path,
    )
  }
  // Unknown parameters change nothing.
  for (const path of ['recent', 'item/x', 'run/x', 'status'])
    t.equal(
      (await archive.call(`${path}?category=__proto__&status=x&since=soon&q=a&q=b&__proto__=1`)).status,
      200,
      path,
    )
  t.match(await archive.call('groups/abc'), { status: 422, body: { detail: [{ loc: ['path', 'group_id'] }] } })
  t.match(await archive.call('groups/12345'), { status: 404, body: { ok: false, error: 'not_found' } })
  for (const path of ['groups/9/events', 'groups/9/run-items', 'context?event_id=9'])
    t.match(await archive.call(path), { status: 404, body: { error: 'not_found' } }, path)
  for (const path of ['9/acknowledge', '9/unacknowledge', 'groups/9/acknowledge', 'groups/9/unacknowledge'])
    t.match(await archive.post(path), { status: 404, body: { ok: false, error: 'not_found' } }, path)
  t.match(await archive.call('groups/9/acknowledge', undefined, 'POST'), { status: 404 })
})

t.test('a group returns its events, its sources, and other groups of the item', async (t) => {
  await using archive = await openWithRun()
  const [run, alien] = (await archive.get('recent')).items
  const detail = await archive.get(`groups/${alien.id}`)
  t.match(detail, {
    ok: true,
    group: { id: alien.id, title: 'Alien', owner_run_group_id: run.id },
    related_groups: [],
    context: { run_id: 'r1' },
    aggregate: {
      event_count: 2,
      by_type: { write_failed: 1, unresolved_recorded: 1 },
      by_severity: { error: 1, warn: 1 },
      first_event_at: AT / 1_000 + 2,
      providers: ['MEDIAB', 'TRACKA'],
      features: ['history'],
    },
  })
  t.same(
    detail.events.map(({ event_type: type }: any) => type),
    ['write_failed', 'unresolved_recorded'],
  )
  t.notOk('run_items' in detail)
  const own = await archive.get(`groups/${run.id}?run_items_limit=1`)
  t.match(own, { run_items: [{ title: 'Alien' }], run_items_total: 2, run_items_limit: 1, run_items_offset: 0 })
  t.match(await archive.get(`groups/${run.id}/run-items?offset=1`), {
    ok: true,
    items: [{ title: 'Heat' }],
    total: 2,
    limit: 100,
    offset: 1,
  })
  t.match(await archive.get(`groups/${alien.id}/run-items`), { ok: true, items: [], total: 0 })
  t.match(await archive.get(`groups/${alien.id}/events?order=desc&limit=1`), {
    items: [{ event_type: 'unresolved_recorded' }],
    total: 2,
    limit: 1,
  })
  const heat = (await archive.get('search?q=heat')).items[0]
  t.match((await archive.get(`groups/${heat.id}`)).related_groups, [{ domain: 'scrobble', title: 'Heat' }])
})

t.test('the tree shows runs with their problems', async (t) => {
  await using archive = await openWithRun()
  t.match(await archive.get('tree'), {
    total: 1,
    items: [{ run_id: 'r1', children: [{ title: 'Alien' }], children_total: 1 }],
  })
  t.match(await archive.get('tree?children=false'), { items: [{ children: [], children_total: 1 }] })
  for (const query of [
    'q=alien',
    'event_type=write_failed',
    'reason_code=refused_by_service',
    'status=unresolved',
    'provider=TRACKA',
  ]) {
    t.match(
      await archive.get(`tree?${query}`),
      { total: 1, items: [{ run_id: 'r1', children: [{ title: 'Alien' }], children_total: 1 }] },
      query,
    )
  }
  t.match(await archive.get('tree?q=nothing'), { total: 0, items: [] })
})

t.test('a show is found with its seasons and episodes, and with no other show', async (t) => {
  await using archive = await openArchive()
  const keys = [
    'show:tmdb:1399',
    'show:tmdb:1399#season:1',
    'show:tmdb:1399#s01e02@1700000000',
    'show:imdb:tt0944947#s02e01',
  ]
  await archive.record(
    ...[...keys, 'show:tmdb:13990', 'show:tmdb:13#s01e01'].map((key) => wrote('r1', { key, title: null })),
  )
  const found = async (title: string) => {
    const { items, total } = await archive.get(
      `search?view=events&visibility=all&title_key=${encodeURIComponent(title)}`,
    )
    t.equal(total, items.length)
    return items.map(({ item_key: key }: { item_key: string }) => key).toSorted()
  }
  t.same(await found('show:tmdb:1399 show:imdb:tt0944947'), keys.toSorted())
  t.same(await found('show:imdb:tt0944947'), ['show:imdb:tt0944947#s02e01'])
  t.same(await found(`${'x'.repeat(20)} show:%`), [])
})

t.test('an item and a run are traced over all domains, for any names', async (t) => {
  await using archive = await openWithRun()
  const keys = [
    'tmdb:1399#s01e02@1700000000',
    'plex://movie/5d77?x=1&y=%',
    'title:a"b*c_d',
    '🎬',
    `movie:title:${'long-'.repeat(80)}`,
  ]
  await archive.record(...keys.map((key) => wrote('r2', { key, title: null })))
  for (const key of keys)
    t.match(
      await archive.get(`item/${encodeURIComponent(key)}`),
      { total: 1, items: [{ item_key: key, reason_label: 'New on the other service' }], limit: 200 },
      key,
    )
  t.match(await archive.get(`item/${encodeURIComponent(HEAT.key)}`), {
    total: 2,
    items: [{ event_type: 'write_succeeded' }, { domain: 'scrobble' }],
  })
  t.match(
    await archive.get(`item/${encodeURIComponent('tmdb:1399#s01e02')}`),
    { total: 1 },
    'without its time, a key names all plays',
  )
  t.match(await archive.get('run/r1'), { total: 5, limit: 500 })
  t.match(await archive.get('run/none'), { total: 0, items: [] })
})

t.test('acknowledged groups are hidden, and the first person is recorded', async (t) => {
  await using archive = await openWithRun()
  const [event] = (await archive.get('search?view=events&q=heat')).items
  const first = await archive.post(`${event.id}/acknowledge`, { by: 'somebody else' })
  t.match(first, {
    status: 200,
    body: {
      ok: true,
      id: event.id,
      acknowledged_at: Number,
      acknowledged_by: 'tester',
      event: { id: event.id, acknowledged_by: 'tester' },
    },
  })
  t.match((await archive.post(`${event.id}/acknowledge`)).body, { acknowledged_at: first.body.acknowledged_at })
  t.equal((await archive.get('search?view=events&q=heat')).total, 0)
  t.equal((await archive.get('search?view=events&q=heat&visibility=acknowledged')).total, 1)
  t.match((await archive.post(`${event.id}/unacknowledge`)).body, {
    ok: true,
    acknowledged_at: null,
    acknowledged_by: null,
  })
  t.equal((await archive.get('search?view=events&q=heat')).total, 1)

  const [group] = (await archive.get('search?q=alien')).items
  t.match((await archive.post(`groups/${group.id}/acknowledge`)).body, {
    ok: true,
    id: group.id,
    acknowledged_by: 'tester',
  })
  t.equal((await archive.get('search?q=alien')).total, 0)
  t.equal((await archive.get('search?q=alien&view=events')).total, 0)
  const hidden = (await archive.get('search?q=alien&view=events&visibility=acknowledged')).items
  t.same(
    hidden.map(({ acknowledged_at: at }: any) => at),
    [null, null],
    'the events keep their own marks',
  )
  t.match((await archive.post(`groups/${group.id}/unacknowledge`)).body, {
    ok: true,
    id: group.id,
    acknowledged_at: null,
  })
  t.equal((await archive.get('search?q=alien&view=events')).total, 2)
  t.match(
    (await archive.get('recent?domain=audit&view=events')).items.map(({ event_type: type }: any) => type).toSorted(),
    [
      'audit_events_acknowledged',
      'audit_events_acknowledged',
      'audit_events_acknowledged',
      'audit_events_unacknowledged',
      'audit_events_unacknowledged',
      'audit_login',
    ],
  )
})

t.test('groups are rebuilt from their events, and stay the same', async (t) => {
  await using archive = await openWithRun()
  const before = await archive.get('recent?domain=all')
  t.match((await archive.post('correlate')).body, { ok: true, grouped: 0, groups_touched: 0 })
  t.match((await archive.post('correlate', { reset: true })).body, { ok: true, grouped: 7, groups_touched: 5 })
  t.same(await archive.get('recent?domain=all'), before)
  t.equal((await archive.post('correlate', { reset: 'yes' })).status, 422)
})
