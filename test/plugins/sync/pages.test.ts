// Pages of an account's rows while runs and imports replace them: a page shows one state, the one that it names.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { LibraryRow } from '@playhead/sdk'
import { createPages, type RowSource } from '../../../plugins/services/sync/library/row-index.ts'

const CHUNK = 3

/** An account whose rows are replaced at these times. */
function changing(replacements: readonly number[], size: number) {
  let state = 0
  let asked = 0
  const step = () => {
    if (replacements.includes(asked++)) state += 1
  }
  const rowsNow = (): readonly LibraryRow[] =>
    Array.from({ length: size }, (_, at) => ({
      key: `movie:tmdb:${at + 1}`,
      item: { type: 'movie', title: `Film ${at} of ${state}`, year: 2000 + at, ids: { tmdb: String(at + 1) } },
    }))
  const sourceNow = async (): Promise<RowSource> => ({
    name: 'ANN watchlist',
    revision: `r${state}`,
    count: size,
    readAtMs: state,
    async *rows() {
      for (let from = 0; from < size; from += CHUNK) {
        yield rowsNow().slice(from, from + CHUNK)
        step()
      }
    },
    async items(keys) {
      step()
      return rowsNow().filter(({ key }) => keys.includes(key))
    },
  })
  return sourceNow
}

t.test('a page shows the state that it names, even while the account is being read', () =>
  fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat({ max: 12 }), { maxLength: 2 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(
        fc.record({
          offset: fc.nat({ max: 20 }),
          limit: fc.integer({ min: 0, max: 20 }),
          sort: fc.constantFrom(undefined, 'title' as const, 'year' as const),
          search: fc.constantFrom(undefined, 'film'),
        }),
        { minLength: 1, maxLength: 5 },
      ),
      async (replacements, size, queries) => {
        const page = createPages()
        const sourceNow = changing(replacements, size)
        for (const { offset, limit, sort, search } of queries) {
          const { rows, revision, total } = await page(
            {
              provider: 'ANN',
              instance: 'default',
              feature: 'watchlist',
              offset,
              limit,
              ...(sort === undefined ? {} : { sort }),
              ...(search === undefined ? {} : { search }),
            },
            sourceNow,
          )
          if (rows.length !== Math.max(0, Math.min(limit, size - offset)) || total !== size)
            throw new Error('a row is missing')
          if (new Set(rows.map(({ key }) => key)).size !== rows.length) throw new Error('a row is there twice')
          const states = new Set(rows.map(({ item }) => `r${item.title!.split(' of ')[1]}`))
          if (states.size > 0 && (states.size > 1 || !states.has(revision)))
            throw new Error(`${revision} has rows of ${[...states].join()}`)
        }
      },
    ),
    { numRuns: runsOf(200) },
  ),
)
