// slow: every route, in the whole service
// A read-only token that calls every route with real ids: no setting, stored row, file or service data changes, and no response
// contains a secret.
import { hash } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { expectOk, runToEnd, signInToJellyfin, signInToTrakt } from '../demo/sign-in.ts'
import { startService, type Service } from '../harness.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { expectedScope } from './scopes.ts'
import { BEYOND, SERVED } from './table.ts'

t.setTimeout(900_000)

const METRICS_TOKEN = 'a-token-for-the-scraper-1'
const WEBHOOK_SECRET = 'hooks-8c1f0b7de42a'
/** Side effects of reading: the last use of a token, copies and caches, and the empty workspaces of the tracker. */
const READING = /core__api_tokens|^store\.sqlite |^databases\/(exports|catalog)\/| tracker__(spaces|states)$|^run\//
const ON = { enabled: true, add: true, remove: false }
const READ = [...SERVED, ...BEYOND].filter(
  (route) => !['P', 'W', 'S|P'].includes(route.auth) && expectedScope(route) === 'read' && route.path !== '/logout',
)

/** All stored data: each setting, table and file by its hash. */
async function keptBy(service: Service): Promise<Map<string, string>> {
  const data = join(service.directory, 'data')
  const kept = new Map<string, string>()
  for await (const file of glob('**/*', { cwd: data, withFileTypes: true })) {
    const path = join(file.parentPath, file.name)
    const name = path.slice(data.length + 1)
    // Reads may fill caches; the files beside a database belong to it.
    if (!file.isFile() || /^cache\/|-(wal|shm)$|\.lock$/.test(name)) continue
    const bytes = await readFile(path)
    if (!bytes.subarray(0, 6).equals(Buffer.from('SQLite'))) kept.set(name, hash('sha256', bytes))
    else for (const [table, rows] of tablesOf(path)) kept.set(`${name} ${table}`, rows)
  }
  return kept
}

function tablesOf(path: string): [string, string][] {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all()
    return tables.flatMap(({ name }) => {
      const rows = database.prepare(`select * from "${String(name)}"`).all()
      return [
        [
          String(name),
          hash(
            'sha256',
            JSON.stringify(rows, (_, one) => (typeof one === 'bigint' ? String(one) : one)),
          ),
        ],
      ]
    })
  } finally {
    database.close()
  }
}

async function openWorld(stack: AsyncDisposableStack) {
  const jellyfin = stack.use(await startJellyfin({ movies: 12, shows: 1, activity: 0.5 }))
  const trakt = await startTrakt({ movies: 12, shows: 1 })
  stack.defer(() => trakt.close())
  const service = stack.use(await startService({ shipped: true, watch: false }))
  await signInToJellyfin(service, jellyfin)
  await signInToTrakt(service, trakt)
  const { id: pair } = await expectOk(service, '/api/pairs', {
    ...{ name: 'Attic', source: 'MEDIAB', target: 'TRACKA', mode: 'one_way', enabled: true },
    features: { history: ON, watchlist: ON },
  })
  await runToEnd(service, { dry_run: true })
  const { run_id: run } = await runToEnd(service)
  await expectOk(service, '/api/snapshots/create', { provider: 'MEDIAB', feature: 'history' })
  await expectOk(service, '/api/backups/create', { label: 'before' })
  await expectOk(service, '/api/scrobbler/webhooks/profile', { provider: 'MEDIAB', sinks: ['TRACKA'] })
  // The notifier restarts; the target is kept.
  await service.json('/api/notifications/targets', {
    json: { notifier: 'webhook', name: 'Hall', settings: { url: `http://127.0.0.1:9/${WEBHOOK_SECRET}` } },
  })
  const reports = { webhooks: { enabled: true, failure_url: `http://127.0.0.1:9/${WEBHOOK_SECRET}` } }
  await expectOk(service, '/api/scheduling', reports)
  await service.json('/api/config', { json: { plugins: { metrics: { token: METRICS_TOKEN } } } })
  const { secret } = (await service.json('/api/tokens', { json: { name: 'reader', scope: 'read' } })).body
  return { service, jellyfin, trakt, pair: String(pair), run: String(run), secret: String(secret) }
}

t.test('a read-only token changes nothing and gets no secret', async (t) => {
  await using stack = new AsyncDisposableStack()
  const { service, jellyfin, trakt, pair, run, secret } = await openWorld(stack)
  const get = async (path: string) => (await service.json(path)).body
  const overview = JSON.stringify(await get('/api/scrobbler/overview'))
  const webhookToken = /\/webhook\/\w+\?\w+=([^"&]+)/.exec(overview)?.[1] ?? ''
  t.ok(webhookToken.length > 10)
  const secrets = [secret, METRICS_TOKEN, WEBHOOK_SECRET, webhookToken, service.cookie().slice('cw_auth='.length)]
  const document = JSON.stringify(service.config.current())
  for (const [, , value = ''] of document.matchAll(
    /"(access_token|refresh_token|client_secret|api_key|hash)":"([^"]{12,})"/g,
  ))
    secrets.push(value)
  t.ok(secrets.length >= 8, `${secrets.length} secrets`)

  const [item] = (await get('/api/library?limit=1')).items
  const [group] = (await get('/api/events/groups?limit=1&visibility=all')).items
  const [capture] = (await get('/api/snapshots/list?limit=1')).snapshots
  const [plan] = (await get('/api/plans?limit=1')).plans
  const values: Readonly<Record<string, string>> = {
    ...{ provider: 'MEDIAB', instance: 'default', pair_id: pair, run_id: run, key: item.key, item_key: item.key },
    ...{
      group_id: String(group.id),
      plan_id: plan.plan_id,
      language: 'de',
      action: 'vacuum',
      type: 'movie',
      typ: 'movie',
    },
  }
  const query = new URLSearchParams({
    ...{
      provider: 'MEDIAB',
      feature: 'history',
      instance: 'default',
      source: 'state',
      format: 'json',
      q: 'a',
      limit: '5',
    },
    ...{
      fresh: 'true',
      force: 'true',
      path: capture.path,
      a: capture.path,
      b: capture.path,
      kind: 'state',
      tag: 'HOST',
    },
    ...{ entity: 'movie', title: 'Heat', max_age: '0', tail: '50', plan_id: plan.plan_id, event_id: '1' },
  })
  const writesOf = () =>
    [jellyfin, trakt].map(({ requests }) =>
      requests
        .filter(({ method }) => method !== 'GET' && method !== 'HEAD')
        .map(({ method, path }) => `${method} ${path}`),
    )
  // Databases that are opened for the first time are new and empty.
  const [before, writesBefore] = [await keptBy(service), writesOf()]
  const answers = new Map<string, number>()
  for (const route of READ) {
    const path = route.path.replaceAll(/\{(\w+)\}|:(\w+)/g, (_, one, other) =>
      encodeURIComponent(values[one ?? other] ?? '1'),
    )
    const ending = new AbortController()
    for (const suffix of ['', `?${query}`]) {
      const answer = await fetch(service.url + path + suffix, {
        method: route.method,
        headers: {
          authorization: `Bearer ${secret}`,
          ...(route.method === 'GET' ? {} : { 'content-type': 'application/json' }),
        },
        ...(route.method === 'GET' ? {} : { body: JSON.stringify(Object.fromEntries(query)) }),
        signal: ending.signal,
      })
      const name = `${route.method} ${route.path}${suffix === '' ? '' : ' with a query'}`
      answers.set(name, answer.status)
      if (answer.status >= 500 && answer.status !== 502 && answer.status !== 504) t.fail(`${name}: ${answer.status}`)
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
      const text = isStream ? '' : await answer.text()
      const found = secrets.filter((one) => text.includes(one))
      if (found.length > 0) t.fail(`${name} holds ${found.length} secrets`)
    }
    ending.abort()
  }
  const right = [...answers.values()].filter((status) => status === 200).length
  t.ok(right > 180, `${right} of ${answers.size} calls were answered`)
  t.same(writesOf(), writesBefore, 'nothing was written to a service')
  const after = await keptBy(service)
  const changed = [...before.keys()].filter((name) => !READING.test(name) && before.get(name) !== after.get(name))
  t.ok(before.size > 60, `${before.size} tables and files`)
  t.same(changed, [])
})
