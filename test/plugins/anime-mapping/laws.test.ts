// Properties of any data set: a position converts back to itself, or is reported as ambiguous; every episode has a result or a
// reason.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Coordinates, Ids } from '@playhead/sdk'
import { coordinatesOf } from '../../../plugins/services/anime-mapping/lookup/coordinates.ts'
import type { Index } from '../../../plugins/services/anime-mapping/lookup/edges.ts'
import { enrichWork } from '../../../plugins/services/anime-mapping/lookup/enrich.ts'
import { toAired, toEntry } from '../../../plugins/services/anime-mapping/lookup/one-episode.ts'
import { buildIndex } from './support.ts'

t.setTimeout(900_000)

// Few ids and small numbers, so that edges overlap.
const id = fc.integer({ min: 1, max: 4 })
const number = fc.integer({ min: 1, max: 12 })
const IDS = ['1', '2', '3', '4']
const NUMBERS = Array.from({ length: 14 }, (_, at) => at + 1)
const span = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(number, fc.nat(11)).map(([from, length]) => `${from}-${from + length}`) },
  { weight: 1, arbitrary: number.map(String) },
  { weight: 1, arbitrary: number.map((from) => `${from}-`) },
)
const range = fc.oneof(
  { weight: 5, arbitrary: span },
  { weight: 1, arbitrary: fc.tuple(span, span).map((both) => both.join(',')) },
)
const target = fc.oneof(
  { weight: 8, arbitrary: range },
  { weight: 1, arbitrary: range.map((text) => `${text}|2`) },
  { weight: 1, arbitrary: fc.constantFrom('', '0', 'x', '5-1', '999999-', '1-999999', '99999999') },
)
const season = fc.integer({ min: 0, max: 2 })
const show = fc.tuple(fc.constantFrom('tvdb_show', 'tmdb_show', 'imdb_show'), id, season)
const descriptor = fc.oneof(
  { weight: 4, arbitrary: show.map(([base, of, s]) => `${base}:${base === 'imdb_show' ? 'tt' : ''}${of}:s${s}`) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('anilist', 'mal'), id).map(([base, of]) => `${base}:${of}`) },
  {
    weight: 2,
    arbitrary: fc.tuple(id, fc.constantFrom(':R', ':R', ':S', ':O', '')).map(([of, s]) => `anidb:${of}${s}`),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('tmdb_movie', 'tvdb_movie', 'kitsu', 'other'), id)
      .map((both) => both.join(':')),
  },
)
const ranges = fc.array(fc.tuple(range, target), { maxLength: 3 }).map((entries) => Object.fromEntries(entries))
/** Repeated keys stay repeated. */
const dataSetOf = (minLength: number) =>
  fc
    .array(fc.tuple(descriptor, fc.dictionary(descriptor, ranges, { minKeys: 1, maxKeys: 4 })), {
      minLength,
      maxLength: 12,
    })
    .map((entries) => `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`)
const dataSet = dataSetOf(0)
const identities = fc
  .array(fc.tuple(...Array.from({ length: 5 }, () => fc.option(id, { nil: '' as const }))), { maxLength: 6 })
  .map((rows) => ['anidb\tmyanimelist\tanilist\tsimkl\tkitsu', ...rows.map((row) => row.join('\t'))].join('\n'))
const ids = fc.record(
  { tvdb: id.map(String), tmdb: id.map(String), imdb: id.map((of) => `tt${of}`) },
  { requiredKeys: [] },
)
const natives = fc.record(
  {
    anidb: id.map(String),
    mal: id.map(String),
    anilist: id.map(String),
    trackb: id.map(String),
    kitsu: id.map(String),
  },
  { requiredKeys: [] },
)

async function withIndex(mappings: string, table: string, check: (index: Index) => void): Promise<void> {
  const index = await buildIndex({ mappings, identities: table })
  try {
    check(index)
  } finally {
    index.close()
  }
}

/** Every position in the range of a data set. */
const EVERY: readonly Start[] = [
  ...(['tvdb', 'tmdb', 'imdb'] as const).flatMap((scheme) =>
    IDS.flatMap((of) =>
      [0, 1, 2].flatMap((given) =>
        NUMBERS.map((episode) => ({ scheme, id: scheme === 'imdb' ? `tt${of}` : of, season: given, episode })),
      ),
    ),
  ),
  ...(['anidb', 'mal', 'anilist'] as const).flatMap((scheme) =>
    IDS.flatMap((of) => NUMBERS.map((episode) => ({ scheme, id: of, episode }))),
  ),
]

t.test('each position of an episode leads to the others, or is reported as ambiguous', async (t) => {
  let mapped = 0
  let ambiguous = 0
  await fc.assert(
    fc.asyncProperty(dataSet, fc.boolean(), (mappings, specials) =>
      withIndex(mappings, HEADER, (index) => {
        for (const start of EVERY) {
          const found = at(index, start, specials)
          complete(found)
          if (found.reason === 'ambiguous' || found.ambiguous.length > 0) ambiguous += 1
          // Through a paired show, the reverse conversion ends at the pair.
          if (found.reason !== undefined || found.basis === 'show_pair_hop') continue
          mapped += 1
          const others = [...found.aired, ...found.entries].filter((place) => place.scheme !== start.scheme)
          if (others.length === 0) throw new Error('nothing but the start')
          for (const place of others) {
            const back = at(index, place, specials)
            const again = [...back.aired, ...back.entries].find((one) => one.scheme === start.scheme)
            if (again !== undefined) sameAs(again, start)
            else if (back.reason === undefined && !back.ambiguous.includes(start.scheme as 'tvdb'))
              throw new Error(`no way back from ${JSON.stringify(place)} to ${JSON.stringify(start)}`)
            else if (back.reason !== undefined && back.reason !== 'ambiguous') throw new Error(back.reason)
          }
        }
      }),
    ),
    { numRuns: runsOf(400) },
  )
  t.comment(`mapped ${mapped}, ambiguous ${ambiguous}`)
  t.ok(mapped > runsOf(500) && ambiguous > runsOf(100), 'both cases occur')
})

t.test('a written position leads back to the episode, or the reverse is ambiguous', async (t) => {
  let found = 0
  await fc.assert(
    // Small sets seldom have a position.
    fc.asyncProperty(
      fc.oneof(dataSet, dataSetOf(8)),
      fc.constantFrom(undefined, 'anidb', 'mal', 'anilist'),
      (mappings, scheme) =>
        withIndex(mappings, HEADER, (index) => {
          for (const { scheme: aired, id: tvdb, season: given = 0, episode } of EVERY) {
            if (aired !== 'tvdb' || given === 0) continue
            const wanted = scheme === undefined ? {} : { scheme }
            const entry = toEntry(index, { showIds: { tvdb }, season: given, episode, ...wanted })
            if (!entry.found) continue
            if (scheme !== undefined && entry.scheme !== scheme) throw new Error(`asked ${scheme}, got ${entry.scheme}`)
            // If two entries are the same work, the numbers are those of the other entry.
            if (entry.basis !== 'anibridge') continue
            found += 1
            const back = toAired(index, {
              ids: { [entry.scheme]: entry.id },
              episode: entry.episode,
              preferred: 'tvdb',
            })
            if (back.found && back.scheme === 'tvdb') sameAs(back, { scheme: 'tvdb', id: tvdb, season: given, episode })
            else if (back.found) {
              // The same episode in the numbering of another service.
              const showIds = { [back.scheme]: back.id }
              const again = toEntry(index, {
                showIds,
                season: back.season,
                episode: back.episode,
                scheme: entry.scheme,
              })
              if (again.found) sameAs(again, entry)
              else if (again.reason !== 'ambiguous' && again.reason !== 'disagreement') throw new Error(again.reason)
            }
            if (!back.found && back.reason !== 'ambiguous' && back.reason !== 'disagreement')
              throw new Error(back.reason)
          }
        }),
    ),
    { numRuns: runsOf(600) },
  )
  t.comment(`found ${found}`)
  t.ok(found > runsOf(300))
})

t.test('any ids get a result or a reason, given ids stay, and added ones are unique', async () => {
  await fc.assert(
    fc.asyncProperty(
      dataSet,
      identities,
      ids,
      natives,
      season,
      number,
      fc.boolean(),
      (mappings, table, some, own, given, episode, specials) =>
        withIndex(mappings, table, (index) => {
          const showIds: Ids = { ...some, ...own }
          complete(coordinatesOf(index, { showIds, season: given, episode, specials }))
          for (const scheme of ['anilist', 'mal', 'anidb', 'trackb', 'kitsu'] as const) {
            const entry = toEntry(index, { showIds, season: given, episode, scheme, specials })
            if (entry.found && !(entry.episode >= 1 && entry.scheme === scheme)) throw new Error(JSON.stringify(entry))
          }
          toAired(index, { ids: showIds, episode })
          for (const kind of ['show', 'movie'] as const) {
            const enriched = enrichWork(index, { ids: showIds, kind, isAnime: true })
            for (const [scheme, value] of Object.entries(showIds))
              if (enriched.ids[scheme as 'tvdb'] !== value) throw new Error(`${scheme} changed`)
            for (const scheme of enriched.added)
              if (showIds[scheme] !== undefined || enriched.ambiguous.includes(scheme))
                throw new Error(`${scheme} added`)
            if (enriched.added.length === 0 && enriched.basis !== null) throw new Error('a basis for nothing')
          }
        }),
    ),
    { numRuns: runsOf(1_000) },
  )
})

t.test('a show with one entry per season has no single entry', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 6 }), (seasons) => {
      const mappings = Object.fromEntries(
        Array.from({ length: seasons }, (_, at) => [
          `tvdb_show:7:s${at + 1}`,
          { [`anilist:${at + 1}`]: { '1-12': '1-12' } },
        ]),
      )
      return withIndex(JSON.stringify(mappings), HEADER, (index) => {
        t.equal(enrichWork(index, { ids: { tvdb: '7' }, kind: 'show', isAnime: false }).ids.anilist, undefined)
        for (let entry = 1; entry <= seasons; entry += 1)
          t.match(enrichWork(index, { ids: { anilist: String(entry) }, kind: 'show', isAnime: true }), {
            ids: { tvdb: '7' },
            shared: ['tvdb'],
          })
      })
    }),
    { numRuns: runsOf(5) },
  )
})

const HEADER = 'anidb\tmyanimelist\tanilist\tsimkl\tkitsu\n'

interface Start {
  readonly scheme: string
  readonly id: string
  readonly episode: number
  readonly season?: number
}

function at(index: Index, { scheme, id: of, season: given = 1, episode }: Start, specials: boolean): Coordinates {
  return coordinatesOf(index, { showIds: { [scheme]: of }, season: given, episode, specials })
}

function sameAs(one: Start, other: Start): void {
  const text = ({ scheme, id: of, season: s, episode }: Start) => `${scheme}:${of} ${s ?? ''} ${episode}`
  if (text(one) !== text(other)) throw new Error(`${text(one)} instead of ${text(other)}`)
}

/** A result or a reason. */
function complete({ aired, entries, reason, basis }: Coordinates): void {
  const isEmpty = aired.length === 0 && entries.length === 0
  if (isEmpty !== (reason !== undefined) || isEmpty !== (basis === null)) throw new Error('neither answer nor reason')
  for (const list of [aired, entries] as const)
    if (new Set(list.map(({ scheme }) => scheme)).size !== list.length) throw new Error('a scheme twice')
}
