// The rows of an account at the last read: rows missing since are detected, and storing them costs one commit.
import t from 'tap'
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
