// slow: every route, in the whole service
// Any input: the response is never a server error, and never leaks a secret.
import fc, { runsOf } from '../fast-check.ts'
import t from 'tap'
import { PASSWORD, startService } from '../harness.ts'
import { startPlex } from '../upstreams/plex.ts'
import { BEYOND, SERVED } from './table.ts'

t.setTimeout(900_000)

// Excluded, because they end the session or the process; their own tests cover them.
const ENDING = new Set([
  '/api/app-auth/logout',
  '/api/app-auth/logout-all',
  '/logout',
  '/api/app-auth/apply-now',
  '/api/app-auth/credentials',
  '/api/app-auth/login',
  '/api/maintenance/restart',
])

const queryText = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom('', '0', '-1', '1e9', 'true', 'NaN', '../../etc/passwd', '%00', '•••', '__proto__'),
  fc.integer().map(String),
)
const key = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    'ui',
    'security',
    'app_auth',
    'version',
    'pairs',
    'tls',
    'instances',
    'hostname',
    'valid_days',
    'alt_dns',
    'id',
    'constructor',
    'api_key',
  ),
)
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string(),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant('••••••••'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
})).value

t.test('random queries and bodies never lead to a 5xx, and never change a password or show a secret', async (t) => {
  await using service = await startService({
    shipped: true,
    watch: false,
    environment: { PLAYHEAD_LOG_LEVEL: 'error' },
  })
  // Its sign-in needs no settings, so it would call the real service.
  await using plex = await startPlex({ movies: 1, shows: 1, cloudTitles: 1 })
  await service.json('/api/config', {
    json: { mediaA: { cloud_url: plex.cloud.url }, plugins: { sso: { cloud_url: plex.cloud.url } } },
  })
  const routes = [...SERVED, ...BEYOND].filter(({ path }) => !ENDING.has(path))
  const statuses = new Map<number, number>()

  for (const route of routes) {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom(...(route.query ?? ['x']), 'instance', 'q'), queryText, { maxKeys: 3 }),
        json,
        queryText,
        async (query, body, id) => {
          const controller = new AbortController()
          const path = route.path.replace(':id', encodeURIComponent(id) || 'x')
          const answer = await service.call(`${path}?${new URLSearchParams(query).toString()}`, {
            method: route.method,
            signal: controller.signal,
            ...(route.method === 'GET'
              ? {}
              : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) ?? 'null' }),
          })
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
          const text = isStream ? '' : await answer.text()
          controller.abort()
          if (answer.status >= 500) throw new Error(`${answer.status}: ${text}`)
          if (answer.status === 422) {
            const { detail } = JSON.parse(text) as { detail: { loc: unknown[]; msg: string; type: string }[] }
            if (
              !detail.every(
                ({ loc, msg, type }) => Array.isArray(loc) && typeof msg === 'string' && typeof type === 'string',
              )
            )
              throw new Error(`the validation body is malformed: ${text}`)
          }
          if (text.includes(PASSWORD)) throw new Error('the password is shown')
        },
      ),
      { numRuns: runsOf(15) },
    )
  }
  t.comment([...statuses].map(([status, count]) => `${status}: ${count}`).join(', '))
  t.ok((statuses.get(200) ?? 0) > 0)
  t.ok((statuses.get(422) ?? 0) > 0)
  const login = await service.call('/api/app-auth/login', { json: { username: 'ada', password: PASSWORD } })
  t.equal(login.status, 200, 'the account is as it was')
})

t.test('random logins and credentials never lead to a 5xx', async (t) => {
  await using service = await startService({ watch: false })
  for (const path of ['/api/app-auth/login', '/api/app-auth/credentials']) {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          json,
          fc.record(
            { username: json, password: json, remember_me: json, enabled: json, remember_session_days: json },
            { requiredKeys: [] },
          ),
        ),
        async (body) => {
          const answer = await service.call(path, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body) ?? 'null',
          })
          await answer.arrayBuffer()
          if (answer.status >= 500) throw new Error(String(answer.status))
        },
      ),
      { numRuns: runsOf(25) },
    )
  }
  t.equal((await service.json('/api/app-auth/status')).status, 200)
})
