// How a body names items, and how items unknown to the service are assigned back.
import type { Item } from '@playhead/sdk'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { bodyOf, type Target } from '@playhead/trakt-dialect'
import { notFoundIn, verdictsOf } from '../../../plugins/providers/trakt/write/outcomes.ts'
import { namesOf } from '../../../plugins/providers/trakt/write/targets.ts'
import { seededCatalogue } from '../../upstreams/trakt/seeded.ts'
import { readTargets } from '../../upstreams/trakt/targets.ts'

const catalogue = seededCatalogue(1, 20, 6)
const showIds = (index: number) => ({ tracka: String(catalogue.shows[index]?.ids.trakt ?? 7_000_000 + index) })

/** Known and unknown works, parts of shows, and parts that the show lacks. */
const anyItem: fc.Arbitrary<Item> = fc.oneof(
  fc.nat({ max: 30 }).map((index): Item => ({ type: 'movie', ids: { tracka: String(70_001 + index) } })),
  fc.nat({ max: 9 }).map((index): Item => ({ type: 'show', ids: showIds(index) })),
  fc
    .record({ show: fc.nat({ max: 8 }), season: fc.nat({ max: 5 }) })
    .map(({ show, season }): Item => ({ type: 'season', ids: {}, show_ids: showIds(show), season })),
  fc
    .record({ show: fc.nat({ max: 8 }), season: fc.nat({ max: 5 }), episode: fc.integer({ min: 1, max: 12 }) })
    .map(({ show, season, episode }): Item => ({ type: 'episode', ids: {}, show_ids: showIds(show), season, episode })),
)

function targetsOf(items: readonly Item[]): Target[] {
  return items.flatMap((item, index) =>
    namesOf(item, false)
      .slice(0, 1)
      .map((name) => ({ ...name, key: String(index), extra: {} })),
  )
}

function isKnown({ type, ids, show_ids: show, season, episode }: Item): boolean {
  if (type === 'movie') return catalogue.find('movie', { trakt: ids.tracka }) !== undefined
  const found = catalogue.find('show', { trakt: (type === 'show' ? ids : show)?.tracka })
  if (found?.type !== 'show') return false
  if (type === 'show') return true
  const part = found.show.seasons.find(({ number }) => number === season)
  return type === 'season' ? part !== undefined : part?.episodes.some(({ number }) => number === episode) === true
}

t.test('exactly the items that the service does not know are reported as not found, whatever else is sent', (t) => {
  fc.assert(
    fc.property(fc.uniqueArray(anyItem, { maxLength: 40, selector: (item) => JSON.stringify(item) }), (items) => {
      const targets = targetsOf(items)
      const { notFound } = readTargets(catalogue, JSON.parse(JSON.stringify(bodyOf(targets))))
      const missing = notFoundIn(targets, { not_found: notFound })
      return targets.every((target) => missing.has(target) !== isKnown(items[Number(target.key)] as Item))
    }),
    { numRuns: runsOf(300) },
  )
  t.end()
})

t.test('a body contains every item once, with its fields', (t) => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyItem.filter(isKnown), { maxLength: 40, selector: (item) => JSON.stringify(item) }),
      (items) => {
        const targets = targetsOf(items).map((target) => ({ ...target, extra: { mark: target.key } }))
        const { found } = readTargets(catalogue, JSON.parse(JSON.stringify(bodyOf(targets))))
        const marks = found.flatMap(({ sent }) => sent[0]?.['mark'] ?? [])
        return marks.length === items.length && new Set(marks).size === items.length
      },
    ),
    { numRuns: runsOf(300) },
  )
  t.end()
})

t.test('an echo of a show or a season means the parts of it that were tried', (t) => {
  const episode = (season: number, number: number): Item => ({
    type: 'episode',
    ids: {},
    show_ids: showIds(0),
    season,
    episode: number,
  })
  const parts = targetsOf([episode(1, 1), episode(1, 2), episode(2, 1)])
  const other = targetsOf([{ type: 'episode', ids: {}, show_ids: showIds(1), season: 1, episode: 1 }])
  const ids = parts[0]?.ids
  const missing = (show: object) =>
    [...notFoundIn([...parts, ...other], { not_found: { shows: [show] } })].map(
      ({ season, episode }) => `${season}x${episode}`,
    )
  t.same(missing({ ids }), ['1x1', '1x2', '2x1'])
  t.same(missing({ ids, seasons: [{ number: 1 }] }), ['1x1', '1x2'])
  t.same(missing({ ids, seasons: [{ number: 1, episodes: [{ number: 2 }] }] }), ['1x2'])
  t.same(missing({ ids: {} }), [], 'what names nothing means nothing')
  t.same(missing({ ids: { trakt: 5 } }), [])
  t.end()
})

t.test('an item is identified by numbers where they are numbers, and never by ids of another kind', (t) => {
  t.same(namesOf({ type: 'movie', ids: { tmdb: '603', imdb: 'tt0133093', tvdb: '169', tracka: '481' } }, false), [
    { kind: 'movies', group: 'movies', ids: { trakt: 481, imdb: 'tt0133093', tmdb: 603 } },
  ])
  t.same(namesOf({ type: 'movie', ids: { tvdb: '169' } }, false), [], 'Trakt keeps no such ids of movies')
  t.same(namesOf({ type: 'movie', title: 'Heat', year: 1995, ids: {} }, true), [])
  t.same(
    namesOf({ type: 'episode', ids: { tmdb: '1399' }, show_ids: { tmdb: '1399' }, season: 1, episode: 2 }, false).map(
      ({ group }) => group,
    ),
    ['shows'],
    'an id of the show is not one of the episode',
  )
  t.same(
    namesOf({ type: 'episode', ids: { imdb: 'tt1' }, show_ids: { tmdb: '1399' }, season: 1, episode: 2 }, false).map(
      ({ group }) => group,
    ),
    ['shows', 'episodes'],
  )
  t.same(
    namesOf({ type: 'episode', ids: {}, show_ids: { tmdb: '1399' }, season: 1 }, false),
    [],
    "without its number an episode is nobody's",
  )
  t.end()
})

t.test('counts that do not add up make a kind unknown, and no other', (t) => {
  const targets = targetsOf([
    { type: 'movie', ids: { tracka: '1' } },
    { type: 'movie', ids: { tracka: '2' } },
    { type: 'show', ids: { tracka: '3' } },
  ])
  const verdicts = verdictsOf(targets, { added: { movies: 1, shows: 1 } }, 'adds')
  t.match([verdicts.movies, verdicts.shows], [{ outcome: 'unknown', reason: 'count_mismatch' }, { outcome: 'applied' }])
  t.match(verdictsOf(targets, { added: { movies: 1 }, existing: { movies: 1, shows: 1 } }, 'adds').movies, {
    outcome: 'applied',
  })
  t.match(verdictsOf(targets, {}, 'adds').movies, { outcome: 'unknown' }, 'an answer without counts says nothing')
  t.end()
})
