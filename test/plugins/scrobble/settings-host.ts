// The routes of the scrobbler in a separate host: real settings, fake watchers.
import { definePlugin } from '@playhead/sdk'
import { createTestClock, createTestHost } from '@playhead/sdk/testing'
import type { AccessInput } from '../../../plugins/services/scrobble/config/access.ts'
import { makeEffective } from '../../../plugins/services/scrobble/config/effective.ts'
import { normalizeScrobble, ScrobbleConfig } from '../../../plugins/services/scrobble/settings.ts'
import type { GroupStatus, Watchers } from '../../../plugins/services/scrobble/contract.ts'
import { registerScrobblerRoutes } from '../../../plugins/services/scrobble/routes/register.ts'
import { ACCOUNTS, DESCRIPTIONS } from './world.ts'

const S = { auth: 'S' } as const
const manifest = {
  id: 'scrobble',
  name: 'Scrobble',
  version: '1.0.0',
  api: '^1.0.0',
  kind: 'service',
  section: 'scrobble',
  logChannels: [{ tag: 'WATCH', watcher: true }, { tag: 'WEBHOOK', watcher: true }, { tag: 'SCROBBLEDEBUG' }],
  routes: [
    { method: 'GET', path: '/api/scrobbler/overview', ...S },
    { method: 'POST', path: '/api/scrobbler/webhooks/profile', ...S },
    { method: 'POST', path: '/api/scrobbler/webhooks/profile/disable', ...S },
    { method: 'POST', path: '/api/scrobbler/webhooks/profile/regenerate', ...S },
    { method: 'POST', path: '/api/scrobbler/webhooks/cleanup-legacy', ...S },
    { method: 'POST', path: '/api/scrobbler/routes', ...S },
    { method: 'PUT', path: '/api/scrobbler/routes/:route_id', ...S },
    { method: 'DELETE', path: '/api/scrobbler/routes/:route_id', ...S },
    { method: 'POST', path: '/api/scrobbler/settings', ...S },
    { method: 'GET', path: '/api/watch/status', ...S },
    { method: 'POST', path: '/api/watch/start', ...S },
    { method: 'POST', path: '/api/watch/stop', ...S },
    { method: 'POST', path: '/api/watch/refresh', ...S },
    { method: 'GET', path: '/api/watch/logs', ...S },
  ],
} as const

/** Fake watchers that accept any configuration and may fail. */
function createWatchers(effective: () => AccessInput['effective']) {
  const seen = { isRunning: false, fails: false, calls: [] as string[] }
  const groups = (): GroupStatus[] => {
    if (!seen.isRunning) return []
    const own = effective().lanes.filter(({ method }) => method === 'watcher')
    return [...Map.groupBy(own, ({ source }) => `${source.provider}:${source.instance}`)].map(([id, lanes]) => ({
      id,
      provider: lanes[0]!.source.provider,
      instance: lanes[0]!.source.instance,
      state: 'connected',
      by: 'push',
      others: true,
      lastEventAtMs: 1_700_000_000_500,
      lastError: null,
      retryAtMs: null,
      failures: 0,
      routes: lanes.map((lane) => lane.id),
    }))
  }
  const act = (name: string, runs: () => boolean) => async () => {
    seen.calls.push(name)
    if (seen.fails) throw new Error('the watchers are broken')
    seen.isRunning = runs()
  }
  const watchers: Watchers = {
    status: groups,
    start: act('start', () => effective().sources.watcher),
    stop: act('stop', () => false),
    refresh: act('refresh', () => effective().sources.watcher),
  }
  return Object.assign(watchers, { seen })
}

export async function open(config: object = {}) {
  const clock = createTestClock()
  const scene = { accounts: ACCOUNTS, descriptions: DESCRIPTIONS }
  let watchers: ReturnType<typeof createWatchers> | undefined
  let world = (): AccessInput => {
    throw new Error('not registered yet')
  }
  const plugin = definePlugin({
    config: ScrobbleConfig,
    normalizeConfig: normalizeScrobble,
    setup(ctx) {
      const lines = [
        ['WATCH', 'first'],
        ['WEBHOOK', 'second'],
        ['SCROBBLEDEBUG', 'hidden'],
        ['WATCH', 'third'],
      ] as const
      for (const [tag, line] of lines) {
        ctx.log.channel(tag).info(line)
        clock.advance(1_000)
      }
    },
    routes(app) {
      world = () => {
        const settings = app.playhead.config as ScrobbleConfig
        return { ...scene, settings, effective: makeEffective(settings, scene.accounts, scene.descriptions) }
      }
      watchers = createWatchers(() => world().effective)
      const refresh = async () => {
        // Like in the running scrobbler, changes apply while the watchers run.
        if (watchers?.seen.isRunning === true) await watchers.refresh()
        return world()
      }
      registerScrobblerRoutes(app, { worlds: { read: async () => world(), refresh }, watchers })
    },
  })
  const host = await createTestHost({ plugin, manifest: manifest as never, config: config as never, clock })
  const call = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    payload?: unknown,
    caller: object = {},
  ) => {
    const answer = await host.inject(
      { method, url, ...(payload === undefined ? {} : { payload: payload as object }) },
      caller,
    )
    return { status: answer.statusCode, body: answer.json() }
  }
  return {
    host,
    scene,
    call,
    get: (url: string, caller: object = {}) => call('GET', url, undefined, caller),
    post: (url: string, payload: unknown = {}) => call('POST', url, payload),
    overview: async (caller: object = {}) => (await call('GET', '/api/scrobbler/overview', undefined, caller)).body,
    watchers: () => watchers!,
    world: () => world(),
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]()
    },
  }
}

export const codes = (body: { errors: { field: string; code: string }[] }) =>
  body.errors.map(({ field, code }) => `${field} ${code}`)
export const tokenIn = (url: string) => new URL(url).searchParams.get('profile') ?? ''
