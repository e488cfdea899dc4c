// Matching of many rows by tokens, and contradictions of strong ids.
import { createMatcher, createTextNumbers, pairPlays, type Time } from '@playhead/sdk/items'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { addFacts, FACT_PLACES, factsOf } from '../../../sdk/items/facts.ts'
import { fingerprint } from '../../../sdk/items/fingerprint.ts'
import type { Item } from '../../../sdk/items/item.ts'
import { contradicts } from '../../../sdk/items/contradict.ts'
import { fewIds, itemWith } from '../../sdk/items/support.ts'
import { FakeAccount } from '../sync/world/account.ts'
import { entryOf } from '../sync/world/scenario.ts'
import { numberedWork } from '../sync/world/works.ts'
import { createWorld, featureCapabilities, pairOf, START_MS } from '../sync/world/world.ts'

const rows = fc.array(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 3 }), { maxLength: 25 })

/** For each row the first row of its group, by brute force. */
function joinedOf(all: readonly (readonly number[])[]): readonly number[] {
  const joined = all.map((_, index) => index)
  for (let round = 0; round < all.length; round += 1) {
    for (const [x, one] of all.entries()) {
      for (const [y, other] of all.entries()) {
        if (one.some((token) => other.includes(token))) joined[x] = joined[y] = Math.min(joined[x]!, joined[y]!)
      }
    }
  }
  return joined
}

t.test('rows are one group when a chain of tokens joins them', async () =>
  fc.assert(
    fc.property(rows, (all) => {
      const matcher = createMatcher()
      for (const row of all) matcher.add(row)
      const joined = joinedOf(all)
      const groups = all.flatMap((_, first) =>
        joined[first] === first ? [all.flatMap((__, row) => (joined[row] === first ? row : []))] : [],
      )
      const { count, start, nodes } = matcher.spans()
      const found = Array.from({ length: count }, (_, group) => [...nodes.subarray(start[group], start[group + 1])])
      return JSON.stringify(found) === JSON.stringify(groups)
    }),
  ),
)

t.test('two items contradict each other where their strong ids do', async () => {
  fc.assert(
    fc.property(itemWith(fewIds), itemWith(fewIds), (a: Item, b: Item) => {
      const facts = factsOf(a)
      return facts.length === FACT_PLACES && addFacts(facts, factsOf(b)) === !contradicts(a, b)
    }),
    { numRuns: runsOf(300) },
  )
})

t.test('texts are numbered in order of arrival, even if fingerprints collide', async () =>
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 6 }), { maxLength: 200 }),
      fc.constantFrom(
        fingerprint,
        () => 7,
        (text: string) => text.length * 2 ** 48,
      ),
      (texts, printOf) => {
        const numbers = createTextNumbers(printOf)
        const known = new Map<string, number>()
        for (const text of texts) {
          if (numbers.find(text) !== known.get(text)) return false
          if (!known.has(text)) known.set(text, known.size)
          if (numbers.numberOf(text) !== known.get(text)) return false
        }
        return numbers.count === known.size
      },
    ),
  ),
)

t.test('very many texts have their own numbers, and none after the release', (t) => {
  const numbers = createTextNumbers()
  let wrong = 0
  for (const round of [0, 1]) {
    for (let number = 0; number < 200_000; number += 1)
      if (numbers.numberOf(`movie:tmdb:${number}`) !== number) wrong += 1
    t.equal(numbers.count, 200_000, `round ${round}`)
  }
  t.equal(wrong, 0)
  numbers.release()
  t.equal(numbers.numberOf('movie:tmdb:1'), 200_000, 'it is new again, and has the number of no other')
  t.end()
})

const DAY_MS = 86_400_000
const somePlays = fc.array(
  fc.record({
    atMs: fc.integer({ min: 20_000, max: 20_003 }),
    minute: fc.integer({ min: 0, max: 3 }),
    isDay: fc.boolean(),
  }),
  { maxLength: 5 },
)
const timesOf = (plays: readonly { atMs: number; minute: number; isDay: boolean }[]): Time[] =>
  plays.map(({ atMs, minute, isDay }) =>
    isDay
      ? { atMs: atMs * DAY_MS, precision: 'date' }
      : { atMs: atMs * DAY_MS + minute * 8 * 3_600_000, precision: 'second' },
  )

t.test('P41 the pairing of plays does not depend on the order in which accounts list them', async () =>
  fc.assert(
    fc.property(somePlays, somePlays, fc.infiniteStream(fc.integer()), (a, b, order) => {
      const texts = (one: readonly Time[], other: readonly Time[]) =>
        pairPlays(one, other, 60_000)
          .pairs.map((pair) => pair.map(({ atMs, precision }) => `${atMs} ${precision}`).join(' = '))
          .sort()
          .join()
      const shuffled = (times: readonly Time[]) =>
        times
          .map((time) => [order.next().value, time] as const)
          .sort(([x], [y]) => x - y)
          .map(([, time]) => time)
      return texts(timesOf(a), timesOf(b)) === texts(shuffled(timesOf(a)), shuffled(timesOf(b)))
    }),
  ),
)

t.test('P41 days of one account and times of another stay one play each, in any order of the lists', async (t) => {
  await featureCapabilities()
  for (const listed of ['newest', 'oldest'] as const)
    for (const knowsDays of ['ANN', 'BEN'] as const) {
      const clock = { nowMs: START_MS }
      const accounts = ['ANN', 'BEN'].map((id) => {
        const account = new FakeAccount({ id, now: () => clock.nowMs })
        const { read } = account
        account.read = async function* (...args: Parameters<typeof read>) {
          for await (const part of Reflect.apply(read, account, args)) {
            if (part.type !== 'rows') yield part
            else {
              const sign = listed === 'newest' ? -1 : 1
              const rows = part.rows.toSorted((x, y) => sign * x.watched_at!.localeCompare(y.watched_at!))
              const asDay = rows.map((row) => ({ ...row, watched_at: row.watched_at!.slice(0, 10) }))
              yield { ...part, rows: id === knowsDays ? asDay : rows }
            }
          }
        }
        return account
      })
      const [ann, ben] = accounts as [FakeAccount, FakeAccount]
      const films = Array.from({ length: 20 }, (_, index) => numberedWork(index))
      const pair = pairOf('ANN', 'BEN', { features: { history: { rewatches: true } } })
      await using world = await createWorld(accounts, [pair], clock, films)
      for (const [day, hour] of [
        [10, 20],
        [11, 10],
        [12, 0],
      ] as const)
        for (const [account, at] of [
          [ann, ann.id === knowsDays ? 12 : hour],
          [ben, ben.id === knowsDays ? 12 : hour],
        ] as const)
          account.put({ ...entryOf('history', films[0]!, 1), atMs: Date.UTC(2026, 4, day, at) })
      for (const film of films.slice(1))
        for (const account of accounts) account.put({ ...entryOf('history', film, 1), atMs: Date.UTC(2026, 4, 3, 12) })
      for (let run = 0; run < 4; run += 1) {
        world.advance(3_600_000)
        t.same((await world.run()).writes, [], `${listed} first, ${knowsDays} knows days, run ${run + 1}`)
      }
    }
})
