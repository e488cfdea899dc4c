// The status over HTTP, and its sharing and caching.
import t from 'tap'
import {
  ACCOUNT_HEALTH_CHANGED,
  ACCOUNTS,
  type AccountHealth,
  type Accounts,
  CONFIG_SAVED,
  type PairState,
  PROFILE_USAGE,
} from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/accounts/index.ts'
import { createParts } from '../../../plugins/services/accounts/parts.ts'
import { createComputed } from '../../../plugins/services/accounts/computed.ts'
import { fakeProvider, jellyfin, profile, tmdb, trakt, type FakeProvider } from './fake-provider.ts'

const manifest = new URL('../../../plugins/services/accounts/plugin.json', import.meta.url)

function open(providers: Readonly<Record<string, FakeProvider>>, pairs?: readonly Partial<PairState>[]) {
  const capabilities = Object.fromEntries(
    Object.entries(providers).map(([id, provider]) => [`provider:${id}`, provider]),
  )
  const sync = { pairs: async () => pairs }
  return createTestHost({
    plugin,
    manifest,
    capabilities: { ...capabilities, ...(pairs === undefined ? {} : { sync }) },
  })
}

const PAIR = {
  id: 'p',
  name: 'Home',
  enabled: true,
  source: 'MEDIAB',
  source_instance: 'MEDIAB-P01',
  target: 'TRACKA',
  target_instance: 'default',
}

t.test('the status lists working, used and runnable accounts', async (t) => {
  const media = jellyfin([profile('default'), profile('MEDIAB-P01'), profile('MEDIAB-P02', { configured: false })])
  const tracker = trakt()
  tracker.health.set('default', () => ({
    status: 'auth_failed',
    reasonCode: 'unauthorized',
    extras: { vip: true, connected: 'yes', root_dir: '/home' },
  }))
  await using host = await open(
    { MEDIAB: media, TRACKA: tracker, METAA: tmdb([profile('default', { configured: false })]) },
    [PAIR],
  )
  const answer = await host.inject('/api/status')
  t.equal(answer.headers['cache-control'], 'no-store')
  const body = answer.json()
  const at = body.ts
  t.type(at, 'number')
  t.same(body, {
    mediaB_connected: true,
    metaA_connected: false,
    trackA_connected: false,
    debug: false,
    can_run: true,
    ts: at,
    providers: {
      MEDIAB: {
        label: 'Jellyfin',
        connected: true,
        instances: {
          default: { configured: true, probed: false },
          'MEDIAB-P01': { configured: true, probed: true, connected: true, used: true, checked_at: at },
          'MEDIAB-P02': { configured: false, probed: false },
        },
        instances_summary: { ok: 1, probed: 1, total: 3, rep: 'MEDIAB-P01', used: ['MEDIAB-P01'] },
        rep_instance: 'MEDIAB-P01',
        scope: 'pair',
        used_by: ['pair'],
        used_in_pairs: true,
        used_in_watcher: false,
        usage_hint: 'Used in pairs',
      },
      TRACKA: {
        vip: true,
        label: 'Trakt',
        connected: false,
        reason: 'Trakt: unauthorized (token expired/revoked)',
        reason_code: 'unauthorized',
        instances: {
          default: {
            configured: true,
            probed: true,
            connected: false,
            used: true,
            checked_at: at,
            reason: 'Trakt: unauthorized (token expired/revoked)',
            reason_code: 'unauthorized',
          },
        },
        instances_summary: { ok: 0, probed: 1, total: 1, rep: 'default', used: ['default'] },
        rep_instance: 'default',
        scope: 'pair',
        used_by: ['pair'],
        used_in_pairs: true,
        used_in_watcher: false,
        usage_hint: 'Used in pairs',
      },
    },
  })
  t.same(media.asked, ['MEDIAB-P01'])
})

const runs: readonly (readonly [string, readonly Partial<PairState>[] | undefined, boolean])[] = [
  ['an enabled pair of configured profiles', [PAIR], true],
  ['a profile that is not named is the default one', [{ ...PAIR, source_instance: '' }], true],
  ['a disabled pair', [{ ...PAIR, enabled: false }], false],
  ['a profile without credentials', [{ ...PAIR, source_instance: 'MEDIAB-P02' }], false],
  ['a profile that does not exist', [{ ...PAIR, target_instance: 'TRACKA-P01' }], false],
  ['a provider that is not there', [{ ...PAIR, target: 'TRACKB' }], false],
  ['no pairs', [], false],
  ['no engine', undefined, false],
]

for (const [name, pairs, canRun] of runs) {
  t.test(`whether a run would have changes: ${name}`, async (t) => {
    await using host = await open(
      {
        MEDIAB: jellyfin([profile('default'), profile('MEDIAB-P01'), profile('MEDIAB-P02', { configured: false })]),
        TRACKA: trakt(),
      },
      pairs,
    )
    t.equal((await host.inject('/api/status')).json().can_run, canRun)
  })
}

t.test('an unused provider is probed once, a local one for all its profiles', async (t) => {
  const media = jellyfin([profile('default', { configured: false }), profile('MEDIAB-P01'), profile('MEDIAB-P02')])
  const local = fakeProvider(
    { id: 'SVC', token: 'svc', label: 'Tracker', signIn: { ...trakt().describe().signIn, flow: 'local' } },
    [profile('default'), profile('SVC-P01')],
  )
  await using host = await open({ MEDIAB: media, SVC: local })
  const { providers } = (await host.inject('/api/status')).json()
  t.same([media.asked, local.asked.sort()], [['MEDIAB-P01'], ['SVC-P01', 'default']])
  t.match(providers.MEDIAB, {
    rep_instance: 'MEDIAB-P01',
    connected: true,
    used_by: [],
    usage_hint: 'Not used',
    scope: 'pair',
  })
})

t.test('accounts that only the watcher uses are marked, and disabled routes use nothing', async (t) => {
  await using host = await open({ MEDIAB: jellyfin(), TRACKA: trakt() })
  await host.tap(PROFILE_USAGE, ({ provider }: { provider: string }) => [
    { feature: 'watcher', role: 'sink', label: 'r', enabled: provider === 'MEDIAB' },
  ])
  const { providers } = (await host.inject('/api/status')).json()
  t.match(providers.MEDIAB, {
    scope: 'watcher',
    used_by: ['watcher'],
    used_in_pairs: false,
    used_in_watcher: true,
    usage_hint: 'Used by the watcher',
  })
  t.match(providers.TRACKA, { used_by: [], instances_summary: { used: [] } })
})

t.test(
  'the status is cached, and cleared by a forced check, a changed credential, a saved setting, a plugin, or by hand',
  async (t) => {
    const media = jellyfin()
    await using host = await open({ MEDIAB: media })
    const status = async (query = '') => (await host.inject(`/api/status${query}`)).json()
    await status()
    await status()
    t.equal(media.asked.length, 1)
    await status('?fresh=1')
    t.equal(media.asked.length, 1, 'a look on purpose within two seconds changes nothing')

    media.rows[0] = profile('default', { configured: false })
    t.match(await status(), { providers: { MEDIAB: { connected: true } } })
    await host.capability<Accounts>(ACCOUNTS).forget('MEDIAB')
    t.same((await status()).providers, {})

    media.rows[0] = profile('default', { fingerprint: 'renewed' })
    host.events.emit('plugin.activated', { id: 'jellyfin' })
    await host.events.settled()
    t.equal((await status()).mediaB_connected, true)
    t.equal(media.asked.length, 2, 'other credentials are asked at once')

    await host.callHook(CONFIG_SAVED, { paths: [`provider_instance_ids.${'a'.repeat(32)}`], revision: 'r' })
    await status()
    t.equal(media.asked.length, 2, 'uids are no settings of accounts')
    await host.callHook(CONFIG_SAVED, { paths: ['mediaB.server'], revision: 'r' })
    await status()
    t.equal(media.asked.length, 3)
    t.same((await host.inject({ method: 'POST', url: '/api/debug/clear_probe_cache' })).json(), { ok: true })
    await status()
    t.equal(media.asked.length, 4)
    t.equal((await host.inject('/api/status?fresh=x')).statusCode, 422)
  },
)

t.test('a slow account does not delay the others: its last result is returned, marked as stale', async (t) => {
  const media = jellyfin()
  const tracker = trakt()
  const slow = Promise.withResolvers<AccountHealth>()
  await using host = await open({ MEDIAB: media, TRACKA: tracker })
  const clock = { nowMs: 1_000_000_000 }
  const { status } = createParts(host.ctx, { now: () => clock.nowMs, statusMs: 30 })
  const first = await status.get(false)
  t.match(first, { isComplete: true, body: { ts: 1_000_000, mediaB_connected: true } })

  media.health.set('default', () => slow.promise)
  clock.nowMs += 61_000
  const second = await status.get(false)
  t.match(second, {
    isComplete: false,
    body: {
      ts: 1_000_061,
      mediaB_connected: true,
      trackA_connected: true,
      providers: {
        MEDIAB: { connected: true, stale: true, instances: { default: { stale: true, checked_at: 1_000_000 } } },
        TRACKA: { connected: true },
      },
    },
  })
  t.notOk('stale' in (second.body['providers'] as Record<string, object>)['TRACKA']!)

  slow.resolve({ status: 'down', reasonCode: 'tls' })
  clock.nowMs += 5_000
  t.match((await status.get(false)).body, { mediaB_connected: false, providers: { MEDIAB: { reason_code: 'tls' } } })
})

t.test('an account that never answered is not connected', async (t) => {
  const media = jellyfin()
  media.health.set('default', () => new Promise(() => {}))
  await using host = await open({ MEDIAB: media })
  const { status } = createParts(host.ctx, { statusMs: 20, probeMs: 50 })
  t.match((await status.get(false)).body, {
    providers: { MEDIAB: { connected: false, reason: 'Jellyfin: timeout', reason_code: 'timeout', stale: true } },
  })
})

t.test('unreadable pairs and a throwing probe do not fail the status', async (t) => {
  const media = jellyfin()
  media.health.set('default', () => {
    throw new Error('http://x/?api_key=secret')
  })
  await using host = await createTestHost({
    plugin,
    manifest,
    capabilities: {
      'provider:MEDIAB': media,
      sync: {
        pairs: async () => {
          throw new Error('oops')
        },
      },
    },
  })
  const answer = await host.inject('/api/status')
  t.match(answer.json(), {
    can_run: false,
    providers: { MEDIAB: { connected: false, reason: 'Jellyfin: service error', reason_code: 'upstream_error' } },
  })
  t.notMatch(answer.body, 'secret')
})

t.test(
  'concurrent requests share one computation; an outdated one is cancelled, and all get its successor',
  async (t) => {
    const attempts: { readonly signal: AbortSignal; readonly end: (value: number) => void }[] = []
    const shared = createComputed<number>({
      now: () => 0,
      keepMs: () => 60_000,
      compute: ({ signal }) => new Promise((end) => attempts.push({ signal, end })),
    })
    const early = [shared.get(false), shared.get(true), shared.get(false)]
    t.equal(attempts.length, 1)
    shared.forget()
    const late = [shared.get(false), shared.get(false)]
    t.same(
      attempts.map(({ signal }) => signal.aborted),
      [true, false],
      'one runs at a time',
    )
    attempts[0]?.end(1)
    attempts[1]?.end(2)
    t.same(await Promise.all([...early, ...late]), [2, 2, 2, 2, 2])
    t.equal(await shared.get(false), 2)
    shared.forget()
    t.equal(attempts.length, 2, 'nothing is computed for nobody')
  },
)

t.test('however often it is cleared while a service hangs, all requests get the status within one limit', async (t) => {
  const media = jellyfin()
  const ended: AbortSignal[] = []
  media.probe = (_instance, signal) => {
    ended.push(signal as AbortSignal)
    return new Promise(() => {})
  }
  await using host = await open({ MEDIAB: media })
  // All requests must arrive before it, also on a busy machine.
  const { status, probes } = createParts(host.ctx, { statusMs: 3_000, probeMs: 20_000 })
  const answers: Promise<unknown>[] = []
  for (let count = 0; count < 20; count += 1) {
    answers.push(status.get(count % 2 === 0))
    // The route does the same.
    probes.clear()
    status.forget()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const found = await Promise.all(answers)
  t.equal(new Set(found).size, 1, 'they have the same answer')
  t.match(found[0], {
    isComplete: false,
    body: { providers: { MEDIAB: { connected: false, reason_code: 'timeout' } } },
  })
  t.equal(ended.filter(({ aborted }) => !aborted).length, 1, 'and of the questions to the service one is left')
})

t.test(
  'a provider that does not identify itself does not delay the others, nor do missing usages and pairs',
  async (t) => {
    const media = jellyfin()
    const tracker = trakt()
    const never = () => new Promise<never>(() => {})
    media.profiles = never as never
    const sync = { pairs: never }
    await using host = await createTestHost({
      plugin,
      manifest,
      capabilities: { 'provider:MEDIAB': media, 'provider:TRACKA': tracker, sync },
    })
    const { status } = createParts(host.ctx, { statusMs: 200, describeMs: 20 })
    t.match(await status.get(false), { isComplete: false, body: { providers: { TRACKA: { label: 'Trakt' } } } })
  },
)

t.test('a failed computation is not cached, and the next one is tried', async (t) => {
  let computed = 0
  const shared = createComputed<number>({
    now: () => 0,
    keepMs: () => 60_000,
    compute: async () => {
      if ((computed += 1) === 1) throw new Error('oops')
      return computed
    },
  })
  await t.rejects(shared.get(false), { message: 'oops' })
  t.equal(await shared.get(false), 2)
})

t.test('health of an account is requested by id, and unknown ones are refused', async (t) => {
  await using host = await open({
    MEDIAB: jellyfin([profile('default'), profile('MEDIAB-P01', { configured: false })]),
  })
  const accounts = host.capability<Accounts>(ACCOUNTS)
  t.match(await accounts.health('MEDIAB', 'default'), { status: 'ok' })
  t.match(await accounts.health('MEDIAB', 'MEDIAB-P01', { fresh: true }), { status: 'not_configured' })
  await t.rejects(accounts.health('MEDIAB', 'MEDIAB-P07'), { code: 'PLH_NOT_FOUND', wire: 'not_found' })
  await t.rejects(accounts.health('NOPE', 'default'), { code: 'PLH_NOT_FOUND', wire: 'unknown_provider' })
  t.same(
    (await accounts.providers()).map(({ id }) => id),
    ['MEDIAB'],
  )
})

t.test('plugins are notified when an account fails and recovers, with the reason', async (t) => {
  const media = jellyfin()
  await using host = await open({ MEDIAB: media })
  const told: unknown[] = []
  await host.tap(ACCOUNT_HEALTH_CHANGED, (input) => void told.push(input))
  const look = async (health: AccountHealth) => {
    media.health.set('default', () => health)
    await host.capability<Accounts>(ACCOUNTS).health('MEDIAB', 'default', { fresh: true })
    await new Promise((resolve) => setTimeout(resolve, 20))
    return told.splice(0)
  }
  const about = { provider: 'MEDIAB', instance: 'default', checkedAtMs: Number }
  t.same(await look({ status: 'ok' }), [], 'the first check since a start is no change')
  t.match(await look({ status: 'auth_failed', reasonCode: 'unauthorized' }), [
    { ...about, status: 'auth_failed', before: 'ok', reasonCode: 'unauthorized', reason: /unauthorized/ },
  ])
  t.same(await look({ status: 'auth_failed', reasonCode: 'unauthorized' }), [], 'the same again')
  t.match(await look({ status: 'ok' }), [{ ...about, status: 'ok', before: 'auth_failed', reasonCode: null }])

  await look({ status: 'auth_failed', reasonCode: 'unauthorized' })
  media.rows.splice(0, 1, profile('default', { fingerprint: 'signed in again' }))
  t.match(await look({ status: 'ok' }), [{ status: 'ok', before: 'auth_failed' }], 'with other credentials, too')
})
