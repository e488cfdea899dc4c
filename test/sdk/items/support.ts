// Items, ids and keys for the tests of the item model.
import fc from '../../fast-check.ts'
import { type Ids, type IdScheme, ID_SCHEMES, SCHEMES, STRONG_SCHEMES } from '../../../sdk/items/id-schemes.ts'
import type { Item } from '../../../sdk/items/item.ts'
import { type ItemKey, type PlayKey, slugOf } from '../../../sdk/items/key.ts'

const digits = fc.integer({ min: 1, max: 999_999_999 }).map(String)
const printable = fc
  .string({ unit: fc.constantFrom(...'abcXYZ019:/#@%-._'), minLength: 1, maxLength: 20 })
  .filter((text) => !/^0+$/.test(text))

/** An id of a scheme, in normal form. */
export function idOf(scheme: IdScheme): fc.Arbitrary<string> {
  if (scheme === 'imdb') return digits.map((number) => `tt${number}`)
  if (scheme === 'guid') return printable.map((text) => `plex://${text}`)
  if (scheme === 'slug')
    return fc
      .stringMatching(/^[a-z][a-z0-9-]{0,20}[a-z]$/)
      .filter((text) => !['none', 'null', 'nan', 'undefined', 'unknown'].includes(text))
  return ID_SCHEMES[scheme].reach === 'account' ? printable.map((text) => `x${text.toLowerCase()}`) : digits
}

export const ids: fc.Arbitrary<Ids> = fc.record(Object.fromEntries(SCHEMES.map((scheme) => [scheme, idOf(scheme)])), {
  requiredKeys: [],
})

/** Few distinct ids, so that rows match and contradict each other. */
export const fewIds: fc.Arbitrary<Ids> = fc.record(
  Object.fromEntries(
    STRONG_SCHEMES.map((scheme) => [
      scheme,
      fc.integer({ min: 1, max: 4 }).map((n) => (scheme === 'imdb' ? `tt${n}` : String(n))),
    ]),
  ),
  { requiredKeys: [] },
)

const keyId = fc
  .constantFrom(...SCHEMES.filter((scheme) => ID_SCHEMES[scheme].rank !== null))
  .chain((scheme) => idOf(scheme).map((id) => ({ by: 'id' as const, scheme, id })))
const keyTitle = fc.record({
  by: fc.constant('title' as const),
  slug: fc
    .string({ unit: 'grapheme', minLength: 1 })
    .map(slugOf)
    .filter((slug) => slug !== ''),
  year: fc.option(fc.integer({ min: 1, max: 9999 })),
})
const number = fc.integer({ min: 0, max: 2_000 })

export const itemKey: fc.Arbitrary<ItemKey> = fc.oneof(
  fc
    .record({ kind: fc.constantFrom('movie', 'show', 'season', 'episode'), name: keyId })
    .map(({ kind, name }) => ({ base: { kind, ...name } }) as ItemKey),
  fc
    .record({ kind: fc.constantFrom('movie', 'show'), name: keyTitle })
    .map(({ kind, name }) => ({ base: { kind, ...name } }) as ItemKey),
  fc
    .record({ name: fc.oneof(keyId, keyTitle), season: number, episode: fc.option(number, { nil: undefined }) })
    .map(
      ({ name, season, episode }) =>
        ({
          base: { kind: 'show', ...name },
          part: { season, ...(episode === undefined ? {} : { episode }) },
        }) as ItemKey,
    ),
)

export const playKey: fc.Arbitrary<PlayKey> = fc.record({
  item: itemKey,
  mark: fc.oneof(
    fc.record({
      epochSeconds: fc.oneof(
        fc.integer({ min: -3_000_000_000, max: -1 }),
        fc.integer({ min: 86_400, max: 99_999_999_999 }),
      ),
    }),
    fc.record({ eventId: fc.string({ unit: 'grapheme', minLength: 1 }) }),
    fc.record({
      date: fc
        .date({ min: new Date('1971-01-01'), max: new Date('9999-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10)),
    }),
  ),
})

/** An item of any type around the given ids. */
export function itemWith(some: fc.Arbitrary<Ids>): fc.Arbitrary<Item> {
  return fc.oneof(
    fc.record({
      type: fc.constantFrom('movie', 'show', 'anime'),
      ids: some,
      title: fc.constantFrom('Heat', 'Ran'),
      year: fc.constantFrom(1985, 1995),
    }),
    fc.record({ type: fc.constant('season'), ids: some, show_ids: some, season: fc.integer({ min: 0, max: 2 }) }),
    fc.record({
      type: fc.constant('episode'),
      ids: some,
      show_ids: some,
      season: fc.integer({ min: 0, max: 2 }),
      episode: fc.integer({ min: 1, max: 2 }),
    }),
  ) as fc.Arbitrary<Item>
}

export const movie = (some: Ids, rest: Partial<Item> = {}): Item => ({ type: 'movie', ids: some, ...rest })
export const show = (some: Ids, rest: Partial<Item> = {}): Item => ({ type: 'show', ids: some, ...rest })
export const episode = (showIds: Ids, season: number, n: number, own: Ids = {}): Item => ({
  type: 'episode',
  ids: own,
  show_ids: showIds,
  season,
  episode: n,
})
