// Reads: proof of completeness, and rejected streams.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import { PlayheadError, type Item } from '@playhead/sdk'
import {
  addsUp,
  collectRead,
  pagedRead,
  type Page,
  type PagedReadOptions,
  type ReadEnd,
  type ReadPart,
} from '@playhead/sdk/provider'
import { acmePlugin, movie, startAcme, startService } from './support.ts'

const signal = new AbortController().signal

function paged(pages: readonly Page[], options: Partial<PagedReadOptions> = {}) {
  return collectRead(
    pagedRead({ account: 'a', signal, fetchPage: async ({ index }) => pages[index] as Page, ...options }),
  )
}

const page = (rows: readonly Item[], rest: Partial<Page> = {}): Page => ({ rows, ...rest })

t.test('pages that add up to the declared total are a complete read', async (t) => {
  const read = await paged([page([movie(1), movie(2)], { total: 3, pages: 2 }), page([movie(3)], { total: 3 })], {
    checkpoint: 'c1',
  })
  t.strictSame(read.rows.length, 3)
  t.strictSame(read.end, { complete: true, semantics: 'present', account: 'a', checkpoint: 'c1' })
})

t.test('an empty list is complete when the service says that it is empty', async (t) => {
  t.match((await paged([page([], { total: 0, pages: 0 })])).end, { complete: true })
  t.match((await paged([page([])])).end, { complete: false, reason: 'total_unknown' })
})

const incomplete: readonly (readonly [name: string, reason: string, pages: readonly Page[]])[] = [
  ['rows are missing', 'total_mismatch', [page([movie(1)], { total: 3, pages: 2 }), page([movie(2)], { total: 3 })]],
  ['more rows come than were declared', 'total_mismatch', [page([movie(1), movie(2)], { total: 1, pages: 1 })]],
  [
    'the total changes',
    'changed_while_reading',
    [page([movie(1)], { total: 2, pages: 2 }), page([movie(2)], { total: 3 })],
  ],
  ['a page comes twice', 'repeated_page', [page([movie(1)], { total: 2, pages: 2 }), page([movie(1)], { total: 2 })]],
  ['nothing declares a total', 'total_unknown', [page([movie(1)], { next: 'p2' }), page([movie(2)])]],
]
for (const [name, reason, pages] of incomplete) {
  t.test(`a read is not complete, and has no checkpoint, when ${name}`, async (t) => {
    const { end } = await paged(pages, { checkpoint: 'c1' })
    t.match(end, { complete: false, reason })
    t.equal(end.checkpoint, undefined)
  })
}

t.test("the total of a read counts its returned rows, regardless of the service's count", async (t) => {
  const unreadable = Array.from({ length: 150 }, () => ({ reason: 'missing_ids' }))
  const lists: readonly (readonly [name: string, pages: readonly Page[]])[] = [
    [
      'rows of another kind',
      [page([movie(1)], { total: 6, count: 3, pages: 2 }), page([movie(2)], { total: 6, count: 3 })],
    ],
    ['a last page of nothing else', [page([movie(1)], { total: 4, pages: 2 }), page([], { total: 4, count: 3 })]],
    ['nothing else at all', [page([], { total: 3, count: 3, pages: 1 })]],
    ['rows that cannot be told', [page([movie(1)], { total: 2, unreadable: [{ reason: 'missing_ids' }] })]],
    [
      'more of them than are named',
      [page([movie(1)], { total: 301, pages: 2, unreadable }), page([], { total: 301, unreadable })],
    ],
  ]
  for (const [name, pages] of lists) {
    const parts = await Array.fromAsync(
      pagedRead({ account: 'a', signal, fetchPage: async ({ index }) => pages[index] as Page }),
    )
    const given = parts.reduce((sum, part) => sum + (part.type === 'rows' ? part.rows.length : 0), 0)
    const total = parts.findLast((part) => part.type === 'rows')?.total
    const { end } = parts.at(-1) as Extract<ReadPart, { type: 'end' }>
    t.equal(end.complete, true, name)
    t.equal(total, given, name)
    t.ok(addsUp(total, given, end), name)
  }
  t.notOk(addsUp(4, 1, { unreadable: [{ reason: 'missing_ids' }] }))
})

t.test('a service that repeats a page forever is abandoned', async (t) => {
  let asked = 0
  const { end } = await paged([], {
    fetchPage: async ({ index }) => {
      asked += 1
      return page([movie(1)], { next: `p${index}`, total: 10 })
    },
  })
  t.match(end, { reason: 'repeated_page' })
  t.equal(asked, 2)
})

t.test('without totals the last page proves the end if the provider says so', async (t) => {
  const cursors: (string | undefined)[] = []
  const pages = [page([movie(1)], { next: 'second' }), page([movie(2)])]
  const read = await paged(pages, {
    needsTotal: false,
    fetchPage: async ({ index, cursor }) => {
      cursors.push(cursor)
      return pages[index] as Page
    },
  })
  t.match(read.end, { complete: true })
  t.strictSame(cursors, [undefined, 'second'])
})

t.test('a page that cannot be fetched fails the read, and cancels the others', async (t) => {
  const aborted: number[] = []
  const read = paged([], {
    ahead: 3,
    async fetchPage({ index, signal: own }) {
      if (index === 0) return page([movie(1)], { total: 5, pages: 5 })
      if (index === 1) throw new PlayheadError('PLH_UPSTREAM', 'broken')
      await new Promise((resolve) => own.addEventListener('abort', resolve, { once: true }))
      aborted.push(index)
      throw new PlayheadError('PLH_ABORTED', 'called off')
    },
  })
  await t.rejects(read, { code: 'PLH_UPSTREAM' })
  t.strictSame(aborted, [2, 3])
})

t.test('unidentified rows are counted, and at most 200 are named', async (t) => {
  const unreadable = Array.from({ length: 250 }, (_, index) => ({ reason: 'no_identity', title: `Row ${index}` }))
  const { end } = await paged([page([movie(1)], { total: 251, pages: 1, unreadable })])
  t.match(end, { complete: true })
  t.equal(end.unreadable?.length, 201)
  t.equal(end.unreadable?.at(-1)?.reason, '50 more')
})

t.test(
  'property: for any order in which pages arrive, rows come in order, within the limit of concurrent requests',
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 12, maxLength: 12 }),
        async (pages, ahead, turns) => {
          let now = 0
          let most = 0
          const read = await paged([], {
            ahead,
            async fetchPage({ index }) {
              most = Math.max(most, (now += 1))
              for (let turn = 0; turn < (turns[index] as number); turn += 1)
                await new Promise((resolve) => setImmediate(resolve))
              now -= 1
              return page([movie(index + 1)], { total: pages, pages })
            },
          })
          return (
            read.end.complete &&
            most <= ahead &&
            read.rows.every((row, index) => row.ids.imdb === movie(index + 1).ids.imdb) &&
            read.rows.length === pages
          )
        },
      ),
      { numRuns: runsOf(50) },
    ),
)

t.test('a stream without its end proves nothing', async (t) => {
  await t.rejects(
    collectRead(
      (async function* (): AsyncGenerator<ReadPart> {
        yield { type: 'rows', rows: [movie(1)] }
      })(),
    ),
    { code: 'PLH_UPSTREAM_INVALID' },
  )
})

t.test('a collected read that exceeds its limit is not complete', async (t) => {
  const parts = pagedRead({
    account: 'a',
    signal,
    fetchPage: async () => page([movie(1), movie(2), movie(3)], { total: 3, pages: 1 }),
  })
  t.match(await collectRead(parts, 2), { end: { complete: false, reason: 'truncated' }, rows: { length: 2 } })
})

t.test('a provider is read through the capability', async (t) => {
  await using service = await startService()
  await using acme = await startAcme(acmePlugin(), { config: { server: service.url, access_token: 'a' } })
  const read = await collectRead(acme.provider.read('default', { feature: 'ratings' }))
  t.match(read, { rows: { length: 3 }, end: { complete: true, account: 'acme/me', checkpoint: 'now' } })
})

t.test('an unreadable feature is refused, never answered with an empty list', async (t) => {
  await using acme = await startAcme(acmePlugin(), { config: { server: 'http://one.test', access_token: 'a' } })
  const read = (request: object) => collectRead(acme.provider.read('default', request as never))
  await t.rejects(read({ feature: 'watchlist' }), { code: 'PLH_UNSUPPORTED' })
  await t.rejects(read({ feature: 'history', plays: true }), { code: 'PLH_UNSUPPORTED' })
  await t.rejects(read({ feature: 'ratings', kinds: ['song'] }), { code: 'PLH_UNSUPPORTED' })
  await t.rejects(read({ feature: 'constructor' }), { code: 'PLH_UNSUPPORTED' })
  await t.rejects(read({ feature: 'history' }), { code: 'PLH_UPSTREAM_INVALID' })
})

t.test('a declared feature has its functions, and every function its feature', async (t) => {
  const given = async function* (): AsyncGenerator<ReadPart> {}
  t.throws(() => acmePlugin({ change: { read: { ratings: given } } }), {
    message: 'features.history declares what read.history should do, but it is missing.',
  })
  t.throws(() => acmePlugin({ change: { read: { ratings: given, history: given, watchlist: given } } }), {
    message: 'read.watchlist is there, and features.watchlist does not declare it: it would never be called.',
  })
  t.throws(() => acmePlugin({ change: { write: {} } }), { message: /features\.ratings declares what write\.ratings/ })
})

const end = (change: Partial<ReadEnd>): ReadPart => ({
  type: 'end',
  end: { complete: true, semantics: 'present', account: 'a', ...change },
})
const rows: ReadPart = { type: 'rows', rows: [movie(1)] }
const contradicting: readonly (readonly [name: string, parts: readonly ReadPart[], since?: string])[] = [
  ['goes on after its end', [end({}), rows]],
  ['has two ends', [end({}), end({})]],
  ['answers a full read with a delta', [rows, end({ semantics: 'delta' })]],
  ['answers a full read with "unchanged"', [end({ semantics: 'unchanged' })]],
  ['has rows although nothing changed', [rows, end({ semantics: 'unchanged' })], 'c1'],
  ['names deleted rows without a delta', [end({ deleted: [movie(1)] })]],
  ['does not say whose account it was', [end({ account: '' })]],
]
for (const [name, parts, since] of contradicting) {
  t.test(`a read that ${name} fails`, async (t) => {
    const given = async function* () {
      yield* parts
    }
    const plugin = acmePlugin({ change: { read: { ratings: given, history: given } } })
    await using acme = await startAcme(plugin, { config: { server: 'http://one.test', access_token: 'a' } })
    const request = { feature: 'ratings', ...(since === undefined ? {} : { since }) } as const
    await t.rejects(drain(acme.provider.read('default', request)), { code: 'PLH_UPSTREAM_INVALID' })
  })
}

// Reads to the very end, unlike collectRead.
async function drain(parts: AsyncIterable<ReadPart>): Promise<void> {
  for await (const part of parts) void part
}
