// The analyzer's row table when some accounts changed and the others are reused from the previous table.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { loadRows, type RowTable, type Source } from '../../../plugins/services/analyzer/pass/rows.ts'

const ACCOUNTS = [
  { provider: 'ONE', instance: 'default' },
  { provider: 'ONE', instance: 'second' },
  { provider: 'TWO', instance: 'default' },
]
const PLACES = ACCOUNTS.flatMap((account) =>
  (['history', 'watchlist'] as const).map((feature) => ({ ...account, feature })),
)

const item = fc
  .record({
    number: fc.nat(9),
    kind: fc.constantFrom('movie', 'episode'),
    library: fc.option(fc.nat(2)),
    isOdd: fc.boolean(),
  })
  .map(
    ({ number, kind, library, isOdd }): Item => ({
      ...(kind === 'movie'
        ? {
            type: 'movie',
            title: `Fílm ${number % 3}`,
            year: 2000,
            ids: isOdd ? { tmdb: `${number}` } : { imdb: `tt000000${number}`, tmdb: `${number}` },
          }
        : { type: 'episode', ids: {}, show_ids: { tvdb: `${number}` }, season: 1, episode: 1 + (number % 4) }),
      ...(library === null ? {} : { library_id: `library ${library}` }),
      watched_at: new Date(1.6e12 + number * 1e6).toISOString(),
    }),
  )
/** Rows of each account; null: the account was never read. */
const state = fc.array(fc.option(fc.array(item, { maxLength: 8 }), { freq: 5 }), {
  minLength: PLACES.length,
  maxLength: PLACES.length,
})
type State = readonly (readonly Item[] | null)[]

function load(now: State, previous?: RowTable) {
  const seen: unknown[] = []
  const asked: string[] = []
  const sources = PLACES.flatMap((place, at): Source[] =>
    now[at] == null ? [] : [{ ...place, revision: JSON.stringify(now[at]), count: now[at].length }],
  ).sort((a, b) => (a.feature < b.feature ? -1 : a.feature > b.feature ? 1 : 0))
  const table = loadRows(sources, {
    previous,
    async *texts(source) {
      asked.push(nameOf(source))
      const rows = JSON.parse(source.revision) as readonly Item[]
      for (let at = 0; at < rows.length; at += 3)
        yield `[${rows
          .slice(at, at + 3)
          .map((row, place) => JSON.stringify([`key ${at + place}`, row]))
          .join(',\n')}]`
    },
    onPage: (segment, start, rows) => seen.push(segment, start, rows),
  })
  return table.then((made) => ({ table: made, seen, asked }))
}

const nameOf = ({ provider, instance, feature }: Source) => `${provider} ${instance} ${feature}`

/** The whole content of a table; numbers of titles and libraries only matter for grouping rows. */
function contentsOf(table: RowTable) {
  const all = Array.from({ length: table.count }, (_, row) => row)
  return {
    segments: table.segments,
    pages: table.segments.map((segment) => [...table.pages(segment)]),
    rows: all.map((row) => ({
      segment: table.segmentOf(row),
      key: table.key(row),
      item: table.item(row),
      atMs: table.atMs(row),
      kind: table.kind(row),
      library: table.library(row),
      group: all.filter((other) => table.group(other).name === table.group(row).name),
      nodes: [...table.group(row).nodes.subarray(table.group(row).from, table.group(row).to)],
      sameTitle: all.filter((other) => table.title(row) >= 0 && table.title(other) === table.title(row)),
      shared: all.filter((other) => table.sharesToken(row, other)),
      contradicted: all.filter((other) => table.contradicts(row, other)),
      found: table.find(table.segments[table.segmentOf(row)]!, table.key(row)),
      alike: table.rowLike(table.segments[table.segmentOf(row)]!.feature, table.item(row), table.key(row)),
    })),
  }
}

t.test('a table that reuses unchanged rows equals a new one', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(state, { minLength: 2, maxLength: 5 }),
      fc.array(fc.array(fc.boolean()), { minLength: 5, maxLength: 5 }),
      async (states, kept) => {
        let previous: RowTable | undefined
        let before: State | undefined
        for (const [step, given] of states.entries()) {
          // Most accounts stay unchanged.
          const now = given.map((rows, at) => (before !== undefined && kept[step]?.[at] !== true ? before[at]! : rows))
          const [next, fresh] = await Promise.all([load(now, previous), load(now)])
          t.strictSame(contentsOf(next.table), contentsOf(fresh.table))
          t.strictSame(next.seen, fresh.seen, 'the rules see every page')
          ;[previous, before] = [next.table, now]
        }
        return t.passing()
      },
    ),
    { numRuns: runsOf(60) },
  )
})

t.test('rows of unchanged accounts are not read', async (t) => {
  const film: Item = { type: 'movie', title: 'A', year: 2000, ids: { tmdb: '1' } }
  const first = await load([[film], [], null, null, [film], null])
  t.strictSame(first.asked.sort(), ['ONE default history', 'ONE default watchlist', 'TWO default history'])
  const second = await load([[film], [film], null, null, [film], null], first.table)
  t.strictSame(second.asked, ['ONE default watchlist'])
  const third = await load([[film], [film], [film], null, [film], null], second.table)
  t.strictSame(
    third.asked.sort(),
    ['ONE default history', 'ONE default watchlist', 'ONE second history'],
    'with a second account, ids that only the service knows count',
  )
})
