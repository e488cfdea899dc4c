// The routes in the whole plugin: settings saved through HTTP apply to the watchers, the capability and the hooks at once.
import t from 'tap'
import { OVERVIEW, PROFILE_USAGE, SCROBBLE } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/scrobble/index.ts'
import { ACCOUNTS, DESCRIPTIONS } from './world.ts'

const server = {
  describe: () => DESCRIPTIONS[0],
  playing: async () => [],
  async *watch(_instance: string, _options: unknown, signal: AbortSignal) {
    yield { type: 'connected', by: 'push', others: true }
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  },
}

t.test('saved settings apply before the response', async (t) => {
  await using host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/services/scrobble/plugin.json', import.meta.url),
    capabilities: {
      accounts: { list: async () => ACCOUNTS, providers: async () => DESCRIPTIONS },
      'provider:MEDIAA': server,
    },
    hooks: [PROFILE_USAGE],
  })
  const post = async (url: string, payload: object = {}) =>
    (await host.inject({ method: 'POST', url: `/api/${url}`, payload })).json()

  // Loads the plugin at the next start.
  const nextTick = () => host.jobs().find(({ name }) => name === 'tick')?.nextAtMs
  t.equal(nextTick(), null, 'nothing is configured')
  t.match(await post('scrobbler/routes', { provider: 'MEDIAA', sink: 'TRACKA' }), {
    source_state: { effective: { watcher: true } },
    runtime_result: {},
  })
  t.ok(Number(nextTick()) > 0)
  t.match(await post('watch/start'), { ok: true, alive: true })
  t.match(await post('scrobbler/routes', { provider: 'MEDIAA', sink: 'SVC' }), {
    runtime_result: { watcher_reloaded: true },
    routes: [{ runtime: { running: true } }, { runtime: { running: true } }],
  })
  t.match(await post('scrobbler/settings', { sources: { watcher: false } }), {
    runtime_result: { watcher_stopped: true },
  })

  const scrobble = host.capability(SCROBBLE)
  const opens = async ({ webhooks }: { webhooks: { webhook_token: string }[] }) =>
    (await scrobble.access({ provider: 'mediaA', purpose: 'playback', profile: webhooks[0]?.webhook_token ?? '' })).ok
  const saved = await post('scrobbler/webhooks/profile', { provider: 'MEDIAA', sinks: ['SVC'] })
  t.ok(await opens(saved))
  const renewed = await post('scrobbler/webhooks/profile/regenerate', { provider: 'MEDIAA' })
  t.notOk(await opens(saved))
  t.ok(await opens(renewed))

  const usages = await host.callHook(PROFILE_USAGE, { provider: 'SVC', instance: 'default' })
  t.match(usages.flat(), [{ feature: 'watcher' }, { feature: 'webhook' }])
  t.match(await host.capability(OVERVIEW.of('scrobbler')).overview(), {
    enabled: true,
    watcher: { alive: false },
    providers: ['MEDIAA'],
    sinks: ['SVC'],
  })
  t.same(host.failures, [])
})
