// A web page instead of an API response: a bot check says nothing about the credential.
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { Type } from '@playhead/sdk'
import type { PlayheadError } from '@playhead/sdk'
import { healthOfError, outcomeOfError } from '@playhead/sdk/provider'
import { type Reply, startServer } from '../../../sdk/testing/server.ts'
import { createClient, failureOf } from './support.ts'

const CHECK = '<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Enable JavaScript</body></html>'
const html = { 'content-type': 'text/html; charset=UTF-8' }

const PAGES: readonly (readonly [name: string, reply: Reply])[] = [
  ['401 with a page', { status: 401, headers: html, body: CHECK }],
  ['403 with a page', { status: 403, headers: html, body: CHECK }],
  ['503 with a page', { status: 503, headers: html, body: CHECK }],
  [
    '403 with a page behind a comment',
    { status: 403, headers: html, body: `\uFEFF\n<!-- ${'x'.repeat(40)} -->\n${CHECK}` },
  ],
  ['403 with a page of no type', { status: 403, body: '<html><body>error code: 1020</body></html>' }],
  ['403 with a packed page', { status: 403, headers: { ...html, 'content-encoding': 'gzip' }, body: gzipSync(CHECK) }],
  ['403 with a large page', { status: 403, headers: html, body: `<html>${'<p>no</p>'.repeat(60_000)}</html>` }],
  ['403 with the mark of a challenge', { status: 403, headers: { 'cf-mitigated': 'challenge' }, body: '{}' }],
]

for (const [name, reply] of PAGES) {
  t.test(`${name} is "blocked", accepted or not, and never a wrong sign-in`, async (t) => {
    await using server = await startServer(() => reply)
    await using client = createClient()
    let refreshes = 0
    const account = client.upstream.account({
      account: 'A@default',
      baseUrl: server.url,
      tries: 1,
      credential: {
        secrets: () => ({ token: 'a-token' }),
        place: [{ in: 'header', name: 'authorization', template: 'Bearer {token}' }],
        refresh: async () => void (refreshes += 1),
      },
    })

    for (const accept of [[], [400, 401, 403, 503]]) {
      for (const method of ['GET', 'POST'] as const) {
        const error = (await failureOf(account.request({ method, path: '', accept }))) as PlayheadError
        t.match(error, { details: { account: 'A@default', reason: 'blocked' } }, method)
        t.match(healthOfError(error, 'Trakt'), { status: 'down', reasonCode: 'blocked', reason: /^Trakt is blocking / })
        t.not(outcomeOfError(error)?.outcome, 'rejected', 'it may be tried again')
        t.notOk([401, 403].includes(Number(error.details?.['status'])), 'the status is not taken for a refusal')
        t.notMatch(error.message, /moment|1020/, 'texts of others are never passed on')
      }
    }
    t.equal(refreshes, 0, 'nothing is refreshed')
  })
}

t.test('a response that is no web page keeps its meaning', async (t) => {
  let reply: Reply = {}
  await using server = await startServer(() => reply)
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url, tries: 1 })
  const codeOf = async (next: Reply) => {
    reply = next
    const { code, details } = (await failureOf(account.request({ path: '' }))) as PlayheadError
    return [code, details?.['status'], details?.['reason']]
  }

  t.same(await codeOf({ status: 401, body: '{}' }), ['PLH_AUTH_FAILED', 401, undefined])
  t.same(await codeOf({ status: 401, headers: html, body: 'Access token is invalid or expired.' }), [
    'PLH_AUTH_FAILED',
    401,
    undefined,
  ])
  t.same(await codeOf({ status: 403, headers: html, body: '' }), ['PLH_UPSTREAM', 403, undefined])
  t.same(await codeOf({ status: 404, headers: html, body: CHECK }), ['PLH_NOT_FOUND', 404, undefined])
  t.same(await codeOf({ status: 502, headers: html, body: CHECK }), ['PLH_UPSTREAM', 502, undefined])
  t.same(await codeOf({ status: 503, headers: { ...html, 'retry-after': '5' }, body: CHECK }), [
    'PLH_UPSTREAM',
    503,
    undefined,
  ])

  reply = { headers: html, body: CHECK }
  const parsed = (await failureOf(account.json({ path: '' }, Type.Object({})))) as PlayheadError
  t.match(parsed, { code: 'PLH_UPSTREAM_INVALID', details: { reason: 'blocked' } }, 'a page with a success')
  t.match(healthOfError(parsed, 'Trakt'), { status: 'down', reasonCode: 'blocked' })
  t.match(outcomeOfError(parsed), { outcome: 'unknown' }, 'what a write with it did is not known')

  reply = { headers: html, body: 'ok' }
  t.equal(await (await account.request({ path: '' })).text(), 'ok', 'text that is called HTML')
  reply = { headers: html, body: CHECK }
  t.equal(
    await (await account.request({ path: '', headers: { accept: 'text/html' } })).text(),
    CHECK,
    'a page that was asked for',
  )
})

t.test('an accepted body that was inspected is complete, read at once or as a stream', async (t) => {
  const body = `"${'ä'.repeat(300_000)}"`
  await using server = await startServer(() => ({ status: 403, headers: html, body }))
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url, tries: 1 })
  t.ok((await (await account.request({ path: '', accept: [403] })).text()) === body)
  const stream = (await account.request({ path: '', accept: [403] })).stream()
  const chunks: Buffer[] = []
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer)
    await new Promise((resolve) => setImmediate(resolve))
  }
  t.ok(Buffer.concat(chunks).toString() === body)
})

t.test('a server that refuses with its own page is believed, unless it is a browser check', async (t) => {
  let body = '<html><head><title>Unauthorized</title></head><body><h1>401 Unauthorized</h1></body></html>'
  await using server = await startServer(() => ({ status: 401, headers: html, body }))
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url, tries: 1, ownPages: [401] })
  t.match(await failureOf(account.request({ path: '' })), { code: 'PLH_AUTH_FAILED', details: { status: 401 } })
  body = '<html><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script></html>'
  t.match(await failureOf(account.request({ path: '' })), { details: { reason: 'blocked' } })
})
