// slow: every request of every provider
// Random requests to every provider route and related routes, while all providers are signed in.
import fc, { runsOf } from '../fast-check.ts'
import t from 'tap'
import { type ContractRoute, SERVED } from '../contract/table.ts'
import { startWorld, type World } from './world.ts'

t.setTimeout(900_000)

const AREAS = /provider|media server|metadata|tracking|list service|watchlist tool|single sign-on/i
const RUNS = 10
/** These run last: routes that end a sign-in, then routes that create and change profiles. */
const TURNS = [/\/(disconnect|token\/delete|cancel|unlink|save|select)$/, /^\/api\/provider-instances/]
const WHAT_UPSTREAMS_DO = new Set([502, 503, 504])

const word = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.integer().map(String),
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e99',
    'true',
    'null',
    '%00',
    '../..',
    '__proto__',
    '••••••••',
    'MEDIAB',
    'TRACKA-P99',
    'http://127.0.0.1:9',
    'file:///etc/passwd',
    'movie',
    '603',
  ),
)
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    word,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(word, tie('any'), { maxKeys: 3 }),
  ),
})).any

t.test('any random query or body is answered, and no response contains a secret', async (t) => {
  await using world = await startWorld()
  const secrets = world.accounts.flatMap(({ simulator }) => simulator.secrets()).filter((secret) => secret.length >= 8)
  const routes = SERVED.filter(({ area }) => AREAS.test(area)).sort((a, b) => turnOf(a) - turnOf(b))
  t.ok(routes.length >= 80)
  const statuses = new Map<number, number>()

  for (const route of routes) {
    const problems: string[] = []
    await fc.assert(
      fc.asyncProperty(requestTo(route, world), async ({ path, query, body }) => {
        const answer = await world.service.call(`${path}?${new URLSearchParams(query)}`, {
          method: route.method,
          signal: AbortSignal.timeout(30_000),
          ...(route.method === 'GET' || body === undefined
            ? {}
            : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
        })
        const text = await answer.text()
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        const wrong = wrongAnswer(answer.status, text)
        if (wrong !== undefined)
          problems.push(`${JSON.stringify({ path, query, body })}: ${wrong}: ${text.slice(0, 300)}`)
        if (secrets.some((secret) => text.includes(secret))) problems.push(`${path} shows a secret`)
      }),
      { numRuns: runsOf(RUNS), endOnFailure: true },
    )
    t.strictSame(problems, [], `${route.method} ${route.path}`)
  }
  t.comment([...statuses].map(([status, count]) => `${status}: ${count}`).join(', '))
  for (const status of [200, 400, 404, 422]) t.ok((statuses.get(status) ?? 0) > 0, `some are answered ${status}`)
  t.strictSame(
    world.service.log.filter((line) => secrets.some((secret) => line.includes(secret))),
    [],
    'no line of the log holds a secret',
  )
})

function turnOf({ path, method }: ContractRoute): number {
  return method === 'DELETE' ? TURNS.length : TURNS.findLastIndex((turn) => turn.test(path))
}

function requestTo({ path, query = [], fields = [] }: ContractRoute, { accounts }: World) {
  const account = accounts.find(({ about }) => path.startsWith(`/api/${about.token}/`))
  const instance = account === undefined ? word : fc.oneof(fc.constantFrom(...account.instances), word)
  const parts = path
    .split('/')
    .map((part) =>
      part.startsWith('{') ? fc.oneof(word, fc.constantFrom('TRACKA', 'mediaB', 'default', '603')) : fc.constant(part),
    )
  return fc.record({
    path: fc
      .tuple(...parts)
      .map((all) =>
        all
          .map((part, index) =>
            path.split('/')[index]?.startsWith('{') === true ? encodeURIComponent(part) || 'x' : part,
          )
          .join('/'),
      ),
    query: fc.record(
      { instance, ...Object.fromEntries(query.filter((name) => name !== 'instance').map((name) => [name, word])) },
      { requiredKeys: [] },
    ),
    body: fc.oneof(
      fc.constant(undefined),
      value,
      fc.record(Object.fromEntries(fields.map((name) => [name, value])), { requiredKeys: [] }),
    ),
  })
}

/** A failure blames the caller or the service behind, never Playhead. */
function wrongAnswer(status: number, text: string): string | undefined {
  if (status >= 500 && !WHAT_UPSTREAMS_DO.has(status)) return `it answered ${status}`
  if (status < 400 || !text.startsWith('{')) return undefined
  const { error, detail, reason } = JSON.parse(text) as { error?: unknown; detail?: unknown; reason?: unknown }
  if (status === 422) {
    const isStated =
      Array.isArray(detail) &&
      detail.every(({ loc, msg, type }) => Array.isArray(loc) && typeof msg === 'string' && typeof type === 'string')
    return isStated ? undefined : 'the validation body is malformed'
  }
  return [error, detail, reason].some((one) => typeof one === 'string') ? undefined : `${status} without a word`
}
