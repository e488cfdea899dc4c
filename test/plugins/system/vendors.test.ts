// When a service is looked at, what is kept of it, and the words in which a difference is shown.
import t from 'tap'
import type { ContractDifference, ContractLook } from '@playhead/sdk/provider'
import { createVendorWatch } from '../../../plugins/services/system/vendors.ts'

const HOUR_MS = 3_600_000
const { signal } = new AbortController()

function stand() {
  const world = {
    ...{ nowMs: Date.parse('2026-11-30T12:00:00Z'), version: '1.0.0', uid: 'a', status: 'ok', asked: 0 },
    usages: [{ feature: 'sync_pair', label: 'x', enabled: true }],
    isConfigured: true,
    looks: [{ about: 'watchlist', differences: [] }] as readonly ContractLook[],
  }
  const kept = new Map<string, unknown>()
  const about = () => ({
    id: 'TRACKA',
    label: 'Trakt',
    version: world.version,
    probes: true,
    signIn: { flow: 'oauth' },
  })
  const accounts = {
    providers: async () => [about()],
    list: async () => [{ provider: 'TRACKA', instance: 'default', configured: world.isConfigured, uid: world.uid }],
    usages: async () => world.usages,
    health: async () => ({ status: world.status }),
  }
  const provider = {
    async lookAtContract() {
      world.asked += 1
      return world.looks
    },
  }
  const ctx = {
    tryUse: ({ token }: { token: string }) => (token === 'accounts' ? accounts : provider),
    host: { plugins: () => [{ id: 'trakt', provider: { id: 'TRACKA' } }] },
    store: {
      get: async (key: string) => kept.get(key),
      set: async (key: string, value: unknown) => void kept.set(key, value),
      delete: async (key: string) => kept.delete(key),
      async *entries() {
        yield* kept
      },
    },
    log: { debug() {} },
  }
  const watch = createVendorWatch(ctx as never, () => world.nowMs)
  return { world, kept, watch, titles: async () => (await watch.open()).map(({ title }) => title) }
}

const page: ContractDifference = { about: 'watchlist', kind: 'page', name: 'x-pagination-limit', is: 100, was: 250 }

t.test('an account is looked at once a day, if it is connected, works and is in use', async (t) => {
  const { world, watch } = stand()
  world.usages = []
  await watch.look(signal)
  world.usages = [{ feature: 'sync_pair', label: 'x', enabled: false }]
  await watch.look(signal)
  t.equal(world.asked, 0, 'not in use')
  world.usages = [{ feature: 'sync_pair', label: 'x', enabled: true }]
  world.status = 'down'
  await watch.look(signal)
  t.equal(world.asked, 0, 'not reachable')
  world.status = 'ok'
  for (let hour = 0; hour < 24; hour += 1) {
    await watch.look(signal)
    world.nowMs += HOUR_MS
  }
  t.equal(world.asked, 1)
  await watch.look(signal)
  t.equal(world.asked, 2, 'a day later')
})

t.test('a difference is shown until another version of the plugin looks for itself', async (t) => {
  const { world, kept, watch, titles } = stand()
  world.looks = [{ about: 'watchlist', differences: [page] }]
  await watch.look(signal)
  t.match(await watch.open(), [
    {
      ...{ kind: 'vendor_changed', severity: 'warning', provider: 'TRACKA', plugin: 'trakt' },
      title: 'Trakt answers pages of 100 now',
      detail: 'The plugin expects 250. Seen in: watchlist. Update the plugin as soon as there is a new version.',
      action: { path: '/plugins/trakt' },
    },
  ])
  world.nowMs += 24 * HOUR_MS
  world.looks = [{ about: 'watchlist', differences: null }]
  await watch.look(signal)
  t.same(await titles(), ['Trakt answers pages of 100 now'], 'no answer says nothing')
  world.version = '1.0.1'
  t.same(await titles(), [])
  world.looks = [{ about: 'watchlist', differences: [] }]
  await watch.look(signal)
  t.equal(world.asked, 3, 'at once')
  t.same(await titles(), [])
  world.isConfigured = false
  await watch.look(signal)
  t.equal(kept.size, 0, 'nothing is kept of an account that is signed out')
})

t.test('a difference is dated by the day on which it was first seen', async (t) => {
  const { world, watch } = stand()
  const since = Math.floor(world.nowMs / 1_000)
  for (const differences of [[page], [{ ...page, is: 50 }], null]) {
    world.looks = [{ about: 'watchlist', differences }]
    await watch.look(signal)
    t.match(await watch.open(), [{ since }])
    world.nowMs += 24 * HOUR_MS
  }
  t.equal(world.asked, 3)
})

t.test('a clock that was wrong neither ends nor repeats the looks', async (t) => {
  const { world, watch } = stand()
  const rightMs = world.nowMs
  for (const [nowMs, asked] of [
    [rightMs + 365 * 24 * HOUR_MS, 1],
    [rightMs, 2],
    [rightMs + HOUR_MS, 2],
    [rightMs + 24 * HOUR_MS, 3],
  ] as const) {
    world.nowMs = nowMs
    await watch.look(signal)
    t.equal(world.asked, asked, new Date(nowMs).toISOString())
  }
})

t.test('another account on the profile is looked at for itself', async (t) => {
  const { world, watch, titles } = stand()
  world.looks = [{ about: 'watchlist', differences: [page] }]
  await watch.look(signal)
  world.uid = 'b'
  t.same(await titles(), [])
  await watch.look(signal)
  t.equal(world.asked, 2)
})

t.test('each difference is said in plain words', async (t) => {
  const { world, watch, titles } = stand()
  world.looks = [
    {
      about: 'movies',
      differences: [
        { about: 'movies', kind: 'missing', name: 'ids.tmdb' },
        { about: 'movies', kind: 'type', name: 'ids.imdb', is: 'number', was: 'string' },
        { about: 'movies', kind: 'requests', name: 'x-ratelimit', is: 500, was: 1_000 },
        { about: 'movies', kind: 'gone' },
      ],
    },
  ]
  await watch.look(signal)
  t.same(await titles(), [
    'Trakt no longer sends ids.tmdb',
    'Trakt sends ids.imdb as a number now',
    'Trakt allows 500 requests now',
    'Trakt no longer answers',
  ])
})
