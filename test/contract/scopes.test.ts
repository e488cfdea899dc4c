// slow: every route, in the whole service
// API token scopes: every route of the table with every scope, as scopes.ts states it.
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startService, until, type Service } from '../harness.ts'
import { startPlex } from '../upstreams/plex.ts'
import { expectedScope, LADDER, nameOf } from './scopes.ts'
import { BEYOND, SERVED, type ContractRoute } from './table.ts'

t.setTimeout(900_000)

/** Routes that end the service or the sessions; they are called only with tokens that lack access. */
const ENDING = new Set([
  '/api/app-auth/logout-all',
  '/api/app-auth/apply-now',
  '/api/maintenance/restart',
  '/api/maintenance/reset-all-default',
])
const PROTECTED = [...SERVED, ...BEYOND].filter(
  ({ auth, path }) => !['P', 'W', 'S|P'].includes(auth) && path !== '/logout',
)

async function call(service: Service, route: ContractRoute, secret: string) {
  const controller = new AbortController()
  const answer = await fetch(service.url + route.path.replaceAll(/:\w+|\{\w+\}/g, 'version'), {
    method: route.method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${secret}` },
    signal: controller.signal,
  })
  const isRefusal = answer.status === 401 || answer.status === 403
  const body = isRefusal ? ((await answer.json()) as Record<string, unknown>) : {}
  controller.abort()
  return { status: answer.status, body, isOurs: answer.headers.has('x-auth-required') }
}

t.test('every route of a plugin is in the table, so that it is tested', async (t) => {
  const shape = (method: string, path: string) => `${method} ${path.replaceAll(/\{\w+\}|:\w+/g, '*')}`
  const known = new Set([...SERVED, ...BEYOND].map(({ method, path }) => shape(method, path)))
  const root = join(import.meta.dirname, '../../plugins')
  for await (const file of glob('*/*/plugin.json', { cwd: root, exclude: ['directory/**'] })) {
    const { routes = [] } = JSON.parse(await readFile(join(root, file), 'utf8'))
    for (const { method, path } of routes) t.ok(known.has(shape(method, path)), `${file}: ${method} ${path}`)
  }
})

t.test('every route with every scope is allowed, or answers 403 with the missing scope', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  // Its sign-in needs no settings, so it would call the real service.
  await using plex = await startPlex({ movies: 1, shows: 1, cloudTitles: 1 })
  await service.json('/api/config', {
    json: { mediaA: { cloud_url: plex.cloud.url }, plugins: { sso: { cloud_url: plex.cloud.url } } },
  })
  t.ok(PROTECTED.length > 280, `${PROTECTED.length} routes`)
  const secrets = new Map<string, string>()
  for (const scope of LADDER)
    secrets.set(scope, (await service.json('/api/tokens', { json: { name: scope, scope } })).body.secret)

  for (const route of PROTECTED) {
    const needed = expectedScope(route)
    for (const [index, scope] of LADDER.entries()) {
      const isAllowed = needed !== 'session' && index >= LADDER.indexOf(needed)
      // Once is enough: a higher scope runs the same handler.
      const isFirst = index === LADDER.indexOf(needed as (typeof LADDER)[number])
      if (isAllowed && (!isFirst || ENDING.has(route.path))) continue
      const { status, body, isOurs } = await call(service, route, secrets.get(scope) as string)
      const what = `${nameOf(route)} with ${scope}`
      if (isAllowed) {
        t.not(body['error'], 'insufficient_scope', what)
        // A service without setup may answer 401 itself.
        t.notOk(isOurs, what)
        t.ok(status < 500, `${what} answered ${status}`)
      } else if (needed === 'session')
        t.match({ status, body }, { status: 403, body: { error: 'session_required' } }, what)
      else
        t.match(
          { status, body },
          {
            status: 403,
            body: { ok: false, error: 'insufficient_scope', detail: String, needed_scope: needed, scope },
          },
          what,
        )
    }
  }
})

t.test('a body that needs more rights than its route needs that scope', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  const bearer = async (scope: string) =>
    `Bearer ${(await service.json('/api/tokens', { json: { name: scope, scope } })).body.secret}`
  const [run, write] = [await bearer('run'), await bearer('write')]
  const beyond: readonly (readonly [path: string, body: object])[] = [
    ['/api/run', { pair_id: 'p', allow_mass_delete: true }],
    ['/api/run', { pair_id: 'p', confirm_mirror: true }],
    ['/api/scheduling/trigger_now', { pair_id: 'p', allow_mass_delete: true }],
    ['/api/scheduling/trigger_now', { pair_id: 'p', confirm_mirror: true }],
    ['/api/scheduling/trigger_now', { capture: { provider: 'SVC', feature: 'history', retention_count: 1 } }],
    ['/api/scheduling/trigger_now', { backup: { max_backups: 1 } }],
    ['/api/playlists/mappings/m/run', { options: { confirm_mass_delete: true } }],
    ['/api/playlists/mappings/m/run', { options: { confirm_destructive: true } }],
  ]
  for (const [path, json] of beyond) {
    const what = `${path} ${JSON.stringify(json)}`
    t.match(
      await service.json(path, { json, headers: { authorization: run } }),
      { status: 403, body: { ok: false, error: 'insufficient_scope', needed_scope: 'write', scope: 'run' } },
      what,
    )
    t.not((await service.json(path, { json, headers: { authorization: write } })).status, 403, what)
  }
  const done = (domain: string) => ({ events: [{ domain, event_type: `${domain}_x`, created_at: 1_700_000_000 }] })
  for (const [path, json, allowed] of [
    ['/api/events/clear', { confirm: true }, false],
    ['/api/events/clear', { confirm: true, domain: 'all' }, false],
    ['/api/events/clear', { confirm: true, domain: 'audit' }, false],
    ['/api/events/clear', { confirm: true, domain: 'scrobble' }, true],
    ['/api/events/import', done('audit'), false],
    ['/api/events/import', { dry_run: true, ...done('audit') }, false],
    ['/api/events/import', done('sync'), true],
  ] as const) {
    const { status, body } = await service.json(path, { json, headers: { authorization: write } })
    const what = `${path} ${JSON.stringify(json)} ${JSON.stringify(body).slice(0, 200)}`
    if (allowed) t.equal(status, 200, what)
    else t.match({ status, body }, { status: 403, body: { needed_scope: 'admin', scope: 'write' } }, what)
  }
  t.equal((await service.json('/api/events/clear', { json: { confirm: true, domain: 'audit' } })).status, 200)
  const reports = { webhooks: { enabled: true, failure_url: 'http://127.0.0.1:9/reports' } }
  const plan = { enabled: true, mode: 'daily', daily_time: '04:00' }
  t.match(
    await service.json('/api/scheduling', { json: { ...plan, ...reports }, headers: { authorization: write } }),
    { status: 403, body: { error: 'insufficient_scope', needed_scope: 'admin' } },
    'where reports are sent is a setting',
  )
  t.equal((await service.json('/api/scheduling', { json: plan, headers: { authorization: write } })).status, 200)
  t.equal((await service.json('/api/scheduling', { json: { ...plan, ...reports } })).status, 200)
  t.equal((await service.json('/api/scheduling', { json: plan, headers: { authorization: write } })).status, 403)
  t.same((await service.json('/api/backups/list')).body.backups?.length, 1, 'the one that the right token made')
})

t.test('streams of a revoked token end at once, those of others continue', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  const make = async (name: string) => (await service.json('/api/tokens', { json: { name, scope: 'read' } })).body
  const [one, other] = [await make('one'), await make('other')]
  const open = async ({ secret }: { secret: string }) => {
    const answer = await fetch(`${service.url}/api/logs/stream?tag=HOST`, {
      headers: { authorization: `Bearer ${secret}` },
    })
    t.equal(answer.status, 200)
    t.match(answer.headers.get('content-type'), 'text/event-stream')
    const state = { ended: false }
    void (async () => {
      for await (const _ of answer.body as AsyncIterable<Uint8Array>);
      state.ended = true
    })().catch(() => {})
    return state
  }
  const [revoked, open2] = [await open(one), await open(other)]
  t.equal((await service.call(`/api/tokens/${one.token.id}`, { method: 'DELETE' })).status, 200)
  await until('the stream ends', () => revoked.ended)
  t.notOk(open2.ended)
  t.equal(
    (await fetch(`${service.url}/api/version`, { headers: { authorization: `Bearer ${one.secret}` } })).status,
    401,
  )
})

t.test('tokens of webhooks and metrics are listed with their last use, and can be rotated', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  await service.json('/api/config', { json: { plugins: { metrics: { token: 'a-token-for-the-scraper-1' } } } })
  const scrape = async (token: string) =>
    (await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status
  const metrics = async () =>
    (await service.json('/api/tokens')).body.others.find(({ id }: { id: string }) => id === 'metrics')

  t.match(await metrics(), { kind: 'metrics', purpose: String, active: true, can_rotate: true, last_used_at: null })
  t.equal(await scrape('a-token-for-the-scraper-1'), 200)
  t.match(await metrics(), { last_used_at: Number })
  const renewed = (await service.json('/api/tokens/others/metrics/rotate', { method: 'POST' })).body
  t.equal(await scrape(renewed.secret), 200)
  t.equal(await scrape('a-token-for-the-scraper-1'), 401)
  t.notMatch(JSON.stringify((await service.json('/api/tokens')).body), renewed.secret)
  t.match(await service.json('/api/tokens/others/nothing/rotate', { method: 'POST' }), { status: 404 })
})
