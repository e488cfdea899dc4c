// The metrics of a whole service: their access, and their agreement with its plugins.
import t from 'tap'
import { startService } from '../../harness.ts'
import { parseExposition } from './parse.ts'

const TOKEN = 'k3-8hP_Qv7wLz2mXr9tYb4n'

t.test('only a scraper with the token reads the metrics of all plugins', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  const asking = (headers: Record<string, string>) => fetch(`${service.url}/metrics`, { headers, redirect: 'manual' })
  const bearer = (token: string) => asking({ authorization: `Bearer ${token}` })
  t.equal((await asking({})).status, 401)
  t.equal((await bearer(TOKEN)).status, 401, 'no token was set')

  const saved = await service.json('/api/config', { json: { plugins: { metrics: { token: TOKEN } } } })
  t.equal(saved.status, 200)
  t.notMatch(JSON.stringify((await service.json('/api/config')).body), TOKEN)
  const refused = await bearer(`${TOKEN}x`)
  t.equal(refused.status, 401)
  t.same(await refused.json(), { ok: false, error: 'Unauthorized' })
  const answer = await bearer(TOKEN)

  t.equal(answer.status, 200)
  t.match(answer.headers.get('content-type'), /^text\/plain/)
  const { values } = parseExposition(await answer.text())
  const plugins = (await service.json('/api/plugins')).body.plugins as {
    id: string
    state: string
    faults: number
    reloads: number
  }[]
  for (const { id, state, faults, reloads } of plugins) {
    t.equal(values.get(`playhead_plugin_up{plugin="${id}"}`), Number(state !== 'disabled'), id)
    t.equal(values.get(`playhead_plugin_faults_total{plugin="${id}"}`), faults, id)
    t.equal(values.get(`playhead_plugin_reloads_total{plugin="${id}"}`), reloads, id)
  }
  for (const source of ['sync', 'accounts', 'events']) {
    const isActive = plugins.some(({ id, state }) => id === source && state === 'active')
    t.equal(values.get(`playhead_metrics_source_up{source="${source}"}`), Number(isActive), source)
    if (source !== 'events') t.equal(isActive, true, source)
  }
  t.equal(values.get('playhead_runs_total{result="ok"}'), 0)
  t.ok((values.get('process_resident_memory_bytes') ?? 0) > 50e6)
  t.notMatch(service.log.join('\n'), TOKEN)

  await service.json('/api/plugins/sync/disable', { method: 'POST' })
  const without = parseExposition(await (await service.call('/metrics')).text()).values
  t.equal(without.get('playhead_metrics_source_up{source="sync"}'), 0)
  t.equal(without.has('playhead_runs_total{result="ok"}'), false)
  t.equal(without.get('playhead_plugin_up{plugin="sync"}'), 0)
  t.ok((without.get('playhead_event_loop_delay_seconds{quantity="max"}') ?? -1) >= 0, 'from the second reading on')

  await service.json('/api/plugins/metrics/disable', { method: 'POST' })
  t.equal((await bearer(TOKEN)).status, 401, 'nobody decides about tokens while the plugin is off')
  t.equal((await service.call('/metrics')).status, 503)
})

t.test('a plugin whose routes accept tokens without declaring it is not loaded', async (t) => {
  await using service = await startService({
    plugins: {
      open: {
        manifest: { routes: [{ method: 'GET', path: '/open', auth: 'T' }] },
        files: {
          'index.ts': `import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({ routes: (app) => void app.get('/open', () => ({ ok: true })) })`,
        },
      },
      throwing: {
        manifest: { routes: [{ method: 'GET', path: '/throwing', auth: 'T' }] },
        files: {
          'index.ts': `import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({ acceptsToken() { throw new Error('no') }, routes: (app) => void app.get('/throwing', () => ({ ok: true })) })`,
        },
      },
    },
    watch: false,
  })
  t.match(await service.plugin('open'), {
    state: 'failed',
    last_error: { phase: 'routes', code: 'PLH_PLUGIN_MANIFEST', message: /acceptsToken/ },
  })

  const answer = await fetch(`${service.url}/throwing`, { headers: { authorization: 'Bearer anything' } })
  t.equal(answer.status, 503)
  t.equal((await service.call('/throwing')).status, 200, 'a session needs no token')
})
