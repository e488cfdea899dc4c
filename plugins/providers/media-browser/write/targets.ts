// Finds the server items of a batch with their current user data, in bulk.
import type { Item, ItemOutcome, WriteItem } from '@playhead/sdk'
import type { Entry, Found, Library } from '../library-contract.ts'
import type { Session } from '../session.ts'
import { readStates } from '../read/states.ts'
import type { UserData } from '../wire.ts'

export interface Target {
  readonly entry: Entry
  readonly data: UserData
}

/** By key of the write item: all copies of the work, or the reason why there are none. */
export type Targets = ReadonlyMap<string, Place>
type Place = { readonly targets: readonly Target[] } | { readonly reason: string }

/** Outcome of an item without a target. */
export function withoutTarget({ reason }: { readonly reason: string }): ItemOutcome {
  if (reason === 'state_unreadable') return { outcome: 'failed', reason }
  return { outcome: reason === 'ambiguous_identity' ? 'rejected' : 'not_found', reason }
}

export async function findTargets(
  session: Session,
  libraries: readonly string[],
  items: readonly WriteItem[],
  signal: AbortSignal,
  /** A file of several episodes is a target of each of them. */
  shared = false,
): Promise<Targets> {
  const library = session.library(libraries)
  await library.ready(signal)
  let found = locate(library, items, shared)
  if ([...found.values()].some((each) => 'reason' in each && MAY_BE_NEW.has(each.reason))) {
    await library.refresh(signal)
    found = locate(library, items, shared)
  }
  const entries = [...found.values()].flatMap((each) => ('entries' in each ? each.entries : []))
  const states = await readStates(
    session,
    entries.map(({ id }) => id),
    signal,
  )
  for (const { id } of entries) if (!states.has(id)) library.forget(id)
  return new Map(
    [...found].map(([key, each]): [string, Place] => {
      if ('reason' in each) return [key, each]
      const there = each.entries.filter(({ id }) => states.has(id))
      const targets = there.flatMap((entry) => {
        const data = states.get(entry.id)?.UserData
        return data == null ? [] : [{ entry, data }]
      })
      if (targets.length > 0) return [key, { targets }]
      // Without the current state no value may be overwritten.
      return [key, { reason: there.length > 0 ? 'state_unreadable' : 'not_in_library' }]
    }),
  )
}

const MAY_BE_NEW = new Set(['not_in_library', 'episode_missing'])

function locate(library: Library, items: readonly WriteItem[], shared: boolean): Map<string, Found> {
  return new Map(items.map(({ key, item }) => [key, withNative(library, item, shared)]))
}

// The row id from this account takes precedence over external ids.
function withNative(library: Library, item: Item, shared: boolean): Found {
  const found = library.find(item, shared)
  const id = item.native?.item_id
  const own = id === undefined ? undefined : library.byId(id)
  if (own === undefined) return found
  if ('reason' in found) return { entries: [own] }
  return found.entries.includes(own) ? found : { entries: [own, ...found.entries] }
}
