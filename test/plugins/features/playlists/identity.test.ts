// Identity of list entries: keys, native ids, and matching between source and target.
import fc from '../../../fast-check.ts'
import t from 'tap'
import type { ListEntry, ReadList } from '@playhead/sdk'
import {
  formatKey,
  formatPlayKey,
  type Ids,
  type IdScheme,
  type Item,
  keyOf,
  parseItem,
  parsePlayKey,
} from '@playhead/sdk/items'
import { ID_SCHEMES, SCHEMES } from '../../../../sdk/items/id-schemes.ts'
import { matchLists } from '../../../../plugins/features/playlists/match.ts'
import { episode, fewIds, idOf, ids, itemWith, playKey } from '../../../sdk/items/support.ts'
import { must } from './lives.ts'

const key = (item: Item) => {
  const made = keyOf(item)
  return made.ok ? formatKey(made.value) : undefined
}

function listOf(id: string, items: readonly Item[]): ReadList {
  const entries = items.map((item, index): ListEntry => ({ key: `${id}${index}`, item }))
  const can = { canAdd: true, canRemove: true, canMove: true }
  return { id, entries, unreadable: 0, kinds: ['movie', 'show', 'season', 'episode'], duplicates: true, ...can }
}

/** Whether the two are one item for a mapping between different services. */
async function isSame(a: Item, b: Item): Promise<boolean> {
  const known = { managed: [], refused: [], within: 'anywhere' } as const
  const groups = await matchLists(listOf('s', [a]), [listOf('t', [b])], known, () => undefined)
  return groups.some(({ source, targets }) => source.length > 0 && targets.length > 0)
}

t.test('property 1: reading an item again changes neither the item nor its key', async () =>
  fc.assert(
    fc.property(itemWith(ids), (item) => {
      const [once] = [parseItem(item)]
      if (!once.ok) return false
      const twice = parseItem(once.value)
      return twice.ok && JSON.stringify(twice.value) === JSON.stringify(once.value) && key(twice.value) === key(item)
    }),
  ),
)

t.test('property 2: a film and a show with the same ids are two items, in every scheme', async () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...SCHEMES).chain((scheme) => idOf(scheme).map((id) => ({ [scheme]: id }) as Ids)),
      async (same) => {
        const [film, show] = [{ type: 'movie', ids: same } as const, { type: 'show', ids: same } as const]
        must(key(film) === undefined || key(film) !== key(show), 'key', key(film))
        must(!(await isSame(film, show)), 'matched', same)
      },
    ),
  ),
)

t.test('property 3: server ids are kept unchanged, so different ones stay different', async () => {
  const native = SCHEMES.filter((scheme) => ID_SCHEMES[scheme].reach === 'account')
  const hex = fc.stringMatching(/^[0-9a-f]{12,32}$/).filter((text) => !/^0+$/.test(text))
  fc.assert(
    fc.property(fc.constantFrom(...native), hex, hex, (scheme: IdScheme, a, b) => {
      const idsOf = (id: string) => {
        const item = parseItem({ type: 'movie', title: 'Heat', year: 1995, ids: { [scheme]: id } })
        return item.ok ? item.value.ids[scheme] : undefined
      }
      const [left, right] = [idsOf(a), idsOf(b)]
      return left === undefined || (left === a && (a === b) === (left === right))
    }),
  )
})

t.test('property 4: matching is symmetric and reflexive, and more agreeing ids lose no match', async () =>
  fc.assert(
    fc.asyncProperty(itemWith(fewIds), itemWith(fewIds), fewIds, async (a, b, more) => {
      const same = await isSame(a, b)
      must(same === (await isSame(b, a)), 'symmetric', [a, b])
      const hasIds = [...Object.keys(a.ids), ...Object.keys(a.show_ids ?? {})].length > 0
      must(!hasIds || (await isSame(a, structuredClone(a))), 'reflexive', a)
      if (!same || a.type === 'season' || a.type === 'episode') return
      // Existing ids of either item take precedence over added ones.
      const richer = { ...a, ids: { ...more, ...b.ids, ...a.ids } }
      must(await isSame(richer, b), 'richer', [a, b, richer])
    }),
  ),
)

t.test('property 5: episodes match by their show and numbers, never by a title', async () =>
  fc.assert(
    fc.asyncProperty(fewIds, fewIds, fc.nat(2), fc.nat(2), fc.nat(2), fc.nat(2), async (a, b, s1, e1, s2, e2) => {
      const titled = { title: 'Pilot', series_title: 'Signal', series_year: 2001 }
      const [left, right] = [
        { ...episode(a, s1, e1 + 1), ...titled },
        { ...episode(b, s2, e2 + 1), ...titled },
      ]
      const shared = Object.entries(a).filter(([scheme, id]) => b[scheme as IdScheme] === id).length
      const differing = Object.entries(a).filter(([scheme, id]) => (b[scheme as IdScheme] ?? id) !== id).length
      const expected = s1 === s2 && e1 === e2 && shared > 0 && differing === 0
      must((await isSame(left, right)) === expected, 'episodes', [left, right])
    }),
  ),
)

t.test('property 6: the key of a play contains its item and its time', async () =>
  fc.assert(
    fc.property(playKey, ({ item, mark }) => {
      const read = parsePlayKey(formatPlayKey({ item, mark }))
      return (
        read.ok &&
        formatKey(read.value.item) === formatKey(item) &&
        JSON.stringify(read.value.mark) === JSON.stringify(mark)
      )
    }),
  ),
)
