// Stored state of an account between reads and writes: rows of the last complete read, recent writes, resolved external
// ids, and works that a rating may remove from the watchlist.
import { isRecent } from '@playhead/sdk'
import type { Ids, KeyValueStore } from '@playhead/sdk'

export type ListName =
  | 'watchlist/movies'
  | 'watchlist/tv'
  | 'ratings/movies'
  | 'ratings/tv'
  | 'ratings/episodes'
  | `list/${string}`
/** The rating or true if present, false if absent. */
export type Wanted = number | boolean

/** Reads lag writes by some seconds, so recent contradictions prove nothing. */
const SETTLED_MS = 60_000
const FOUND = 'found/'

export interface Memory {
  /** Rows of the last complete read; undefined before the first one. */
  seen(list: ListName): Promise<ReadonlySet<string> | undefined>
  setSeen(list: ListName, rows: ReadonlySet<string>): Promise<void>
  /** Recent writes that a read may not show yet. */
  recent(list: ListName): Promise<ReadonlyMap<string, Wanted>>
  wrote(list: ListName, row: string, wanted: Wanted): Promise<void>
  /** External ids with which a work (`movie/900001`) was found. */
  foundIds(): Promise<Readonly<Record<string, Ids>>>
  found(work: string, ids: Ids): Promise<void>
  /** Works that were on the watchlist when they were rated, with that time. */
  owed(): Promise<Readonly<Record<string, number>>>
  owe(work: string): Promise<void>
  settle(works: readonly string[]): Promise<void>
  now(): number
}

type Written = Readonly<Record<string, { readonly wanted: Wanted; readonly atMs: number }>>

/** `accountId` separates the accounts that a profile was signed in to. */
export function createMemory(store: KeyValueStore, accountId: () => Promise<string>, now: () => number): Memory {
  const own = async (name: string) => `${await accountId()}/${name}`
  // Serializes changes.
  let last: Promise<unknown> = Promise.resolve()
  function change<Value>(key: string, empty: Value, next: (value: Value) => Value, ttlMs?: number): Promise<void> {
    const mine = last.then(async () => store.set(key, next((await store.get<Value>(key)) ?? empty), ttlMs))
    last = mine.catch(() => {
      /* The callers that wait for the promise receive the error. */
    })
    return mine
  }
  const isUnsettled = ({ atMs }: { readonly atMs: number }) => isRecent(atMs, now(), SETTLED_MS)

  return {
    now,
    async seen(list) {
      const rows = await store.get<readonly string[]>(await own(`seen/${list}`))
      return rows === undefined ? undefined : new Set(rows)
    },
    setSeen: async (list, rows) => store.set(await own(`seen/${list}`), [...rows]),
    async recent(list) {
      await last
      const written = (await store.get<Written>(await own(`wrote/${list}`))) ?? {}
      return new Map(
        Object.entries(written)
          .filter(([, one]) => isUnsettled(one))
          .map(([row, { wanted }]) => [row, wanted]),
      )
    },
    wrote: async (list, row, wanted) =>
      change<Written>(
        await own(`wrote/${list}`),
        {},
        (written) => ({
          ...Object.fromEntries(Object.entries(written).filter(([, one]) => isUnsettled(one))),
          [row]: { wanted, atMs: now() },
        }),
        SETTLED_MS,
      ),
    async foundIds() {
      const all: Record<string, Ids> = {}
      for await (const [key, ids] of store.entries<Ids>()) if (key.startsWith(FOUND)) all[key.slice(FOUND.length)] = ids
      return all
    },
    // One key per work, because there may be thousands.
    found: (work, ids) => change<Ids>(FOUND + work, {}, (known) => ({ ...known, ...ids })),
    owed: async () => (await store.get<Readonly<Record<string, number>>>(await own('owed'))) ?? {},
    owe: async (work) =>
      change<Readonly<Record<string, number>>>(await own('owed'), {}, (all) => ({ ...all, [work]: now() })),
    settle: async (works) =>
      change<Readonly<Record<string, number>>>(await own('owed'), {}, (all) =>
        Object.fromEntries(Object.entries(all).filter(([work]) => !works.includes(work))),
      ),
  }
}

/** Whether every read shows a write of this time by now. */
export function isSettled(atMs: number, nowMs: number): boolean {
  return nowMs - atMs >= SETTLED_MS
}
