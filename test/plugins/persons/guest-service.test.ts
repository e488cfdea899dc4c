// slow: the whole service
// A guest signs in at Trakt with a link, and attacks on that: tokens in logs, stolen and planted cookies, guesses, other rights.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { expectOk, signInToTrakt, untilTrue } from '../../demo/sign-in.ts'
import { startService } from '../../harness.ts'
import { startTrakt } from '../../upstreams/trakt.ts'

const trakt = await startTrakt({ movies: 2, shows: 0, usernames: ['ada', 'kim'] })
atEndOfFile(() => trakt.close())
const service = await startService({ shipped: true, watch: false })
atEndOfFile(() => service[Symbol.asyncDispose]())
await signInToTrakt(service, trakt)

/** As a browser without a session of Playhead. */
async function ask(path: string, json: object = {}, headers: Record<string, string> = {}) {
  const answer = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(json),
  })
  return { status: answer.status, body: (await answer.json()) as any, cookie: answer.headers.get('set-cookie') ?? '' }
}
const tokenOf = (url: string) => new URL(url).hash.slice(1)
const link = async (name = 'Kim') => {
  const { url, link: made } = await expectOk(service, '/api/sign-in-links', { provider: 'TRACKA', name })
  return { token: tokenOf(url), url, id: made.id }
}
const accounts = async () => (await service.json('/api/provider-instances/TRACKA')).body

t.test('the account of a guest belongs to the guest, and nothing else is shown', async (t) => {
  const { token, url } = await link()
  t.match(url, /^http:\/\/[^/]+\/guest#[\w-]{43}$/)
  const page = await fetch(`${service.url}/guest`)
  t.equal(page.status, 200)
  t.equal(page.headers.get('referrer-policy'), 'same-origin')
  t.notMatch(await page.text(), /Kim|ada|Trakt/)

  const view = await ask('/api/guest/look', { token })
  t.strictSame(Object.keys(view.body).sort(), ['expires_at', 'ok', 'person', 'service'])
  t.match(view.body, { service: 'Trakt', person: 'Kim' })
  const planted = 'A'.repeat(43)
  const started = await ask('/api/guest/start', { token }, { cookie: `playhead_guest=${planted}` })
  t.equal(started.status, 200)
  t.match(started.cookie, /^playhead_guest=[\w-]{43}; Path=\/api\/guest; HttpOnly; SameSite=Strict; Max-Age=3600$/)
  t.notOk(started.cookie.includes(planted), 'a planted secret is not taken over')
  const cookie = started.cookie.split(';')[0]!
  t.equal((await ask('/api/guest/poll', {}, { cookie: `playhead_guest=${planted}` })).status, 404)
  t.equal((await accounts()).filter(({ configured }: any) => configured).length, 1)

  trakt.approve(started.body.code, 'kim')
  await untilTrue('the guest is signed in', async () => {
    const { body } = await ask('/api/guest/poll', {}, { cookie })
    return body.status === 'authorized'
  })
  await service.json('/api/connections?fresh=1')
  const { persons } = (await service.json('/api/persons')).body
  t.match(persons, [{ name: 'Kim', accounts: [{ provider: 'TRACKA', user: 'kim' }] }])

  const secrets = [token, cookie.split('=')[1]!]
  const log = service.log.join('\n')
  for (const secret of secrets) t.notOk(log.includes(secret), 'not in the log')
  const files = await readdir(join(service.directory, 'data'), { recursive: true, withFileTypes: true })
  for (const one of files.filter((file) => file.isFile())) {
    // Temporary files are gone by then.
    const content = await readFile(join(one.parentPath, one.name), 'latin1').catch(() => '')
    for (const secret of secrets) t.notOk(content.includes(secret), one.name)
  }
  for (const path of ['/api/guest/look', '/api/guest/start'])
    t.match(await ask(path, { token }), { status: 404, body: { error: 'link_invalid' } }, 'used')
})

t.test('a guest may do nothing else', async (t) => {
  const { token } = await link()
  const { cookie } = await ask('/api/guest/start', { token })
  const guest = cookie.split(';')[0]!
  const reads = [
    '/api/connections',
    '/api/persons',
    '/api/sign-in-links',
    '/api/config',
    '/api/history',
    '/api/overview',
  ]
  for (const headers of [
    { cookie: guest },
    { cookie: guest.replace('playhead_guest', 'cw_auth') },
    { authorization: `Bearer ${token}` },
    { authorization: `Bearer ${guest.split('=')[1]}` },
  ])
    for (const path of reads) {
      const answer = await fetch(service.url + path, { headers })
      t.equal(answer.status, 401, `${path} ${JSON.stringify(headers).slice(0, 40)}`)
      await answer.arrayBuffer()
    }
  const writes: readonly (readonly [string, object])[] = [
    ['/api/sign-in-links', { provider: 'TRACKA', name: 'Mallory' }],
    ['/api/auth/sign-in/TRACKA/poll', { instance: 'default', method: 'device_code' }],
    ['/api/trackA/pin/new?instance=default', {}],
    ['/api/persons', { name: 'Mallory' }],
  ]
  for (const [path, json] of writes) t.equal((await ask(path, json, { cookie: guest })).status, 401, path)
  for (const json of [
    { token, provider: 'MEDIAB' },
    { token: 7 },
    { token: 'x'.repeat(101) },
    { token, instance: 'default' },
  ])
    t.equal((await ask('/api/guest/start', json, { cookie: guest })).status, 422, JSON.stringify(json).slice(0, 40))
  t.equal((await ask('/api/guest/look', { token: '__proto__' })).status, 404)
  const foreign = await ask(
    '/api/guest/start',
    {},
    { cookie: guest, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
  )
  t.equal(foreign.status, 403, 'no other page can use the cookie')
})

t.test('a revoked link ends its sign-in, and the account is removed', async (t) => {
  const before = await accounts()
  const { token, id } = await link()
  const { cookie, body } = await ask('/api/guest/start', { token })
  t.equal((await accounts()).length, before.length + 1)
  await expectOk(service, `/api/sign-in-links/${id}`, {}, 'DELETE')
  trakt.approve(body.code, 'kim')
  t.equal((await ask('/api/guest/poll', {}, { cookie: cookie.split(';')[0]! })).status, 404)
  t.equal((await ask('/api/guest/start', {}, { cookie: cookie.split(';')[0]! })).status, 404)
  t.strictSame(await accounts(), before)
})

t.test('the sign-in of a person who is removed ends at once', async (t) => {
  const before = await accounts()
  const { token } = await link('Sam')
  const { cookie, body } = await ask('/api/guest/start', { token })
  const { persons } = (await service.json('/api/persons')).body
  const { id } = persons.find(({ name }: { name: string }) => name === 'Sam')
  await expectOk(service, `/api/persons/${id}`, {}, 'DELETE')
  t.strictSame(await accounts(), before)
  trakt.approve(body.code, 'kim')
  t.equal((await ask('/api/guest/poll', {}, { cookie: cookie.split(';')[0]! })).status, 404)
  t.strictSame(
    (await service.json('/api/sign-in-links')).body.links.filter(({ person }: any) => person === id),
    [],
  )
})

t.test('guesses are few', async (t) => {
  const { token } = await link()
  let refused = 0
  for (let round = 0; round < 30; round += 1) {
    const { status } = await ask('/api/guest/look', { token: `${token.slice(0, 40)}${String(round).padStart(3, '0')}` })
    if (status === 429) refused += 1
    else t.equal(status, 404)
  }
  t.ok(refused >= 10, `${refused} of 30 are refused unseen`)
  t.equal((await ask('/api/guest/start', { token })).status, 429, 'also a right one from there')
})
