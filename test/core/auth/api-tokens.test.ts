// API tokens over HTTP: storage, display, scopes and expiry.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { redactPatterns } from '../../../core/events/secret-patterns.ts'
import { createHarness, openHarness, PASSWORD, temporaryDirectory, type Harness } from './harness.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const CROSS = { 'sec-fetch-site': 'cross-site' }
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
const WRONG = `plh_${'A'.repeat(43)}`

async function make(harness: Harness, cookie: string, body: object): Promise<{ secret: string; id: string }> {
  const answer = await harness.call('/api/tokens', { cookie, json: body })
  if (answer.status !== 200) throw new Error(answer.text)
  return { secret: String(answer.body['secret']), id: (answer.body['token'] as { id: string }).id }
}

t.test('a token is shown once, and is neither stored, listed, logged nor in events', async (t) => {
  const harness = await openHarness(t)
  const cookie = await harness.setUp()
  const { secret, id } = await make(harness, cookie, { name: 'Home Assistant', scope: 'run', expires_in_days: 90 })
  t.match(secret, /^plh_[A-Za-z0-9_-]{43}$/)

  t.equal((await harness.call('/api/protected', { headers: bearer(secret) })).status, 200)
  const list = await harness.call('/api/tokens', { cookie })
  t.match(list.body['tokens'], [
    {
      ...{ id, name: 'Home Assistant', scope: 'run', created_by: 'ada', expired: false },
      ...{ last_used_at: Number, last_used_from: '127.0.0.1', expires_at: Number },
    },
  ])
  await harness.tokens.close()
  const places = { list: list.text, log: JSON.stringify(harness.lines), events: JSON.stringify(harness.events) }
  for (const [place, text] of Object.entries(places)) t.notMatch(text, secret, place)
  for (const file of readdirSync(harness.directory))
    t.notOk(readFileSync(join(harness.directory, file)).includes(secret), `not in ${file}`)
  t.match(
    harness.events.filter(({ name }) => name === 'auth.token_created').map(({ data }) => data),
    [{ id, name: 'Home Assistant', scope: 'run', by: 'ada' }],
  )
})

t.test('text that looks like a token is redacted in every log', async (t) => {
  t.equal(redactPatterns(`GET /x?a=${WRONG} and ${WRONG}.`), 'GET /x?a=[redacted] and [redacted].')
})

t.test('each scope includes the lower ones, and a refusal names the missing scope', async (t) => {
  const harness = await openHarness(t)
  const cookie = await harness.setUp()
  const rows = [
    ['GET', '/api/protected', 'read'],
    ['POST', '/api/run-something', 'run'],
    ['GET', '/api/run-something', 'run'],
    ['POST', '/api/protected', 'write'],
    ['GET', '/api/effects', 'write'],
    ['DELETE', '/api/protected', 'write'],
    ['GET', '/api/secrets', 'admin'],
    ['GET', '/scrape', 'read'],
    ['GET', '/scrape/closed', 'read'],
    ['GET', '/page', 'read'],
  ] as const
  const ladder = ['read', 'run', 'write', 'admin'] as const
  for (const [index, scope] of ladder.entries()) {
    const { secret } = await make(harness, cookie, { name: scope, scope })
    for (const [method, url, needed] of rows) {
      const answer = await harness.call(url, { method, headers: bearer(secret) })
      const name = `${scope}: ${method} ${url}`
      if (index >= ladder.indexOf(needed)) t.equal(answer.status, 200, name)
      else {
        t.equal(answer.status, 403, name)
        t.match(answer.body, { ok: false, error: 'insufficient_scope', needed_scope: needed, scope }, name)
        t.match(answer.body['detail'], `needs an API token with the scope "${needed}"; "${scope}" has "${scope}"`)
        t.equal(answer.headers['www-authenticate'], `Bearer error="insufficient_scope", scope="${needed}"`)
      }
    }
    t.match(await harness.call('/api/personal', { headers: bearer(secret) }), {
      status: 403,
      body: { error: 'session_required' },
    })
    t.match(
      await harness.call('/api/app-auth/credentials', {
        headers: bearer(secret),
        json: { enabled: false, current_password: PASSWORD },
      }),
      { status: 403, body: { error: 'session_required' } },
      'the account is for people',
    )
  }
})

t.test('the origin matters for cookies only, and a token decides alone', async (t) => {
  const harness = await openHarness(t)
  const cookie = await harness.setUp()
  const { secret, id } = await make(harness, cookie, { name: 'script', scope: 'write' })
  const post = (headers: Record<string, string>, withCookie?: string) =>
    harness.call('/api/protected', { method: 'POST', headers, cookie: withCookie })

  t.equal((await post({ ...bearer(secret), ...CROSS })).status, 200)
  t.equal((await post({ ...bearer(secret), origin: 'https://elsewhere.example' })).status, 200)
  t.equal((await post(CROSS, cookie)).status, 403, 'a cookie is checked')
  t.equal((await post({ ...bearer(secret), ...CROSS }, cookie)).status, 200)
  t.match((await harness.call('/api/protected', { headers: bearer(secret), cookie })).body['caller'], {
    session: null,
    token: { id, name: 'script', scope: 'write' },
  })
  t.match(await post(bearer(WRONG), cookie), { status: 401, body: { error: 'invalid_token' } }, 'also a wrong one')
  t.equal(
    (await harness.call(`/api/protected?token=${secret}&access_token=${secret}`)).status,
    401,
    'never from an address',
  )
})

t.test('revoked and expired tokens are refused at once, with a reason', async (t) => {
  const harness = await openHarness(t)
  const cookie = await harness.setUp()
  const ended: string[] = []
  harness.tokens.onEnded((id) => void ended.push(id))
  const first = await make(harness, cookie, { name: 'first', scope: 'read' })
  const short = await make(harness, cookie, { name: 'short', scope: 'read', expires_in_days: 1 })
  const status = async ({ secret }: { secret: string }) =>
    (await harness.call('/api/protected', { headers: bearer(secret), from: '10.0.0.9' })).status

  t.same([await status(first), await status(short)], [200, 200])
  t.equal((await harness.call(`/api/tokens/${first.id}`, { method: 'DELETE', cookie })).status, 200)
  t.equal(await status(first), 401)
  t.same(ended, [first.id])
  t.match(await harness.call(`/api/tokens/${first.id}`, { method: 'DELETE', cookie }), {
    status: 404,
    body: { error: 'token_not_found' },
  })

  harness.clock.advance(DAY)
  const refused = await harness.call('/api/protected', { headers: bearer(short.secret), from: '10.0.0.8' })
  t.match(refused, { status: 401, body: { error: 'token_expired' }, headers: { 'x-auth-required': 'token' } })
  harness.tokens.prune()
  harness.tokens.prune()
  t.same(ended, [first.id, short.id], 'the end is told once')
})

t.test('a token creates no token with more rights or a longer life', async (t) => {
  const harness = await openHarness(t)
  const cookie = await harness.setUp()
  const write = await make(harness, cookie, { name: 'write', scope: 'write' })
  const admin = await make(harness, cookie, { name: 'admin', scope: 'admin', expires_in_days: 30 })
  const by = ({ secret }: { secret: string }, json: object) =>
    harness.call('/api/tokens', { headers: bearer(secret), json })

  t.match(await by(write, { name: 'x', scope: 'read' }), { status: 403, body: { error: 'insufficient_scope' } })
  t.match(await by(admin, { name: 'x', scope: 'admin' }), { status: 403, body: { error: 'token_outlives_its_maker' } })
  t.match(await by(admin, { name: 'x', scope: 'read', expires_in_days: 31 }), {
    status: 403,
    body: { error: 'token_outlives_its_maker' },
  })
  t.match(await by(admin, { name: 'child', scope: 'admin', expires_in_days: 30 }), {
    status: 200,
    body: { token: { created_by: 'token admin' } },
  })
  await t.rejects(
    harness.tokens.create({
      name: 'more',
      scope: 'admin',
      expiresInDays: null,
      by: { name: 'token write', token: { id: write.id, name: 'write', scope: 'write' } },
    }),
    { code: 'PLH_FORBIDDEN' },
    'also if the route asked for less',
  )
})

t.test('malformed token requests are refused with a reason', async (t) => {
  const harness = await openHarness(t)
  const cookie = await harness.setUp()
  const post = (json: object) => harness.call('/api/tokens', { cookie, json })
  for (const wrong of [{ name: 'x' }, { name: 'x', scope: 'root' }, { name: 'x', scope: 'read', expires_in_days: 0 }])
    t.match(await post(wrong), { status: 422, body: { detail: [{ loc: ['body'] }] } })
  for (const name of ['', '  ', 'a\nb', 'x'.repeat(65)])
    t.match(await post({ name, scope: 'read' }), { status: 400, body: { error: 'invalid_token_name' } })
  await post({ name: 'Dashboard', scope: 'read' })
  t.match(await post({ name: 'dashboard', scope: 'read' }), { status: 409, body: { error: 'token_name_taken' } })
  t.equal((harness.tokens.list() as unknown[]).length, 1)
})

t.test('wrong tokens are slowed down like wrong passwords, without affecting valid tokens and passwords', async (t) => {
  const harness = await openHarness(t)
  const cookie = await harness.setUp()
  const { secret } = await make(harness, cookie, { name: 'ok', scope: 'read' })
  const send = (text: string, from = '10.0.0.7') => harness.call('/api/protected', { headers: bearer(text), from })

  t.match(await send(WRONG), { status: 401, body: { error: 'invalid_token' } })
  t.equal((await send(WRONG)).status, 401)
  t.match(await send(WRONG), { status: 429, body: { error: 'too_many_wrong_tokens', retry_after: 60 } })
  const blocked = await send(WRONG)
  t.match(blocked, { status: 429, headers: { 'retry-after': '60' } })
  t.equal((await send(secret)).status, 200, 'a right one of the same address')
  t.equal((await send(WRONG, '10.0.0.6')).status, 401, 'another address')
  t.equal((await harness.login({}, { from: '10.0.0.7' })).status, 200, 'the owner signs in from there')
  harness.clock.advance(MINUTE)
  t.equal((await send(WRONG)).status, 429, 'the fourth wrong one locks again')
  t.same(
    harness.events.filter(({ name }) => name === 'auth.token_blocked').map(({ data }) => data['address']),
    ['10.0.0.7'],
    'one event for a lock',
  )
  t.notMatch(JSON.stringify([harness.events, harness.lines]), WRONG)
})

t.test('guessing a token that a plugin checks is slowed down, and the valid one waits too', async (t) => {
  const harness = await openHarness(t)
  await harness.setUp()
  const send = async (text: string) => (await harness.call('/scrape', { headers: bearer(text) })).status
  t.same([await send('wrong-1'), await send('wrong-2'), await send('wrong-3')], [401, 401, 429])
  t.equal(await send('the-right-token'), 429)
  harness.clock.advance(MINUTE)
  t.equal(await send('the-right-token'), 200)
})

t.test(
  'a flood of tokens that are slow to check waits in a bounded queue, and the rest gets a retry time',
  async (t) => {
    const harness = await openHarness(t)
    await harness.setUp()
    const { promise: checked, resolve: check } = Promise.withResolvers<boolean>()
    const flood = Array.from({ length: 1_000 }, (_, n) =>
      harness.auth.wrongToken(`10.${n >> 8}.${n & 255}.1`, () => checked),
    )
    const later = (await Promise.all(flood.slice(300))).filter(({ kind }) => kind === 'blocked')
    t.equal(later.length, 700)
    t.match(later[0], { retryAfterS: 5 })
    check(true)
    t.ok((await Promise.all(flood.slice(0, 250))).every(({ kind }) => kind === 'accepted'))
  },
)

t.test('the last use is stored from time to time, not with every request', async (t) => {
  const harness = await openHarness(t)
  const cookie = await harness.setUp()
  const { secret } = await make(harness, cookie, { name: 'busy', scope: 'read' })
  const stored = async () => {
    const rows = await (harness.database.db as any).selectFrom('core__api_tokens').selectAll().execute()
    return rows[0].last_used_at_ms as number | null
  }
  const use = () => harness.call('/api/protected', { headers: bearer(secret) })
  await use()
  await harness.tokens.create({ name: 'waits for the write', scope: 'read', expiresInDays: null, by: { name: 'ada' } })
  const first = await stored()
  t.equal(first, harness.clock.now())
  for (let each = 0; each < 50; each++) {
    harness.clock.advance(5_000)
    await use()
  }
  t.equal(await stored(), first, '50 requests within five minutes write nothing')
  t.equal((harness.tokens.list().find(({ name }) => name === 'busy') as any).lastUsedAtMs, harness.clock.now())
  await harness.tokens.close()
  t.equal(await stored(), harness.clock.now(), 'an orderly end writes it')
})

t.test('tokens survive a restart and a new password, and are revoked by an account reset', async (t) => {
  const directory = temporaryDirectory(t)
  const first = await createHarness(directory)
  await first.auth.start()
  const cookie = await first.setUp()
  const { secret } = await make(first, cookie, { name: 'kept', scope: 'read' })
  const changed = await first.call('/api/app-auth/credentials', {
    cookie,
    json: { enabled: true, username: 'ada', password: 'another long password', current_password: PASSWORD },
  })
  t.equal(changed.status, 200)
  await first.close()

  const second = await createHarness(directory)
  await second.auth.start()
  t.equal((await second.call('/api/protected', { headers: bearer(secret) })).status, 200)
  await second.close()

  const third = await createHarness(directory, { environment: { authReset: 'now' } })
  await third.auth.start()
  t.equal((await third.call('/api/protected', { headers: bearer(secret) })).status, 403)
  t.same(third.tokens.list(), [])
  await third.setUp()
  t.equal((await third.call('/api/protected', { headers: bearer(secret) })).status, 401)
  await third.close()
})

t.test('without authentication every request passes, and no token is checked', async (t) => {
  const harness = await openHarness(t)
  const cookie = await harness.setUp()
  await harness.call('/api/app-auth/credentials', { cookie, json: { enabled: false, current_password: PASSWORD } })
  t.equal((await harness.call('/api/protected', { headers: bearer(WRONG) })).status, 200)
})
