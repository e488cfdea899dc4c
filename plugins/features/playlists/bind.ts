// Some services list an item under ids that no other service knows. Right after the write such an entry can be recognized: it is
// new, no other add explains it, and no id proves that it is another item.
import type { ManagedItem, PlannedAdd } from '@playhead/sdk'
import { kindOf, type Reach, sharesScheme, titleTokenOf } from '@playhead/sdk/items'
import type { Entry, Group } from './groups.ts'
import type { WrittenList } from './written.ts'

/** Records that link each such entry with the added item. */
export function bindForeign(
  groups: readonly Group[],
  lists: readonly WrittenList[],
  within: Reach,
): readonly ManagedItem[] {
  return lists.flatMap((list) => {
    const missing = missingAdds(groups, list)
    const fresh = missing.length === 0 ? [] : unexplained(groups, list)
    return pairUp(missing, fresh, within).flatMap(([{ key, tokens }, entry]): ManagedItem[] => {
      if (entry.tokens.length === 0 && entry.id === undefined) return []
      const all = [...new Set([...tokens, ...entry.tokens])]
      if (!list.isSource) return [{ key, tokens: all, ...idOf(entry), list: list.id, added: true }]
      const there = groups.find((group) => tokens.some((token) => group.tokens.has(token)))?.targets[0]
      return there === undefined
        ? []
        : [{ key: entry.key, tokens: all, ...idOf(there), list: there.list, added: false }]
    })
  })
}

/** Adds that the list accepted but does not show under any of their ids. */
function missingAdds(groups: readonly Group[], { id, isSource, isRead, adds, done }: WrittenList): PlannedAdd[] {
  if (!isRead || done.size === 0) return []
  const shown = new Set(
    groups.flatMap((group) => {
      const entries = isSource ? group.source : group.targets.filter(({ list }) => list === id)
      return entries.length === 0 ? [] : [...group.tokens]
    }),
  )
  return adds.filter(({ key, tokens }) => done.has(key) && !tokens.some((token) => shown.has(token)))
}

function unexplained(groups: readonly Group[], { id, isSource, isNew }: WrittenList): Entry[] {
  return groups.flatMap(({ source, targets, records }) => {
    const [mine, others] = isSource ? [source, targets] : [targets, source]
    if (others.length > 0 || records.length > 0) return []
    return mine.filter((entry) => entry.list === id && isNew(entry))
  })
}

/** Matches by title if that is unambiguous, then in order if all remaining entries can be paired. */
function pairUp(
  adds: readonly PlannedAdd[],
  entries: readonly Entry[],
  within: Reach,
): readonly (readonly [PlannedAdd, Entry])[] {
  const canBe = ({ item }: PlannedAdd, entry: Entry) =>
    kindOf(item) === kindOf(entry.item) && !sharesScheme(item, entry.item, { within })
  const titled = adds.flatMap((add) => {
    const title = titleTokenOf(add.item)
    const [entry, ...others] = entries.filter((one) => titleTokenOf(one.item) === title && canBe(add, one))
    return title === undefined || entry === undefined || others.length > 0 ? [] : [[add, entry] as const]
  })
  const clear = titled.filter(([, entry]) => titled.filter(([, other]) => other === entry).length === 1)
  const done = new Set<PlannedAdd | Entry>(clear.flat())
  const restOfAdds = adds.filter((add) => !done.has(add))
  const restOfEntries = entries.filter((entry) => !done.has(entry))
  const inOrder = restOfAdds.map((add, index) => [add, restOfEntries[index]] as const)
  const fits =
    restOfAdds.length === restOfEntries.length &&
    inOrder.every(([add, entry]) => entry !== undefined && canBe(add, entry))
  return fits ? [...clear, ...(inOrder as (readonly [PlannedAdd, Entry])[])] : clear
}

function idOf({ id }: Entry): { readonly entry?: string } {
  return id === undefined ? {} : { entry: id }
}
