// Connections to a service: their options, the meaning of statuses, and bodies that break off.
import t from 'tap'
import { PlayheadError, Type } from '@playhead/sdk'
import { rateLimits, readWhole, serviceOptions, withMeanings } from '@playhead/sdk/provider'
import { startServer } from '@playhead/sdk/testing'
import { acmePlugin, startAcme } from './support.ts'

const Body = Type.Object({ ok: Type.Boolean() })

async function open(url: string) {
  const acme = await startAcme(acmePlugin(), { config: { server: url, access_token: 'a' } })
  const upstream = (await acme.kit()).account('default').upstream({ baseUrl: url, tries: 1 })
  return { acme, upstream }
}

t.test('a status with a meaning throws it, with the headers and the text, unless the request accepts it', async (t) => {
  await using service = await startServer(() => ({
    status: 426,
    headers: { 'x-plan': 'vip' },
    body: 'Only for a few.',
  }))
  const { acme, upstream } = await open(service.url)
  await using _acme = acme
  const api = withMeanings(upstream, {
    426: ({ headers }, text) =>
      new PlayheadError('PLH_UNSUPPORTED', 'No.', { details: { plan: headers['x-plan'], letters: text.length } }),
  })
  const expected = { code: 'PLH_UNSUPPORTED', details: { plan: 'vip', letters: 15 } }
  await t.rejects(api.request({ path: 'lists' }), expected)
  await t.rejects(api.json({ path: 'lists' }, Body), expected)
  t.equal(service.requests.length, 2, 'it is not sent again')
  const answer = await api.request({ path: 'lists', accept: [426] })
  t.equal(await answer.text(), 'Only for a few.')
})

t.test('a body that breaks off is read again where the request is safe, and three times at most', async (t) => {
  let broken = 1
  await using service = await startServer((_request, response) => {
    if (broken-- <= 0) return { json: { ok: true } }
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
    response.write('{"ok":')
    setTimeout(() => response.destroy(), 10)
    return undefined
  })
  const { acme, upstream } = await open(service.url)
  await using _acme = acme
  const read = (more: object) =>
    readWhole(upstream, { path: 'lists', ...more }, async (answer) => [answer.status, await answer.json(Body)])
  t.strictSame(await read({}), [200, { ok: true }])
  t.equal(service.requests.length, 2)
  broken = 1
  await t.rejects(read({ method: 'POST' }), { code: 'PLH_UPSTREAM' })
  t.equal(service.requests.length, 3)
  broken = 1
  t.strictSame(await read({ method: 'POST', idempotent: true }), [200, { ok: true }])
  broken = 9
  await t.rejects(read({}), { code: 'PLH_UPSTREAM' })
  t.equal(service.requests.length, 8)
})

t.test('options and limits come from the usual settings', async (t) => {
  const ctx = { host: { version: '1.2.3' } } as Parameters<typeof serviceOptions>[0]['ctx']
  t.strictSame(serviceOptions({ profile: { timeout: 10, max_retries: 2 }, ctx }), {
    answerMs: 10_000,
    timeoutMs: 30_000,
    tries: 3,
    headers: { 'user-agent': 'Playhead/1.2.3' },
  })
  t.strictSame(rateLimits({ get_per_sec: 2, post_per_sec: 1 }), { readsPerSecond: 2, writesPerSecond: 1 })
  t.strictSame(rateLimits({ get_per_sec: 0, post_per_sec: 0 }), { writesPerSecond: 1_000 })
})
