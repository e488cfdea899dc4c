// The rows of an account at the last read: rows missing since are detected, and storing them costs one commit.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import type { KeyValueStore } from '@playhead/sdk'
import { identityText, settle } from '../../../plugins/providers/media-browser/read/memory.ts'
import { openTestStore } from '../../../core/testing/storage.ts'

const rows = (count: number) =>
  new Map(
    Array.from({ length: count }, (_, index) => [
      `id-${index}`,
      identityText({ type: 'movie', ids: { tmdb: String(index + 1) } }),
    ]),
  )
const nothingTaken = async () => new Set<string>()

async function counting() {
  const store = await openTestStore(50_000_000)
  let commits = 0
  const counted: KeyValueStore = {
    ...store,
    set: async (...given) => {
      commits += 1
      await store.set(...given)
    },
    setMany: async (values, ttlMs) => {
      if (values.size > 0) commits += 1
      await store.setMany(values, ttlMs)
    },
  }
  return { store: counted, commits: () => commits }
}

t.test('a few hundred rows are stored in one commit, the same rows again in none, many in several', async (t) => {
  const { store, commits } = await counting()
  await settle(store, { scope: 'a', place: 'played', seen: rows(1_700), taken: nothingTaken })
  t.equal(commits(), 1)
  await settle(store, { scope: 'a', place: 'played', seen: rows(1_700), taken: nothingTaken })
  t.equal(commits(), 1)
  await settle(store, { scope: 'a', place: 'played', seen: rows(1_701), taken: nothingTaken })
  t.equal(commits(), 2)
  await settle(store, { scope: 'b', place: 'played', seen: rows(20_000), taken: nothingTaken })
  t.ok(commits() > 6 && commits() <= 2 + 10, `${commits()}`)
})

t.test('an unmarked row is not named; one that left the library is, until it is back', async (t) => {
  const { store } = await counting()
  const read = { scope: 'a', place: 'played', taken: async () => new Set(['id-1']) }
  await settle(store, { ...read, seen: rows(5) })
  const left = new Map([...rows(5)].filter(([id]) => id !== 'id-1' && id !== 'id-2'))
  for (const _again of [1, 2]) {
    t.same((await settle(store, { ...read, seen: left })).gone, [
      { type: 'movie', ids: { tmdb: '3' }, native: { item_id: 'id-2' } },
    ])
  }
  t.same((await settle(store, { ...read, seen: rows(5) })).gone, [])
  t.same((await settle(store, { ...read, seen: rows(5) })).gone, [])
})

// One map without buckets: what was read, what left the library, and what was unmarked.
function simple() {
  let stored = new Map<string, string>()
  let placeBefore: string | undefined
  return (place: string, seen: ReadonlyMap<string, string>, unmarked: ReadonlySet<string>) => {
    const next = new Map(seen)
    const present = new Set(seen.values())
    for (const [id, text] of stored) {
      if (seen.has(id)) continue
      const plain = text.replace(/^-/, '')
      const isFresh = !text.startsWith('-') && (placeBefore ?? place) === place
      if (!present.has(plain) && !(isFresh && unmarked.has(id))) next.set(id, `-${plain}`)
    }
    const isSame =
      placeBefore === place && stored.size === next.size && [...next].every(([id, text]) => stored.get(id) === text)
    stored = next
    placeBefore = place
    return {
      isSame,
      stored: [...next].sort(),
      gone: [...next].flatMap(([id, text]) => (text.startsWith('-') ? id : [])),
    }
  }
}

t.test('property: any sequence of reads is compared and stored as with one simple map', async (t) => {
  const id = fc.constantFrom(...Array.from({ length: 12 }, (_, index) => `id-${index * 7}`))
  const read = fc.record({
    place: fc.constantFrom('played', 'played', 'played', 'list'),
    // Copies of a work have the same text.
    seen: fc.dictionary(id, fc.constantFrom('1', '2', '3', '4', '5', '6')),
    unmarked: fc.uniqueArray(id),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(read, { minLength: 2, maxLength: 8 }), async (reads) => {
      const { store, commits } = await counting()
      const expected = simple()
      for (const { place, seen, unmarked } of reads) {
        const texts = new Map(
          Object.entries(seen).map(([key, tmdb]) => [key, identityText({ type: 'movie', ids: { tmdb } })]),
        )
        const before = commits()
        const asked: string[] = []
        const { gone } = await settle(store, {
          scope: 'a',
          place,
          seen: texts,
          taken: async (ids) => {
            asked.push(...ids)
            return new Set(ids.filter((one) => unmarked.includes(one)))
          },
        })
        const simply = expected(place, texts, new Set(unmarked))
        deepStrictEqual(gone.map(({ native }) => native?.item_id).sort(), simply.gone.sort())
        ok(asked.every((one) => !texts.has(one)))
        strictEqual(commits() === before, simply.isSame, 'what is stored already is not stored again')
        const buckets = await Array.fromAsync(store.entries<Record<string, string>>())
        deepStrictEqual(
          buckets.flatMap(([key, bucket]) => (key.startsWith('seen/') ? Object.entries(bucket) : [])).sort(),
          simply.stored,
        )
      }
    }),
    { numRuns: runsOf(100) },
  )
  t.pass()
})
