// What is known of all watchlists: the rows of every configured account as they were last read, united where they are
// the same item.
import {
  createTokenIndex,
  type Account,
  type Accounts,
  type Inventory,
  type Remote,
  type SyncService,
} from '@playhead/sdk'
import { mergeRows, namesOf, type Merged } from './merged.ts'
import { pause, inChunks } from './pause.ts'
import type { Hidden } from './hidden.ts'
import type { Source, StoredRow } from './row.ts'

/** One item of the list. */
export interface Entry extends Merged {
  /** Names it among all entries, as long as the ids allow that. */
  readonly key: string
  /** All keys that mean it. */
  readonly names: readonly string[]
  readonly rows: readonly StoredRow[]
}

export interface View {
  readonly entries: readonly Entry[]
  /** The newest read of any account; null before the first. */
  readonly lastReadAtMs: number | null
}

export interface ViewSources {
  readonly accounts: Pick<Remote<Accounts>, 'list' | 'providers'>
  readonly sync: Pick<Remote<SyncService>, 'inventories' | 'inventoryRows'>
  readonly hidden: Pick<Hidden, 'load'>
  /** False while there is no sync engine, and so nothing was ever read. */
  readonly isThere: () => boolean
  /** Accounts that are not signed in now count as well. */
  readonly signedOut?: boolean
}

export async function loadView({ accounts, sync, hidden, isThere, signedOut = false }: ViewSources): Promise<View> {
  if (!isThere()) return { entries: [], lastReadAtMs: null }
  const [all, providers, inventories, isHidden] = await Promise.all([
    accounts.list(),
    accounts.providers(),
    sync.inventories('watchlist'),
    hidden.load(),
  ])
  const tokens = new Map(providers.map(({ id, token }) => [id, wireToken(token)]))
  const sources = inventories.flatMap((inventory) =>
    toSource(inventory, signedOut ? all : all.filter(({ configured }) => configured), tokens),
  )
  const index = createTokenIndex<StoredRow>(({ item }) => item)
  for (const source of sources) {
    const { provider, instance, readAtMs } = source
    for await (const page of sync.inventoryRows(provider, instance, 'watchlist')) {
      for (const { key, item } of page) {
        if (!isHidden({ provider, instance, key }, readAtMs)) index.add({ source, key, item })
      }
      await pause()
    }
  }
  const lastReadAtMs = sources.length === 0 ? null : Math.max(...sources.map(({ readAtMs }) => readAtMs))
  return { entries: await toEntries(index.groups().map(({ rows }) => rows)), lastReadAtMs }
}

/** Provider names in fields: settings of one stand in a section with another ending. */
export function wireToken(token: string): string {
  return token.replace(/_sync$/i, '').toLowerCase()
}

async function toEntries(groups: readonly (readonly StoredRow[])[]): Promise<readonly Entry[]> {
  const count = new Map<string, number>()
  const named: { readonly merged: Merged; readonly names: readonly string[]; readonly rows: readonly StoredRow[] }[] =
    []
  for await (const part of inChunks(groups)) {
    for (const rows of part) {
      const merged = mergeRows(rows)
      const names = namesOf(merged.item, rows)
      for (const name of names) count.set(name, (count.get(name) ?? 0) + 1)
      named.push({ merged, names, rows })
    }
  }
  // Rows that contradict each other in an id share the other ones: none of those names either of them.
  const entries: Entry[] = []
  for await (const part of inChunks(named)) {
    for (const { merged, names, rows } of part) {
      entries.push({ ...merged, key: names.find((name) => count.get(name) === 1) ?? (names[0] as string), names, rows })
    }
  }
  return entries.sort(newestFirst)
}

function toSource(
  { provider, instance, readAtMs }: Inventory,
  accounts: readonly Account[],
  tokens: ReadonlyMap<string, string>,
): Source[] {
  const isShown = accounts.some((account) => account.provider === provider && account.instance === instance)
  return isShown && readAtMs !== null
    ? [{ provider, token: tokens.get(provider) ?? provider.toLowerCase(), instance, readAtMs }]
    : []
}

function newestFirst(a: Entry, b: Entry): number {
  return (
    (b.added?.atMs ?? 0) - (a.added?.atMs ?? 0) || (b.item.year ?? 0) - (a.item.year ?? 0) || (a.key < b.key ? -1 : 1)
  )
}
