// Contradiction has one answer, over items and over tokens.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import {
  anyContradict,
  anyTokensContradict,
  contradicts,
  idSlotOf,
  idSlotsOf,
  slotsContradict,
} from '../../../sdk/items/contradict.ts'
import { type IdScheme, STRONG_SCHEMES } from '../../../sdk/items/id-schemes.ts'
import type { Item } from '../../../sdk/items/item.ts'
import { kindOf } from '../../../sdk/items/kind.ts'
import { mergeIds, strongConflicts } from '../../../sdk/items/merge-ids.ts'
import { compareItems, tokensOf } from '../../../sdk/items/tokens.ts'
import { episode, fewIds, itemWith, movie } from './support.ts'

const item = itemWith(fewIds)
const numRuns = runsOf(2_000)
const holds = (property: fc.IProperty<any>) => fc.assert(property, { numRuns })

t.test('it is symmetric, and no item contradicts itself', async () => {
  holds(fc.property(item, item, (a, b) => contradicts(a, b) === contradicts(b, a)))
  holds(fc.property(item, (a) => !contradicts(a, a)))
})

t.test('items and their tokens agree', async () => {
  holds(
    fc.property(item, item, (a, b) => {
      if (kindOf(a) !== kindOf(b)) return true
      return contradicts(a, b) === slotsContradict(idSlotsOf(tokensOf(a)), idSlotsOf(tokensOf(b)))
    }),
  )
})

t.test('items that are the same never contradict, and their ids can be united', async () => {
  holds(fc.property(item, item, (a, b) => compareItems(a, b) !== 'same' || !contradicts(a, b)))
  holds(
    fc.property(fewIds, fewIds, (a, b) => {
      const merged = mergeIds(a, b)
      if (contradicts(movie(a), movie(b))) return merged.conflicts.length > 0
      return strongConflicts(merged.ids, a).length + strongConflicts(merged.ids, b).length === 0
    }),
  )
})

t.test('a further id never makes a contradiction vanish', async () => {
  const scheme = fc.constantFrom<IdScheme>(...STRONG_SCHEMES)
  holds(
    fc.property(item, item, scheme, fc.boolean(), (a, b, name, ofShow) => {
      const added = name === 'imdb' ? 'tt9' : '9'
      const more: Item = ofShow
        ? { ...a, show_ids: { [name]: added, ...a.show_ids } }
        : { ...a, ids: { [name]: added, ...a.ids } }
      return !contradicts(a, b) || contradicts(more, b)
    }),
  )
})

t.test('a list contradicts if two of its items do, in any order', async () => {
  holds(
    fc.property(fc.array(item, { maxLength: 6 }), (items) => {
      const kind = items[0] && kindOf(items[0])
      const own = items.filter((one) => kindOf(one) === kind)
      const wanted = own.some((a) => own.some((b) => contradicts(a, b)))
      const tokens = own.map((one) => tokensOf(one))
      return (
        anyContradict(own) === wanted &&
        anyContradict(own.toReversed()) === wanted &&
        anyTokensContradict(tokens) === wanted
      )
    }),
  )
})

t.test('numbers of episodes, ids of one provider and other kinds never contradict', async (t) => {
  t.notOk(contradicts(episode({ tvdb: '1' }, 1, 1), episode({ tvdb: '1' }, 1, 2)))
  t.notOk(anyTokensContradict([['show:tvdb:1#s01e01'], ['show:tvdb:1#s01e02']]))
  t.ok(anyTokensContradict([['show:tvdb:1#s01e01'], ['show:tvdb:2#s01e01']]))
  t.ok(anyTokensContradict([['movie:imdb:tt1'], [], ['movie:imdb:tt2']]))
  t.notOk(anyTokensContradict([['movie:tmdb:1'], ['show:tmdb:2']]))
  t.notOk(anyTokensContradict([['movie:slug:a'], ['movie:slug:b']]))
  t.same(idSlotOf('show:tvdb:121361#s01e01'), ['show:tvdb#', '121361'])
  t.same(idSlotOf('movie:guid:plex://movie/1:2'), undefined)
  t.same(idSlotOf('movie:guid:plex://movie/1:2', 'provider'), ['movie:guid', 'plex://movie/1:2'])
  t.same(idSlotOf('movie|title:heat|year:1995'), undefined)
})
