// slow: the steps of a guide, in the whole service
// The examples of docs/guide/scripts-and-dashboards.md run unchanged against the real service.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { parse } from 'yaml'
import { buildClient } from '../../sdk/client/build.ts'
import { signInToTrakt } from '../demo/sign-in.ts'
import { startService, type Service } from '../harness.ts'
import { startServer } from '../plugins/jellyfin-and-emby/support.ts'
import { parseExposition } from '../plugins/metrics/parse.ts'
import { startTrakt } from '../upstreams/trakt.ts'

t.setTimeout(900_000)

const GUIDE = join(import.meta.dirname, '../../docs/guide')
const EXAMPLE_URL = 'http://playhead.local:8787'
const guide = await readFile(join(GUIDE, 'scripts-and-dashboards.md'), 'utf8')
const run = promisify(execFile)

/** The code below a heading. */
function codeOf(heading: string): string {
  const [, section = ''] = guide.split(`\n## ${heading}\n`)
  const [, code] = /```\w+\n([\s\S]*?)```/.exec(section.split('\n## ')[0] ?? '') ?? []
  if (code === undefined) throw new Error(`no code below "${heading}"`)
  return code
}

const at = (value: unknown, path: string): unknown => path.split('.').reduce<any>((inner, name) => inner?.[name], value)

async function openWorld() {
  const stack = new AsyncDisposableStack()
  const jellyfin = stack.use(await startServer('jellyfin', { movies: 5, shows: 0, activity: 1 }))
  const emby = stack.use(await startServer('emby', { movies: 5, shows: 0 }))
  const service: Service = stack.use(await startService({ shipped: true, watch: false }))
  for (const [path, { url }] of [
    ['mediaB', jellyfin],
    ['mediaC', emby],
  ] as const)
    await service.json(`/api/${path}/login`, { json: { server: url, username: 'sam', password: 'secret' } })
  // Trakt reports rate limits and the expiry of its sign-in.
  const trakt = await startTrakt({ movies: 2, shows: 0 })
  stack.defer(() => trakt.close())
  await signInToTrakt(service, trakt)
  await service.json('/api/connections?fresh=1')
  const features = { history: { enabled: true, add: true, remove: false } }
  await service.json('/api/pairs', {
    json: { name: 'Attic', source: 'MEDIAB', target: 'MEDIAC', mode: 'two-way', enabled: true, features },
  })
  const token = async (scope: string) =>
    (await service.json('/api/tokens', { json: { name: scope, scope } })).body.secret as string
  const folder = await mkdtemp(join(tmpdir(), 'playhead-guide-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  return { service, read: await token('read'), run: await token('run'), folder, stack }
}

const world = await openWorld()
const { service, folder } = world
atEndOfFile(() => world.stack[Symbol.asyncDispose]())

interface Described {
  readonly url: string
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload?: string
  readonly content_type?: string
}

/** Sends the described request; `fill` inserts the token. */
async function send(one: Described, fill: (header: string) => string) {
  const answer = await fetch(one.url.replace(EXAMPLE_URL, service.url), {
    method: (one.method ?? 'get').toUpperCase(),
    headers: {
      ...Object.fromEntries(Object.entries(one.headers).map(([name, value]) => [name, fill(value)])),
      ...(one.content_type === undefined ? {} : { 'content-type': one.content_type }),
    },
    ...(one.payload === undefined ? {} : { body: one.payload }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

t.test('the TypeScript example runs with the built package, and its types are correct', async (t) => {
  const installed = join(folder, 'node_modules/@playhead/client')
  await mkdir(installed, { recursive: true })
  await buildClient(join(installed, 'dist'))
  const manifest = await readFile(join(import.meta.dirname, '../../sdk/client/package.json'), 'utf8')
  await writeFile(join(installed, 'package.json'), manifest)
  const code = codeOf('TypeScript').replace(EXAMPLE_URL, service.url)
  await writeFile(join(folder, 'example.ts'), `${code}\nconsole.log('the run has ended', isApiError(null))\n`)
  const { stdout } = await run(process.execPath, [join(folder, 'example.ts')], {
    env: { PATH: process.env['PATH'], PLAYHEAD_TOKEN: world.run },
    timeout: 60_000,
  })
  t.match(stdout, 'the run has ended false')
  const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc')
  const types = join(import.meta.dirname, '../../node_modules/@types')
  await run(process.execPath, [
    ...[
      tsc,
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      '--target',
      'esnext',
    ],
    ...['--types', 'node', '--typeRoots', types, join(folder, 'example.ts')],
  ])
})

t.test('the command that creates a token works in the data directory of a stopped service', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-token-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  await (await startService({ directory, watch: false })).stop()
  const [, command = ''] = /```sh\n(npm run playhead -- token create .*)\n```/.exec(guide) ?? []
  const { stdout } = await run('sh', ['-c', command], {
    cwd: join(GUIDE, '../..'),
    env: { PATH: process.env['PATH'], PLAYHEAD_DATA_DIR: join(directory, 'data') },
  })
  const [secret = ''] = /plh_[\w-]{43}/.exec(stdout) ?? []
  await using service = await startService({ directory, withoutAccount: true, watch: false })
  const answer = await fetch(`${service.url}/api/tokens/current`, { headers: { authorization: `Bearer ${secret}` } })
  t.match(await answer.json(), { token: { name: 'Home Assistant', scope: 'run' } })
})

t.test('the curl commands work as described', async (t) => {
  const env = { PATH: process.env['PATH'], PLAYHEAD_URL: service.url }
  const commands = codeOf('curl')
    .split('\n')
    .filter((line) => line.startsWith('curl '))
  t.equal(commands.length, 3)
  for (const command of commands) {
    const isRun = command.includes('/api/run')
    const { stdout } = await run('bash', ['-c', command], {
      cwd: folder,
      env: { ...env, PLAYHEAD_TOKEN: isRun ? world.run : world.read },
    })
    if (command.includes(' -o ')) t.match(await readFile(join(folder, 'history.json'), 'utf8'), /^[[{]/)
    else t.match(JSON.parse(stdout), isRun ? { status: 'accepted' } : { ok: true, health: String })
    if (isRun)
      await t.rejects(run('bash', ['-c', command], { env: { ...env, PLAYHEAD_TOKEN: world.read } }), { code: 22 })
  }
})

t.test('Home Assistant reads the sensor and starts a run', async (t) => {
  const secret = { tag: '!secret', resolve: (name: string) => `secret ${name}` }
  const { rest, rest_command: commands } = parse(codeOf('Home Assistant'), { customTags: [secret] })
  const fill = (header: string) =>
    header === 'secret playhead_authorization' ? `Bearer ${world.run}` : `unknown ${header}`
  const [{ resource, sensor, ...source }] = rest
  const { status, body } = await send({ ...source, url: resource }, fill)
  t.equal(status, 200)
  t.equal(sensor.length, 2)
  for (const { name, value_template: template, json_attributes: attributes = [] } of sensor) {
    const path = /^\{\{ value_json\.([\w.]+) \}\}$/.exec(template)?.[1] ?? ''
    t.equal(typeof at(body, path), 'string', `${name}: ${path}`)
    for (const attribute of attributes) t.ok(attribute in body, attribute)
  }
  t.ok(Date.parse(String(at(body, 'last_run.at_iso'))) > Date.now() - 600_000, 'a timestamp that it understands')
  t.match(await send(commands.playhead_sync, fill), { status: 200, body: { status: 'accepted' } })
})

t.test('Homepage and Glance find every field that they show', async (t) => {
  const [{ Media }] = parse(codeOf('Homepage'))
  const { widget } = Media[0].Playhead
  const homepage = await send(widget, (header) => header.replace('{{HOMEPAGE_VAR_PLAYHEAD_TOKEN}}', world.read))
  t.equal(homepage.status, 200)
  t.equal(widget.type, 'customapi')
  for (const { field, format } of widget.mappings) {
    const value = at(homepage.body, field)
    t.not(value, undefined, field)
    if (format === 'number') t.type(value, 'number', field)
  }

  const [glance] = parse(codeOf('Glance'))
  const { status, body } = await send(glance, (header) => header.replace('${PLAYHEAD_TOKEN}', world.read))
  t.equal(status, 200)
  t.equal(glance.type, 'custom-api')
  const shown = [...String(glance.template).matchAll(/\.JSON\.(String|Int) "([\w.]+)"/g)]
  t.equal(shown.length, 4)
  for (const [, type, path = ''] of shown) t.type(at(body, path), type === 'Int' ? 'number' : 'string', path)
})

t.test('the widget is small, names no title by default, and concurrent requests share one response', async (t) => {
  const get = async (query = '') => {
    const answer = await fetch(`${service.url}/api/widget${query}`, {
      headers: { authorization: `Bearer ${world.read}` },
    })
    return { text: await answer.text(), headers: answer.headers }
  }
  const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => get()))
  t.ok(first!.text.length < 1_000, `${first!.text.length} characters`)
  t.equal(first!.headers.get('cache-control'), 'private, max-age=15')
  t.ok(others.every(({ text }) => text === first!.text))
  const titled = JSON.parse((await get('?titles=true')).text)
  t.ok(Array.isArray(titled.titles))
  for (const title of titled.titles) t.notOk(first!.text.includes(title))
})

t.test('every metric of the dashboard and of the alert rules exists, and the rules are well-formed', async (t) => {
  const scrape = () => fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${world.read}` } })
  // Delays are measured since the previous read.
  await (await scrape()).text()
  const scraped = await scrape()
  t.equal(scraped.status, 200, 'an API token may scrape')
  const { types, values } = parseExposition(await scraped.text())
  const known = new Set(types.keys())
  const check = (expression: string, where: string) => {
    const names = expression.match(/\b(?:playhead|process|nodejs)_[a-z_]+\b/g) ?? []
    for (const name of names) t.ok(known.has(name), `${where}: ${name}`)
    t.equal(expression.split('(').length, expression.split(')').length, `${where}: brackets`)
    return names.length
  }
  const { items } = (await service.json('/api/attention')).body as { readonly items: readonly { kind: string }[] }
  t.notOk(
    items.some(({ kind }) => kind === 'sign_in_expiring'),
    'a sign-in that is renewed is no news',
  )
  const { connections } = (await service.json('/api/connections')).body
  const trakt = connections.find(({ provider }: { provider: string }) => provider === 'TRACKA')
  t.match(trakt.profiles[0], { configured: true, credential_ends_at: null })
  const dashboard = JSON.parse(await readFile(join(GUIDE, 'dashboards/grafana.json'), 'utf8'))
  t.match(dashboard, {
    title: 'Playhead',
    uid: String,
    schemaVersion: Number,
    templating: { list: [{ type: 'datasource' }] },
  })
  t.equal(new Set(dashboard.panels.map(({ id }: any) => id)).size, dashboard.panels.length)
  for (const { title, targets, gridPos } of dashboard.panels) {
    t.ok(gridPos.x + gridPos.w <= 24, title)
    for (const { expr } of targets) t.ok(check(expr, title) > 0, title)
  }

  const { groups } = parse(await readFile(join(GUIDE, 'dashboards/alerts.yml'), 'utf8'))
  const rules = groups.flatMap((group: any) => group.rules)
  t.equal(new Set(rules.map(({ alert }: any) => alert)).size, rules.length)
  for (const rule of rules) {
    t.match(
      Object.keys(rule).filter((key) => !['alert', 'expr', 'for', 'labels', 'annotations'].includes(key)),
      [],
      rule.alert,
    )
    t.match(rule, {
      alert: /^Playhead[A-Z]\w+$/,
      labels: { severity: String },
      annotations: { summary: String, description: String },
    })
    if (rule.for !== undefined) t.match(rule.for, /^\d+[smh]$/)
    // No rule fires for a healthy service: the sign-in of Trakt lasts for days and is refreshed.
    const [, selected, below] = /^(\w+\{[^}]*\}) < (\d+)$/.exec(rule.expr) ?? []
    if (selected !== undefined) {
      const [metric = '', label = ''] = selected.slice(0, -1).split('{')
      const ofMetric = [...values].filter(([name]) => name.startsWith(metric))
      t.ok(ofMetric.length > 0, rule.alert)
      t.same(
        ofMetric.filter(([name, value]) => name.includes(label) && value < Number(below)),
        [],
        rule.alert,
      )
    }
    if (!rule.expr.startsWith('up{')) t.ok(check(rule.expr, rule.alert) > 0, rule.alert)
  }
})
