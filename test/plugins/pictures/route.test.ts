// The picture route over accounts in memory: the account that is used, caching, and failures of an account that neither show
// nor slow a page.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Picture, type PictureRequest, PlayheadError } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import plugin from '../../../plugins/services/pictures/index.ts'
import { createQueue } from '../../../plugins/services/pictures/queue.ts'
import { createStore, migrations } from '../../../plugins/services/pictures/store.ts'
import { paint } from '../../upstreams/base/paint.ts'

const manifest = new URL('../../../plugins/services/pictures/plugin.json', import.meta.url)

type Answer = (request: PictureRequest, signal: AbortSignal) => Promise<Picture | null> | Picture | null

interface FakeAccount {
  readonly provider: string
  readonly instance: string
  fingerprint: string
  configured: boolean
  answer: Answer
}

const picture = (name: string): Picture => ({ bytes: paint(name, 20, 30), type: 'image/png' })
const account = (provider: string, answer: Answer, instance = 'default'): FakeAccount => ({
  provider,
  instance,
  answer,
  fingerprint: 'f1',
  configured: true,
})

async function open(accounts: FakeAccount[], metadata?: Answer) {
  const asked: string[] = []
  const providers = [...new Set(accounts.map(({ provider }) => provider))]
  const host = await createTestHost({
    plugin,
    manifest,
    capabilities: {
      accounts: {
        providers: async () => [...providers.map((id) => ({ id, pictures: true })), { id: 'TRACKER' }],
        list: async () => accounts.map((one) => ({ ...one, uid: `uid ${one.provider} ${one.instance}` })),
      },
      ...Object.fromEntries(
        providers.map((provider) => [
          `provider:${provider}`,
          {
            picture: async (instance: string, request: PictureRequest, signal: AbortSignal) => {
              asked.push(`${provider}@${instance}`)
              return accounts
                .find((one) => one.provider === provider && one.instance === instance)!
                .answer(request, signal)
            },
          },
        ]),
      ),
      ...(metadata === undefined ? {} : { metadata: { ready: () => true, picture: metadata } }),
    },
  })
  return {
    host,
    asked: () => asked.splice(0),
    get: (path: string, headers: Record<string, string> = {}) => host.inject({ method: 'GET', url: path, headers }),
    [Symbol.asyncDispose]: () => host.close(),
  }
}

const HEAT = '/api/pictures/movie?tmdb=949&imdb=tt0113277'

t.test('a picture is loaded once, and comes from disk after a restart', async (t) => {
  await using world = await open([account('A', () => null), account('B', () => picture('heat'))])
  const first = await world.get(HEAT)
  t.match(first, {
    statusCode: 200,
    headers: { 'content-type': 'image/png', 'cache-control': /^private, max-age=86400/ },
  })
  t.ok(first.rawPayload.equals(picture('heat').bytes as Buffer))
  t.same(world.asked(), ['A@default', 'B@default'])
  await world.host.reload()
  const second = await world.get('/api/pictures/movie?imdb=tt0113277&tmdb=0949')
  t.ok(second.rawPayload.equals(first.rawPayload), 'the order and the form of ids do not matter')
  t.equal((await world.get(HEAT, { 'if-none-match': String(first.headers['etag']) })).statusCode, 304)
  t.same(world.asked(), [], 'that the first account has none is kept as well')
})

t.test('invalid requests are refused before any service is called', async (t) => {
  await using world = await open([account('A', () => picture('x'))])
  for (const [path, status] of [
    ['person?tmdb=5', 422],
    ['movie', 400],
    ['movie?tmdb=', 400],
    ['movie?tmdb=0', 400],
    ['movie?tmdb=12-abc', 400],
    ['movie?tmdb=..%2F..%2Fetc', 400],
    ['movie?url=http%3A%2F%2F169.254.169.254%2F', 400],
    ['movie?tmdb=5&width=5000', 422],
    ['movie?tmdb=5&art=logo', 422],
    [`movie?tmdb=${'1'.repeat(100)}`, 422],
    ['..%2f..%2fetc?tmdb=5', 422],
  ] as const)
    t.equal((await world.get(`/api/pictures/${path}`)).statusCode, status, path)
  t.same(world.asked(), [])
})

t.test('if no service has one: no content, and no service is called again for hours', async (t) => {
  await using world = await open([account('A', () => null)])
  const answer = await world.get(HEAT)
  t.match(answer, { statusCode: 204, headers: { 'cache-control': 'private, max-age=600' }, body: '' })
  await world.get(HEAT)
  t.same(world.asked(), ['A@default'])
})

t.test('the metadata service is called when no server has it', async (t) => {
  await using world = await open([account('A', () => null)], () => picture('tmdb'))
  t.ok((await world.get(HEAT)).rawPayload.equals(picture('tmdb').bytes as Buffer))
})

for (const [name, error] of [
  ['cannot be reached', new PlayheadError('PLH_UPSTREAM', 'no')],
  ['is too slow', new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'no')],
  ['refuses the token', new PlayheadError('PLH_AUTH_FAILED', 'no')],
  ['asks to wait', new PlayheadError('PLH_RATE_LIMITED', 'no')],
] as const) {
  t.test(`a server that ${name} is skipped for a minute, and others answer`, async (t) => {
    await using world = await open([
      account('A', () => {
        throw error
      }),
      account('B', ({ ids }) => (ids.tmdb === '949' ? picture('heat') : null)),
    ])
    t.equal((await world.get(HEAT)).statusCode, 200)
    t.match(await world.get('/api/pictures/movie?tmdb=1'), {
      statusCode: 204,
      headers: { 'cache-control': 'no-store' },
    })
    t.same(world.asked(), ['A@default', 'B@default', 'B@default'])
  })
}

t.test('a response that is no picture counts as none, and is not requested again', async (t) => {
  await using world = await open([
    account('A', ({ ids }) => {
      if (ids.tmdb === '949') throw new PlayheadError('PLH_UPSTREAM_INVALID', 'a page')
      return picture('other')
    }),
  ])
  t.equal((await world.get(HEAT)).statusCode, 204)
  t.equal((await world.get('/api/pictures/movie?tmdb=1')).statusCode, 200, 'others of that server are shown')
  t.equal((await world.get(HEAT)).statusCode, 204)
  t.equal(world.asked().length, 2)
})

t.test('pictures of an account that signed out, or was replaced, are not shown', async (t) => {
  const own = account('A', () => picture('mine'))
  await using world = await open([own])
  t.equal((await world.get(HEAT)).statusCode, 200)
  own.fingerprint = 'f2'
  own.answer = () => null
  await world.host.reload()
  t.equal((await world.get(HEAT)).statusCode, 204, 'another person signed in')
  own.configured = false
  own.fingerprint = 'f1'
  await world.host.reload()
  t.equal((await world.get(HEAT)).statusCode, 204, 'no account is signed in')
})

t.test('a hundred pages that want one picture load it once; one that is no longer wanted is cancelled', async (t) => {
  let running = 0
  let most = 0
  await using world = await open([
    account('A', async ({ ids }) => {
      running += 1
      most = Math.max(most, running)
      await sleep(20)
      running -= 1
      return picture(ids.tmdb!)
    }),
  ])
  await Promise.all(Array.from({ length: 100 }, () => world.get(HEAT)))
  t.equal(world.asked().length, 1)
  await Promise.all(Array.from({ length: 40 }, (_, index) => world.get(`/api/pictures/movie?tmdb=${index + 1}`)))
  t.equal(most, 4, 'four requests an account at a time')
})

t.test('a queue starts the newest first, and drops the oldest', async (t) => {
  const queue = createQueue(1, 3)
  const { signal } = new AbortController()
  const order: number[] = []
  const stop = new AbortController()
  const runs = Array.from({ length: 6 }, (_, index) =>
    queue
      .run(
        async () => {
          order.push(index)
          await sleep(5)
        },
        index === 4 ? stop.signal : signal,
      )
      .then(
        () => 'done',
        (error: PlayheadError) => error.code,
      ),
  )
  stop.abort()
  t.same(await Promise.all(runs), ['done', 'PLH_ABORTED', 'PLH_ABORTED', 'done', 'PLH_ABORTED', 'done'])
  t.same(order, [0, 5, 3])
})

t.test('the disk is never filled beyond its share, for any pictures', async (t) => {
  await using world = await open([])
  const database = await world.host.ctx.openDatabase('bounded', { migrations })
  let nowMs = 1_800_000_000_000
  const store = createStore(database, { maxBytes: 10_000, maxRows: 12, now: () => nowMs })
  const step = fc.record({
    tmdb: fc.integer({ min: 1, max: 30 }),
    size: fc.integer({ min: 0, max: 4_000 }),
    passMs: fc.nat(9e6),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await store.clear()
      for (const { tmdb, size, passMs } of steps) {
        nowMs += passMs
        const request: PictureRequest = { type: 'movie', ids: { tmdb: String(tmdb) }, art: 'poster', width: 342 }
        const given: Picture | null = size === 0 ? null : { bytes: new Uint8Array(size).fill(tmdb), type: 'image/png' }
        await store.save(request, 'one', given)
        const { rows, bytes } = await store.count()
        if (bytes > 10_000 || rows > 12) throw new Error(`${rows} rows, ${bytes} bytes`)
        const [kept] = await store.find(request)
        if (kept?.picture?.bytes.byteLength !== given?.bytes.byteLength) throw new Error('the newest is not there')
      }
    }),
    { numRuns: runsOf(30) },
  )
  await store.prune(['another'])
  t.same(await store.count(), { rows: 0, bytes: 0 }, 'of accounts that are gone nothing is kept')
})
