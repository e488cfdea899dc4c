// What is kept about an account between reads and writes: which rows the last complete read had, what was just written,
// which ids of others were found, and which rows a rating may take off the watchlist.
import type { Ids, KeyValueStore } from '@playhead/sdk'

export type ListName =
  | 'watchlist/movies'
  | 'watchlist/tv'
  | 'ratings/movies'
  | 'ratings/tv'
  | 'ratings/episodes'
  | `list/${string}`
/** Present (for ratings the value), or absent. */
export type Wanted = number | boolean

/** Reads lag writes by some seconds: for so long a read that says otherwise proves nothing. */
const SETTLED_MS = 60_000
const FOUND = 'found/'

export interface Memory {
  /** Rows of the last complete read; undefined when there was none. */
  seen(list: ListName): Promise<ReadonlySet<string> | undefined>
  setSeen(list: ListName, rows: ReadonlySet<string>): Promise<void>
  /** What was written so lately that a read may not show it yet. */
  recent(list: ListName): Promise<ReadonlyMap<string, Wanted>>
  wrote(list: ListName, row: string, wanted: Wanted): Promise<void>
  /** Ids by which a work (`movie/900001`) was found here. */
  foundIds(): Promise<Readonly<Record<string, Ids>>>
  found(work: string, ids: Ids): Promise<void>
  /** Works that were on the watchlist when they were rated, and when that was. */
  owed(): Promise<Readonly<Record<string, number>>>
  owe(work: string): Promise<void>
  settle(works: readonly string[]): Promise<void>
  now(): number
}

type Written = Readonly<Record<string, { readonly wanted: Wanted; readonly atMs: number }>>

/**
 * @param accountId whose lists they are: a profile may be signed in to another account, about which these say nothing
 */
export function createMemory(store: KeyValueStore, accountId: () => Promise<string>, now: () => number): Memory {
  const own = async (name: string) => `${await accountId()}/${name}`
  // One after the other, so that none undoes what another did.
  let last: Promise<unknown> = Promise.resolve()
  function change<Value>(key: string, empty: Value, next: (value: Value) => Value, ttlMs?: number): Promise<void> {
    const mine = last.then(async () => store.set(key, next((await store.get<Value>(key)) ?? empty), ttlMs))
    last = mine.catch(() => {
      /* Whoever waits for it is told. */
    })
    return mine
  }
  const isRecent = ({ atMs }: { readonly atMs: number }) => now() - atMs < SETTLED_MS

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
          .filter(([, one]) => isRecent(one))
          .map(([row, { wanted }]) => [row, wanted]),
      )
    },
    wrote: async (list, row, wanted) =>
      change<Written>(
        await own(`wrote/${list}`),
        {},
        (written) => ({
          ...Object.fromEntries(Object.entries(written).filter(([, one]) => isRecent(one))),
          [row]: { wanted, atMs: now() },
        }),
        SETTLED_MS,
      ),
    async foundIds() {
      const all: Record<string, Ids> = {}
      for await (const [key, ids] of store.entries<Ids>()) if (key.startsWith(FOUND)) all[key.slice(FOUND.length)] = ids
      return all
    },
    // A key for each work: there may be thousands, and one comes at a time.
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

/** Whether something written at this time shows in every read by now. */
export function isSettled(atMs: number, nowMs: number): boolean {
  return nowMs - atMs >= SETTLED_MS
}
