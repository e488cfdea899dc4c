// In the whole service: the result of a run is in the statistics, the activity and the dashboard, with the counts of the
// accounts.
import t from 'tap'
import { runToEnd } from '../../demo/sign-in.ts'
import { connected, fill, settled } from '../../sync/simkl-world.ts'

// Listeners run after the run has ended.
async function until<Value>(look: () => Promise<Value>, isThere: (value: Value) => boolean): Promise<Value> {
  for (let tries = 0; tries < 200; tries += 1) {
    const value = await look()
    if (isThere(value)) return value
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return look()
}

t.test('a run between a service and the tracker is visible everywhere', async (t) => {
  const { stack, simkl, service, pairId } = await connected()
  await using _stack = stack
  const get = async (path: string) => {
    const { status, body } = await service.json(path)
    t.equal(status, 200, path)
    return body
  }
  t.match(await get('/api/insights'), { now: 0, history: [] })
  fill(simkl)
  const run = await runToEnd(service)
  const raw = await until(
    () => get('/api/stats/raw'),
    ({ ingested_runs }) => ingested_runs.length === 1,
  )
  t.strictSame(raw.ingested_runs, [run.run_id])
  t.equal(raw.counters.added, run.added_last)
  t.equal(raw.events.length, run.added_last)
  t.equal(raw.samples.at(-1).count, 6)
  t.equal(Object.keys(raw.current).length, 6)

  t.match(raw.http.counters.TRACKB, {
    err: 0,
    last_status: 200,
    last_ok: true,
    last_at: Number,
    last_rate_remaining: null,
  })
  const { calls, bytes_in: received, bytes_out: sent, ms_sum: spent } = raw.http.counters.TRACKB
  t.equal(calls, raw.http.events.length, 'each exchange is one line')
  t.equal(
    received,
    raw.http.events.reduce((sum: number, { bytes_in: bytes }: any) => sum + bytes, 0),
  )
  t.ok(received > 1_000 && sent > 0 && spent > 0)
  t.match(raw.http.last['TRACKB POST /sync/activities'] ?? raw.http.last['TRACKB GET /sync/activities'], {
    provider: 'TRACKB',
    status: 200,
    ok: true,
    ts: Number,
  })
  t.match(await get('/api/stats'), { now: 6, by_source: { trackb: 0, trackb_total: 6, svc: 0, svc_total: 6, both: 6 } })
  const insights = await get('/api/insights')
  t.match(insights.features, { watchlist: { now: 6, added: 6 }, ratings: { now: 3, added: 3 }, progress: { now: 1 } })
  t.equal(
    insights.features.history.providers.SVC,
    insights.features.history.providers.TRACKB,
    'both hold the same plays after the run',
  )
  t.equal(insights.features.history.now, 12 + 4 + 1)
  t.match(insights.providers_active, { TRACKB: true, SVC: true })
  t.match(insights.history, [{ run_id: run.run_id, result: 'ok', added_last: run.added_last, svc_post: 6 }])

  const activity = await until(
    () => get('/api/activity/history?limit=500'),
    ({ total }) => total === 17,
  )
  t.equal(activity.total, 17)
  t.ok(
    activity.items.every(
      (row: any) =>
        row.kind === 'history_sync' && row.source === 'trackb' && row.target === 'svc' && row.ids !== undefined,
    ),
  )

  const widgets = await get('/api/dashboard/widgets?history_limit=24')
  t.match(widgets, {
    recent_history: { ok: true, total: 17 },
    latest_ratings: { ok: true, total: 3 },
    recent_progress: { ok: true, total: 1 },
    recent_scrobble: { ok: true, scrobble_total: 17 },
  })
  t.ok(widgets.recent_history.items.every(({ sources }: any) => sources.length === 2))
  // Writes of the run are visible before the account is read again.
  const wall = await get('/api/state/wall?both_only=true')
  t.match(wall, { total: 6, items: [{ status: 'both', sources: ['svc', 'trackb'] }] })
  await settled(service, simkl)
  t.same(
    (await get('/api/state/wall?both_only=true')).items.map(({ key, status }: any) => [key, status]),
    wall.items.map(({ key, status }: any) => [key, status]),
  )
  await service.json('/api/scheduling', { json: { enabled: true, mode: 'daily_time', daily_time: '03:30' } })
  t.match(await get('/api/settings/overview'), {
    pairs: { total: 1, enabled: 1 },
    recent_activity: { items: { length: 3 } },
    scheduling: { enabled: true, running: true, next_run_at: /^\d{10}$/ },
  })

  await service.json(`/api/pairs/${pairId}`, { method: 'PUT', json: { enabled: false } })
  await service.json('/api/plugins/sso/disable', { method: 'POST' })
  await service.json(`/api/pairs/${pairId}`, { method: 'DELETE' })
  const audit = await until(
    () => get('/api/events/recent?domain=audit&view=events&limit=3'),
    ({ items }) => items[0]?.detail.action === 'removed',
  )
  t.match(audit.items.filter(({ event_type: type }: any) => type !== 'audit_config_saved')[0], {
    event_type: 'audit_pair_changed',
    detail: { target: { type: 'pair', id: pairId }, pairs: [], message: /was removed$/ },
  })
  const changed = (await get('/api/events/recent?domain=audit&limit=50')).items
  t.ok(
    changed.some(
      ({ operation, summary }: any) => operation === 'pair_changed' && /^The pair .* was changed$/.test(summary),
    ),
  )
  t.ok(
    changed.some(
      ({ operation, summary }: any) => operation === 'plugin_disabled' && summary === 'plugin disabled for sso',
    ),
  )
  t.match(await service.json(`/api/events/item/${'k'.repeat(1_200)}`), { status: 200, body: { total: 0 } })

  const selected = await service.json('/api/svc/select-snapshot?feature=history&snapshot=none', { method: 'POST' })
  t.match(selected, { status: 404, body: { error: 'snapshot_not_found' } })
  t.match(await service.json('/api/activity/history', { method: 'DELETE' }), {
    status: 200,
    body: { ok: true, existed: true, removed: 17, remaining: 0 },
  })
  t.equal((await get('/api/activity/recent')).total, 0)
  t.match(
    await until(
      () => get('/api/events/recent?domain=audit&view=events&limit=1'),
      ({ items }) => items[0]?.event_type === 'audit_maintenance_clear_activity_log',
    ),
    { items: [{ event_type: 'audit_maintenance_clear_activity_log', detail: { removed: 17 } }] },
  )
})
