// The routes of the watchers.
import t from 'tap'
import { open } from './settings-host.ts'

t.test('the watchers: start, state, stop, and failures', async (t) => {
  await using s = await open()
  t.match((await s.post('/api/watch/start')).body, { ok: true, groups: [], alive: false, reason: 'watcher_disabled' })
  await s.post('/api/scrobbler/routes', { provider: 'MEDIAA', sink: 'TRACKA' })
  await s.post('/api/scrobbler/routes', { provider: 'MEDIAB', sink: 'DIARY' })
  t.match((await s.get('/api/watch/status')).body, {
    has_watch: true,
    alive: false,
    groups: [],
    provider: null,
    sinks: [],
  })
  t.match((await s.post('/api/watch/refresh')).body, { ok: true, reloaded: true, alive: true })
  t.match((await s.get('/api/watch/status')).body, {
    alive: true,
    provider: 'multi',
    sinks: ['DIARY', 'TRACKA'],
    stop_set: false,
    groups: [
      {
        provider: 'MEDIAA',
        running: true,
        connected: true,
        last_event_at: 1_700_000_000,
        routes: ['R1'],
        others: true,
      },
      {},
    ],
    routes: [
      { id: 'R1', running: true },
      { id: 'R2', running: true },
    ],
  })
  t.match((await s.post('/api/watch/stop')).body, {
    ok: true,
    stopped: true,
    alive: false,
    routes: [{ running: false }, {}],
  })
  t.same(s.watchers().seen.calls, ['start', 'refresh', 'stop'])
  s.watchers().seen.fails = true
  const failed = await s.post('/api/watch/start')
  t.equal(failed.status, 500)
  t.match(failed.body, { ok: false, detail: String })
  t.notMatch(failed.body.detail, /broken/)
})

t.test('a change is kept when the watchers cannot follow it', async (t) => {
  await using s = await open()
  await s.post('/api/scrobbler/routes', { provider: 'MEDIAA', sink: 'TRACKA' })
  await s.post('/api/watch/start')
  s.watchers().seen.fails = true
  const { status, body } = await s.post('/api/scrobbler/routes', { provider: 'MEDIAB', sink: 'TRACKA' })
  t.equal(status, 200)
  t.match(body, {
    runtime_result: { watcher_reload_error: 'watcher_reload_failed' },
    routes: [{ id: 'R1' }, { id: 'R2' }],
  })
})

t.test('the log: watcher channels only, by time', async (t) => {
  await using s = await open()
  const lines = async (query = '') => (await s.get(`/api/watch/logs${query}`)).body
  const all = await lines('?tags=*')
  t.same(all.tags, ['WATCH', 'WEBHOOK'])
  t.match(all.lines.join('\n'), /first[\s\S]*second[\s\S]*third/)
  t.notMatch(all.lines.join('\n'), 'hidden')
  t.equal((await lines('?tail=1&tags=watch,webhook')).lines.length, 1)
  t.match((await lines('?tail=1')).lines, [/third/], 'the last of all, not of each')
  t.same((await lines('?tag=webhook')).tags, ['WEBHOOK'])
  t.same((await lines('?tags=SYNC,SCROBBLEDEBUG')).tags, ['WATCH', 'WEBHOOK'], 'others are ignored')
  t.equal((await s.get('/api/watch/logs?tail=0')).status, 422)
  t.equal((await s.get('/api/watch/logs?tail=3001')).status, 422)
})
