// Answers by revision: a 304 and a stored body must never be other than what the handler would answer now.
import t from 'tap'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { request as httpRequest } from 'node:http'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { createStoredAnswers } from '../../../core/http/stored-answers.ts'
import { startService, until, type Service } from '../../harness.ts'

const ROUTES = [
  { method: 'GET', path: '/api/shelf' },
  { method: 'GET', path: '/api/shelf/broken' },
  { method: 'GET', path: '/api/shelf/:name' },
  { method: 'POST', path: '/api/shelf/set', scope: 'read' },
]
const source = (mark: string) => `
import { definePlugin, Type } from '@playhead/sdk'
// State of this file, so that each test sets its own.
const state = { revision: 'r1', value: 'first', during: '', hang: 0, calls: 0, asked: 0, store: true, status: 200 }
export default definePlugin({
  routes(app) {
    const revision = () => { state.asked += 1; return state.revision === '' ? null : state.revision }
    const write = async (request, reply) => {
      state.calls += 1
      const { value } = state
      if (state.hang > 0) await new Promise((resolve) => setTimeout(resolve, state.hang))
      if (state.during !== '') Object.assign(state, { revision: state.during, value: state.during, during: '' })
      if (!state.store) reply.header('cache-control', 'no-store')
      if (state.status !== 200) return reply.code(state.status).send({ ok: false, error: 'odd' })
      const { caller, query, params } = request
      return {
        mark: '${mark}', value, calls: state.calls, query, params,
        by: caller.session?.username ?? caller.token?.name ?? null, host: caller.host,
        language: request.headers['accept-language'] ?? null, padding: 'x'.repeat(3_000),
      }
    }
    app.get('/api/shelf', { config: { revision } }, write)
    app.get('/api/shelf/:name', { config: { revision } }, write)
    app.get('/api/shelf/broken', { config: { revision: () => { throw new Error('no revision') } } }, write)
    app.post('/api/shelf/set', {}, async ({ body }) => ({ before: { ...state }, after: Object.assign(state, body) }))
  },
})
`
const plugin = (mark: string) => ({
  manifest: { routes: ROUTES, isolation: 'none' },
  files: { 'index.ts': source(mark) },
})

const service = await startService({ plugins: { shelf: plugin('one') } })
atEndOfFile(() => service[Symbol.asyncDispose]())

const FRESH = { revision: 'r1', value: 'first', during: '', hang: 0, calls: 0, asked: 0, store: true, status: 200 }
const set = async (values: object, of: Service = service) =>
  (await of.json('/api/shelf/set', { json: values })).body as { before: typeof FRESH }
const calls = async () => (await set({})).before.calls
let last = 0
/** State that no other test has used. */
const fresh = (more: object = {}) => set({ ...FRESH, revision: `fresh-${(last += 1)}`, ...more })
const get = (path: string, headers: Record<string, string> = {}, of: Service = service) => of.json(path, { headers })

t.test('an unchanged answer is sent from the store, and needs no body for a client that has it', async (t) => {
  await fresh()
  const first = await get('/api/shelf')
  const second = await get('/api/shelf')
  t.same(second.body, first.body)
  t.equal(second.headers.get('etag'), first.headers.get('etag'))
  t.equal(second.headers.get('content-type'), first.headers.get('content-type'))
  t.match(first.headers.get('cache-control'), 'private, no-cache')
  const tag = String(first.headers.get('etag'))
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const third = await get('/api/shelf', { 'if-none-match': known })
    t.equal(third.status, 304, known)
    t.equal(third.body, null)
    t.equal(third.headers.get('etag'), tag)
  }
  t.equal((await get('/api/shelf', { 'if-none-match': '"other"' })).status, 200)
  t.equal(await calls(), 1)
})

t.test('a change is seen by the next request, with the former tag and without', async (t) => {
  await fresh()
  const { headers } = await get('/api/shelf')
  await set({ revision: 'changed', value: 'second' })
  const again = await get('/api/shelf', { 'if-none-match': String(headers.get('etag')) })
  t.equal(again.status, 200)
  t.equal(again.body.value, 'second')
  t.not(again.headers.get('etag'), headers.get('etag'))
})

t.test('an answer that was made while its data changed has no tag, and is not stored', async (t) => {
  await fresh({ during: 'during' })
  const mixed = await get('/api/shelf')
  t.equal(mixed.body.value, 'first')
  t.equal(mixed.headers.get('etag'), null)
  const next = await get('/api/shelf')
  t.equal(next.body.value, 'during')
  t.equal((await get('/api/shelf')).body.value, 'during')
  t.equal(await calls(), 2)
})

t.test('data that return to an earlier revision get the answer of that revision', async (t) => {
  await fresh()
  const first = await get('/api/shelf')
  await set({ revision: 'elsewhere', value: 'other' })
  t.equal((await get('/api/shelf', { 'if-none-match': String(first.headers.get('etag')) })).body.value, 'other')
  await set({ revision: `fresh-${last}`, value: 'first' })
  t.equal((await get('/api/shelf')).body.value, 'first')
})

t.test('each address, filter and language has an answer of its own', async (t) => {
  await fresh()
  const addresses = [
    '/api/shelf',
    '/api/shelf?profile=one',
    '/api/shelf?profile=two',
    '/api/shelf?profile=one&locale=de',
    '/api/shelf/one',
    '/api/shelf/two',
    '/api/shelf/one?a=1&a=2',
  ]
  const tags = new Set<string>()
  for (let round = 0; round < 2; round += 1) {
    for (const path of addresses) {
      const { body, headers } = await get(path)
      tags.add(String(headers.get('etag')))
      const { searchParams, pathname } = new URL(path, service.url)
      t.equal(body.query.profile, searchParams.get('profile') ?? undefined, path)
      t.equal(body.query.locale, searchParams.get('locale') ?? undefined, path)
      t.equal(body.params.name, pathname.split('/')[3], path)
    }
  }
  t.equal(tags.size, addresses.length)
  t.equal(await calls(), addresses.length)
  for (const language of ['en', 'de', 'en', 'de'])
    t.equal((await get('/api/shelf', { 'accept-language': language })).body.language, language)
  const german = String((await get('/api/shelf', { 'accept-language': 'de' })).headers.get('etag'))
  t.equal((await get('/api/shelf', { 'accept-language': 'en', 'if-none-match': german })).status, 200)
})

t.test('callers with other rights never share an answer, and one without rights gets none', async (t) => {
  await fresh()
  const make = async (name: string, scope: string) =>
    (await service.json('/api/tokens', { json: { name, scope } })).body as { secret: string; token: { id: string } }
  const mine = await get('/api/shelf')
  t.equal(mine.body.by, 'ada')
  const reader = await make('Reader', 'read')
  const admin = await make('Boss', 'admin')
  const key = (one: typeof reader) => ({ cookie: '', authorization: `Bearer ${one.secret}` })
  for (let round = 0; round < 2; round += 1) {
    t.equal((await get('/api/shelf', key(reader))).body.by, 'Reader')
    t.equal((await get('/api/shelf', key(admin))).body.by, 'Boss')
    t.equal((await get('/api/shelf')).body.by, 'ada')
  }
  const tag = String((await get('/api/shelf', key(reader))).headers.get('etag'))
  t.equal((await get('/api/shelf', { ...key(admin), 'if-none-match': tag })).status, 200, 'the tag of another caller')
  const stranger = await get('/api/shelf', { cookie: '', 'if-none-match': '*' })
  t.equal(stranger.status, 401)
  t.equal(stranger.headers.get('etag'), null)
  t.equal((await service.call(`/api/tokens/${reader.token.id}`, { method: 'DELETE' })).status, 200)
  t.equal((await get('/api/shelf', { ...key(reader), 'if-none-match': tag })).status, 401, 'its token was revoked')
})

t.test('an answer names the address by which its own client came', async (t) => {
  await fresh()
  const { port } = new URL(service.url)
  const ask = (host: string) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const request = httpRequest(
        { host: '127.0.0.1', port, path: '/api/shelf', headers: { host, cookie: service.cookie() } },
        (answer) => {
          const parts: Buffer[] = []
          answer.on('data', (part: Buffer) => parts.push(part))
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(parts).toString() }))
        },
      )
      request.on('error', reject)
      request.end()
    })
  for (const host of ['127.0.0.1:1', 'localhost:2', '127.0.0.1:1'])
    t.equal(JSON.parse((await ask(host)).body).host, host)
})

t.test('what is refused, failed or not to be stored has no tag and is asked for again', async (t) => {
  await fresh({ status: 409 })
  t.equal((await get('/api/shelf')).headers.get('etag'), null)
  await set({ status: 200 })
  t.equal((await get('/api/shelf')).status, 200)
  await fresh({ status: 409 })
  t.equal((await get('/api/shelf', { 'if-none-match': '*' })).status, 409, 'a refusal is no answer')
  await fresh({ store: false })
  const first = await get('/api/shelf')
  t.equal(first.headers.get('etag'), null)
  t.equal(first.headers.get('cache-control'), 'no-store')
  t.equal((await get('/api/shelf')).body.calls, first.body.calls + 1)
  await fresh({ revision: '' })
  const third = await get('/api/shelf', { 'if-none-match': '*' })
  t.equal(third.status, 200, 'without a revision')
  t.equal(third.headers.get('etag'), null)
  t.equal((await get('/api/shelf')).body.calls, third.body.calls + 1)
  const broken = await get('/api/shelf/broken')
  t.equal(broken.status, 500)
  t.equal(broken.headers.get('etag'), null)
})

t.test('clients with and without compression get the same content', async (t) => {
  await fresh()
  const { port } = new URL(service.url)
  const ask = (encoding: string) =>
    new Promise<{ encoding: string | undefined; vary: string | undefined; body: unknown }>((resolve, reject) => {
      const request = httpRequest(
        { port, path: '/api/shelf', headers: { 'accept-encoding': encoding, cookie: service.cookie() } },
        (answer) => {
          const parts: Buffer[] = []
          answer.on('data', (part: Buffer) => parts.push(part))
          answer.on('end', () => {
            const bytes = Buffer.concat(parts)
            const packed = answer.headers['content-encoding']
            t.equal(Number(answer.headers['content-length']), bytes.length)
            const text = (packed === 'gzip' ? gunzipSync(bytes) : bytes).toString()
            resolve({ encoding: packed, vary: answer.headers.vary, body: JSON.parse(text) })
          })
        },
      )
      request.on('error', reject)
      request.end()
    })
  const [plain, packed] = [await ask('identity'), await ask('gzip')]
  for (let round = 0; round < 2; round += 1) {
    t.match(await ask('gzip'), { encoding: 'gzip', vary: 'accept-encoding', body: packed.body as object })
    t.match(await ask('identity'), { encoding: undefined, body: plain.body as object })
    t.equal((await ask('gzip;q=0')).encoding, undefined)
  }
  t.equal(await calls(), 2, 'once for each form')
})

t.test('requests at the same time make one answer, and the next ones do not wait for a client that left', async (t) => {
  await fresh({ hang: 300 })
  const together = await Promise.all(Array.from({ length: 8 }, () => get('/api/shelf')))
  t.equal(new Set(together.map(({ body }) => body.calls)).size, 1)
  t.equal(await calls(), 1)
  await fresh({ hang: 500 })
  const left = new AbortController()
  const gone = service.call('/api/shelf', { signal: left.signal }).catch(() => 'gone')
  await until('the first request has begun', async () => (await calls()) === 1)
  const second = get('/api/shelf')
  left.abort()
  t.equal(await gone, 'gone')
  t.equal((await second).status, 200)
})

t.test('a new version of the plugin with the same revision answers itself', async (t) => {
  await fresh()
  const before = await get('/api/shelf')
  t.equal(before.body.mark, 'one')
  await service.write('shelf', 'index.ts', source('two'))
  await until('it is reloaded', async () => (await get('/api/shelf')).body.mark === 'two')
  await set({ ...FRESH, revision: `fresh-${last}` })
  const after = await get('/api/shelf', { 'if-none-match': String(before.headers.get('etag')) })
  t.equal(after.status, 200)
  t.equal(after.body.mark, 'two')
})

t.test('after a restart, also with restored data, a tag of before is not known', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-stored-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  let tag = ''
  let cookie = ''
  for (const round of [1, 2]) {
    await using own = await startService({
      directory,
      plugins: { shelf: plugin(`start ${round}`) },
      ...(round === 1 ? {} : { withoutAccount: true }),
    })
    if (round === 1) cookie = own.cookie()
    else own.setCookie(cookie)
    const { status, body, headers } = await get('/api/shelf', tag === '' ? {} : { 'if-none-match': tag }, own)
    t.equal(status, 200)
    t.equal(body.mark, `start ${round}`)
    tag = String(headers.get('etag'))
  }
})

t.test('a plugin on a thread of its own has tags as well', async (t) => {
  await using own = await startService({
    plugins: { shelf: { ...plugin('thread'), manifest: { routes: ROUTES, isolation: 'thread' } } },
    watch: false,
  })
  await until('it runs', async () => (await get('/api/shelf', {}, own)).status === 200)
  const tag = String((await get('/api/shelf', {}, own)).headers.get('etag'))
  t.equal((await get('/api/shelf', { 'if-none-match': tag }, own)).status, 304)
  await set({ revision: 'next', value: 'next' }, own)
  const next = await get('/api/shelf', { 'if-none-match': tag }, own)
  t.equal(next.status, 200)
  t.equal(next.body.value, 'next')
})

t.test('stored answers are bounded by their bytes', (t) => {
  const store = createStoredAnswers({ maxBytes: 10_000 })
  const answer = (size: number) => ({ tag: 't', body: Buffer.alloc(size), headers: {} })
  for (let index = 0; index < 100; index += 1) store.set(`slot-${index}`, answer(1_000))
  t.ok(store.bytes() <= 10_000)
  t.ok(store.bytes() > 5_000)
  t.ok(store.get('slot-99'))
  t.notOk(store.get('slot-0'))
  store.set('slot-99', answer(9_000_000))
  t.notOk(store.get('slot-99'), 'neither the large answer nor the one that it replaces')
  t.end()
})
