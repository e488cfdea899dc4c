// Versions and updates, requested from a real server.
import t from 'tap'
import { createTestHost, startServer, type Handler } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/version/index.ts'
import { createUpdateCheck } from '../../../plugins/services/version/update-check.ts'

const manifest = new URL('../../../plugins/services/version/plugin.json', import.meta.url)
const FUTURE = {
  tag_name: 'v999.1.0',
  name: 'Future',
  body: 'All <b>new</b>.',
  html_url: 'https://example.org/r',
  published_at: '2026-01-02T03:04:05Z',
}
const PATHS = ['/api/version', '/api/version/check', '/api/update'] as const

async function ask(config: object, path: string, allow: readonly string[] = []): Promise<Record<string, unknown>> {
  await using host = await createTestHost({ plugin, manifest, config: config as never, allow })
  const answer = await host.inject(path)
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${answer.body}`)
  return answer.json()
}

/** An update check with its own clock, against a server. */
async function openCheck(handler: Handler) {
  const server = await startServer(handler)
  const host = await createTestHost({ plugin, manifest, allow: ['127.0.0.1'] })
  const clock = { nowMs: 1_000_000 }
  const { upstream, log } = host.ctx
  const config = { enabled: true, source: `${server.url}/repos/o/r/releases?per_page=10` }
  const check = createUpdateCheck({ config, upstream, log, current: '1.0.0', now: () => clock.nowMs })
  return {
    ...check,
    server,
    host,
    clock,
    async [Symbol.asyncDispose]() {
      await host.close()
      await server.close()
    },
  }
}

t.test('without a source no request is sent and everything is answered', async (t) => {
  const [version, check, update] = await Promise.all(PATHS.map((path) => ask({}, path)))
  const current = version?.['current']
  t.type(current, 'string')
  t.same(version, { current, latest: null, update_available: false, html_url: '', checked_at: null, error: null })
  t.same(check, {
    current,
    latest: null,
    update_available: false,
    name: null,
    url: '',
    notes: '',
    published_at: null,
    checked_at: null,
    error: null,
  })
  t.same(update, {
    current_version: current,
    latest_version: current,
    update_available: false,
    html_url: '',
    url: '',
    body: '',
    published_at: null,
    checked_at: null,
    error: null,
  })
})

t.test('a newer release is reported on all three routes', async (t) => {
  await using server = await startServer(() => ({ json: [FUTURE, { tag_name: 'v0.0.1' }] }))
  const config = { source: `${server.url}/releases` }
  const [version, check, update] = await Promise.all(PATHS.map((path) => ask(config, path)))
  t.match(version, { latest: '999.1.0', html_url: 'https://example.org/r', checked_at: Number, error: null })
  t.match(check, {
    latest: '999.1.0',
    name: 'Future',
    url: 'https://example.org/r',
    notes: 'All new.',
    published_at: '2026-01-02T03:04:05.000Z',
  })
  t.match(update, {
    latest_version: '999.1.0',
    html_url: 'https://example.org/r',
    url: 'https://example.org/r',
    body: 'All new.',
    published_at: '2026-01-02T03:04:05.000Z',
  })
  t.equal(new Set([version, check, update].map((answer) => answer?.['update_available'])).size, 1, 'and they agree')
})

t.test('the check can be switched off', async (t) => {
  await using server = await startServer(() => ({ json: [FUTURE] }))
  t.match(await ask({ enabled: false, source: `${server.url}/releases` }, '/api/version'), {
    latest: null,
    update_available: false,
    checked_at: null,
  })
  t.equal(server.requests.length, 0)
})

t.test('an invalid address is refused when it is saved', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  await t.rejects(host.changeConfig({ source: 'not an address' }), { code: 'PLH_CONFIG_INVALID' })
})

const failures: readonly (readonly [name: string, handler: Handler, error: string])[] = [
  ['an error of the source', () => ({ status: 503, headers: { 'retry-after': '0' } }), 'upstream_error'],
  ['a source without releases', () => ({ status: 404 }), 'not_found'],
  ['an answer of another shape', () => ({ json: { message: 'hello' } }), 'invalid_response'],
  ['a page instead of data', () => ({ headers: { 'content-type': 'text/html' }, body: '<html>' }), 'invalid_response'],
]

for (const [name, handler, error] of failures) {
  t.test(`${name} is no server error`, async (t) => {
    await using check = await openCheck(handler)
    t.match(await check.state(), { update: null, checkedAtMs: 1_000_000, error })
    const asked = check.server.requests.length
    check.clock.nowMs += 299_000
    await check.state()
    t.equal(check.server.requests.length, asked, 'and it is kept for a while, too')
    check.clock.nowMs += 2_000
    await check.state()
    t.ok(check.server.requests.length > asked)
  })
}

t.test('a source that asks to wait gets no request for that time', async (t) => {
  await using check = await openCheck(() => ({ status: 429, headers: { 'retry-after': '3600' } }))
  t.match(await check.state(), { update: null, error: 'rate_limited' })
  const asked = check.server.requests.length
  check.clock.nowMs += 301_000
  t.match(await check.state(), { update: null, checkedAtMs: 1_301_000, error: 'rate_limited' })
  t.equal(check.server.requests.length, asked)
})

t.test('concurrent callers send one request, and the result is cached for five minutes', async (t) => {
  await using check = await openCheck(() => ({ json: [FUTURE] }))
  const answers = await Promise.all(Array.from({ length: 20 }, () => check.state()))
  t.equal(new Set(answers.map(({ update }) => update?.version)).size, 1)
  check.clock.nowMs += 299_000
  t.equal((await check.state()).checkedAtMs, 1_000_000)
  t.equal(check.server.requests.length, 1)
  t.match(check.server.requests[0], { path: '/repos/o/r/releases', headers: { accept: /json/ } })
  t.equal(check.server.requests[0]?.query.get('per_page'), '10')

  check.clock.nowMs += 2_000
  await check.state()
  t.equal(check.server.requests.length, 2)
})

t.test('an unchanged list is not sent again', async (t) => {
  await using check = await openCheck(({ headers }) => {
    return headers['if-none-match'] === '"v1"' ? { status: 304 } : { json: [FUTURE], headers: { etag: '"v1"' } }
  })
  const first = await check.state()
  check.clock.nowMs += 301_000
  const second = await check.state()
  t.equal(check.server.requests[1]?.headers['if-none-match'], '"v1"')
  t.same(second, { ...first, checkedAtMs: 1_301_000 })
})

t.test('after a failure the release is found again', async (t) => {
  let isDown = false
  await using check = await openCheck(() => (isDown ? { status: 404 } : { json: [FUTURE] }))
  await check.state()
  isDown = true
  check.clock.nowMs += 301_000
  t.match(await check.state(), { update: null, error: 'not_found' })
  isDown = false
  check.clock.nowMs += 301_000
  t.match(await check.state(), { update: { version: '999.1.0' }, error: null })
})

t.test('all plugins are listed with their versions, in one list and by kind', async (t) => {
  type Versions = Record<string, string>
  const { flat, groups } = (await ask({}, '/api/modules/versions')) as {
    flat: Versions
    groups: Record<string, Versions>
  }
  t.equal(flat['version'], '1.0.0')
  t.equal(groups['SERVICE']?.['version'], '1.0.0')
})
