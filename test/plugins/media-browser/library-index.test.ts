// The index of a library answers as a search through all its rows would.
import { deepStrictEqual } from 'node:assert/strict'
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { type Ids, ownIds, partOf, STRONG_SCHEMES, strongConflicts } from '@playhead/sdk/items'
import fc, { runsOf } from '../../fast-check.ts'
import { episodesOf, idsOf, isVirtual } from '../../../plugins/providers/media-browser/items.ts'
import { createIndex } from '../../../plugins/providers/media-browser/library-index.ts'
import type { Row } from '../../../plugins/providers/media-browser/wire.ts'

const KINDS: Readonly<Record<string, string>> = { Movie: 'movie', Series: 'show', Episode: 'episode' }

/** All rows in the order in which they came. A later row of the same id replaces the earlier one. */
function createSimple() {
  let rows: Row[] = []
  const remove = (id: string) => {
    rows = rows.filter(({ Id }) => Id !== id)
  }
  const conflicts = (row: Row, ids: Ids) => strongConflicts(idsOf(row), ids).length > 0
  const withIds = (kind: string, ids: Ids) => [
    ...new Set(
      STRONG_SCHEMES.flatMap((scheme) =>
        rows.filter(
          (row) => KINDS[row.Type!] === kind && ids[scheme] !== undefined && idsOf(row)[scheme] === ids[scheme],
        ),
      ),
    ),
  ]
  const answer = (found: readonly Row[]) => ({ entries: found.map(({ Id }) => Id) })
  return {
    put(row: Row) {
      if (KINDS[row.Type!] === undefined || isVirtual(row)) return
      remove(row.Id)
      rows.push(row)
    },
    forget: remove,
    find(item: Item, shared: boolean) {
      if (!Object.values(KINDS).includes(item.type)) return { reason: 'missing_ids' }
      const own = ownIds(item)
      const matches = withIds(item.type, own)
      const agreeing = matches.filter((row) => !conflicts(row, own))
      if (agreeing.length > 0) return answer(agreeing)
      if (matches.length > 0) return { reason: 'ambiguous_identity' }
      const part = partOf(item)
      const show = item.show_ids ?? {}
      const isKnown = (ids: Ids) => STRONG_SCHEMES.some((scheme) => ids[scheme] !== undefined)
      if (part === undefined || !isKnown(show)) return { reason: isKnown(own) ? 'not_in_library' : 'missing_ids' }
      const shows = withIds('show', show)
      const meant = shows.filter((row) => !conflicts(row, show))
      if (meant.length === 0) return { reason: shows.length > 0 ? 'ambiguous_identity' : 'not_in_library' }
      const isFirst = (row: Row) => row.IndexNumber === part.episode
      const episodes = meant.flatMap(({ Id }) =>
        rows.filter(
          (row) =>
            row.Type === 'Episode' &&
            row.SeriesId === Id &&
            row.ParentIndexNumber === part.season &&
            (isFirst(row) || (shared && episodesOf(row).includes(part.episode!))),
        ),
      )
      if (episodes.length === 0) return { reason: 'episode_missing' }
      const fitting = episodes.filter((row) => !isFirst(row) || !conflicts(row, own))
      return fitting.length > 0 ? answer(fitting) : { reason: 'ambiguous_identity' }
    },
  }
}

// Equal numbers of different schemes and kinds, equal numbers in different ids, and ids that are not small numbers.
const tmdb = fc.constantFrom('1', '1', '2', '999999999', '1000000000', '123456789012345678')
const imdb = fc.constantFrom('tt1', 'tt01', 'tt2', 'tt0000003', 'tt999999999', 'tt99999999999')
const tvdb = fc.constantFrom('1', '1', '2', '1000000000')
const ids = fc.oneof(
  tmdb.map((Tmdb) => ({ Tmdb })),
  tvdb.map((Tvdb) => ({ Tvdb })),
  fc.record({ Tmdb: tmdb, Imdb: imdb, Tvdb: tvdb }, { requiredKeys: [] }),
)
const someNumber = fc.constantFrom(undefined, 0, 1, 2, 3, 65_537)
const serverId = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
const rowOf = (types: readonly string[], places: readonly string[]) =>
  fc.record({
    Id: fc.constantFrom(...places),
    Type: fc.constantFrom(...types),
    ProviderIds: ids,
    SeriesId: fc.constantFrom('a', 'b', 'b', undefined),
    ParentIndexNumber: fc.constantFrom(undefined, 0, 1),
    IndexNumber: someNumber,
    IndexNumberEnd: someNumber,
    LocationType: fc.constantFrom('FileSystem', 'FileSystem', 'FileSystem', 'Virtual'),
  }) as fc.Arbitrary<Row>
const row = fc.oneof(
  rowOf(['Series'], ['a', 'b']),
  rowOf(['Episode'], ['c', 'd', 'e', 'f', 'g', 'h']),
  rowOf(['Episode'], ['c', 'd', 'e', 'f', 'g', 'h']),
  rowOf(['Movie', 'Series', 'Episode', 'Trailer'], ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']),
)
const wireIds = ids.map((given) => idsOf({ Id: 'x', ProviderIds: given }))
const item = fc.record({
  type: fc.constantFrom('movie', 'show', 'episode', 'episode', 'season'),
  ids: wireIds,
  show_ids: fc.option(wireIds, { nil: undefined }),
  season: fc.constantFrom(undefined, 0, 1),
  episode: fc.constantFrom(undefined, 1, 2, 3, 65_537),
}) as unknown as fc.Arbitrary<Item>

t.test('property: what is found is what a search of all rows finds, in the same order', async (t) => {
  const found = { entries: 0, reasons: new Set<string>() }
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 25 }),
      fc.array(row, { maxLength: 8 }),
      fc.array(serverId, { maxLength: 2 }),
      fc.array(fc.tuple(item, fc.boolean()), { minLength: 1, maxLength: 12 }),
      async (first, later, forgotten, asked) => {
        const [index, simple] = [createIndex(), createSimple()]
        const check = () => {
          for (const [one, shared] of asked) {
            const answer = index.find(one, shared)
            if ('reason' in answer) found.reasons.add(answer.reason)
            else found.entries += answer.entries.length
            deepStrictEqual(
              'entries' in answer ? { entries: answer.entries.map(({ id }) => id) } : answer,
              simple.find(one, shared),
            )
          }
        }
        for (const one of first) for (const table of [index, simple]) table.put(one)
        await index.seal()
        check()
        for (const one of later) {
          for (const table of [index, simple]) table.put(one)
          check()
        }
        for (const id of forgotten) for (const table of [index, simple]) table.forget(id)
        check()
      },
    ),
    { numRuns: runsOf(2_000) },
  )
  t.ok(found.entries > 100, `${found.entries} entries were found`)
  t.same(
    [...found.reasons].sort(),
    ['ambiguous_identity', 'episode_missing', 'missing_ids', 'not_in_library'],
    'every answer occurs',
  )
})
