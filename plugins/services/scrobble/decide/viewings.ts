// Viewings in memory by destination, and the plays that trackers have of them.
import { tokensOf, type Item } from '@playhead/sdk/items'
import type { Observation } from '../contract.ts'
import type { StoredViewing } from '../store/store.ts'
import { COMPLETION_MEMORY_MS } from './observe.ts'
import { deviceOf, type EarlierPlay, isSameItem, itemName, personOf, type Viewing, viewingKey } from './viewing.ts'

export interface Viewings {
  find(destination: string, seen: Observation): { readonly key: string; readonly viewing: Viewing | undefined }
  get(destination: string, key: string): Viewing | undefined
  set(destination: string, key: string, viewing: Viewing): void
  /** A stored viewing and its play. Does not replace a newer one. */
  restore(stored: StoredViewing): void
  /** Recent plays of the item at a tracker account, from any viewing. */
  playsOf(sink: string, item: Item): readonly EarlierPlay[]
  notePlay(sink: string, item: Item, play: EarlierPlay): void
  /** Open viewings with a due pause, or without a report since `silentMs`. */
  overdue(nowMs: number, silentMs: number): readonly StoredViewing[]
  all(): Iterable<StoredViewing>
  /** Forgets viewings that last changed before this time. */
  forget(beforeMs: number): void
}

// Smaller position changes alone are not stored.
const STORED_STEP = 2

export function createViewings(stored: readonly StoredViewing[]): Viewings {
  const known = new Map<string, Map<string, Viewing>>()
  const plays = new Map<string, readonly EarlierPlay[]>()

  function of(destination: string): Map<string, Viewing> {
    const found = known.get(destination)
    if (found !== undefined) return found
    const made = new Map<string, Viewing>()
    known.set(destination, made)
    return made
  }

  const viewings: Viewings = {
    find(destination, seen) {
      const key = viewingKey(seen)
      const own = of(destination)
      const viewing = own.get(key)
      if (viewing !== undefined) return { key, viewing }
      const other = sameElsewhere(own, seen)
      return other ?? { key, viewing: undefined }
    },
    get: (destination, key) => known.get(destination)?.get(key),
    set(destination, key, viewing) {
      of(destination).set(key, viewing)
    },
    restore({ destination, key, viewing }) {
      if (of(destination).has(key)) return
      viewings.set(destination, key, viewing)
      for (const { item, lastPlay } of [viewing, ...(viewing.before ?? [])])
        if (lastPlay !== null) viewings.notePlay(sinkOf(destination), item, lastPlay)
    },
    playsOf(sink, item) {
      return [...new Set(namesOf(item).flatMap((name) => plays.get(`${sink} ${name}`) ?? []))]
    },
    notePlay(sink, item, play) {
      for (const name of namesOf(item)) {
        const known = plays.get(`${sink} ${name}`) ?? []
        const same = known.find(({ startedAtMs }) => startedAtMs === play.startedAtMs)
        if (same !== undefined && same.endedAtMs >= play.endedAtMs) continue
        plays.set(`${sink} ${name}`, [...known.filter((one) => one !== same), play])
      }
    },
    overdue(nowMs, silentMs) {
      return [...viewings.all()].filter(
        ({ viewing: { pauseDueAtMs, level, lastAtMs } }) =>
          (pauseDueAtMs !== null && pauseDueAtMs <= nowMs) || (level !== 'stopped' && nowMs - lastAtMs > silentMs),
      )
    },
    *all() {
      for (const [destination, own] of known) for (const [key, viewing] of own) yield { destination, key, viewing }
    },
    forget(beforeMs) {
      for (const own of known.values()) for (const [key, { lastAtMs }] of own) if (lastAtMs < beforeMs) own.delete(key)
      for (const [name, known] of plays) {
        const kept = known.filter(({ endedAtMs }) => endedAtMs >= beforeMs)
        if (kept.length === 0) plays.delete(name)
        else plays.set(name, kept)
      }
    },
  }

  for (const one of stored) viewings.restore(one)
  return viewings
}

export function sinkOf(destination: string): string {
  return destination.slice(destination.indexOf('>') + 1)
}

/** Whether the change must be stored because a restart could not recompute it. */
export function isWorthStoring(was: Viewing | undefined, next: Viewing): boolean {
  return (
    was === undefined ||
    was.level !== next.level ||
    was.emitted !== next.emitted ||
    was.completedAtMs !== next.completedAtMs ||
    was.pauseDueAtMs !== next.pauseDueAtMs ||
    was.startedAtMs !== next.startedAtMs ||
    Math.floor(next.reached / STORED_STEP) !== Math.floor(was.reached / STORED_STEP)
  )
}

/**
 * A viewing of the same person and item under another key: the server renamed the item, or the viewing or this report names
 * no device.
 */
function sameElsewhere(
  own: ReadonlyMap<string, Viewing>,
  seen: Observation,
): { readonly key: string; readonly viewing: Viewing } | undefined {
  const [person, device] = [personOf(seen), deviceOf(seen)]
  let found: { readonly key: string; readonly viewing: Viewing } | undefined
  for (const [key, viewing] of own) {
    if (Math.abs(seen.atMs - viewing.lastAtMs) > COMPLETION_MEMORY_MS) continue
    if (found !== undefined && viewing.lastAtMs <= found.viewing.lastAtMs) continue
    const [otherPerson, otherDevice] = JSON.parse(key) as [string, string, string]
    if (otherPerson !== person) continue
    const isUnnamed = seen.deviceId === undefined || otherDevice.startsWith('session:')
    if (otherDevice !== device && !(isUnnamed && viewing.level !== 'stopped')) continue
    if (isSameItem(viewing.item, seen.item)) found = { key, viewing }
  }
  return found
}

/** Names that identify an item anywhere; for an item without shared ids, its name at its server. */
function namesOf(item: Item): readonly string[] {
  const tokens = tokensOf(item)
  return tokens.length > 0 ? tokens : [itemName(item)]
}
