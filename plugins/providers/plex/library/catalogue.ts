// Index of library items by id, to find targets of writes and to detect items that left the library. It is listed once,
// and updated by the latest changes and the number of items.
import type { Item, UpstreamAccount } from '@playhead/sdk'
import { findTargets, type Found } from './find-targets.ts'
import { type Kind, type ShowFacts, TYPE_NUMBERS } from '../items.ts'
import { missingItems, leaveOnly, markMissing } from './missing-items.ts'
import { countOf, itemsByKey, save, sectionsLeft, toFacts, toStoredItem, twinsOf } from './store.ts'
import { type Db, LISTINGS, type StoredListing } from './table.ts'
import { type Listing, readPage, readPages, SHORT_ROWS } from '../read/pages.ts'
import type { Metadata } from '../wire.ts'

export interface LibraryIndex {
  /**
   * Updates the lists of these sections and kinds. Returns a reason if that failed; then no item counts as gone. A list that was
   * checked within `maxAgeMs` is not checked again; Infinity only lists sections that were never listed.
   */
  refresh(
    sections: readonly { readonly key: string }[],
    kinds: readonly Kind[],
    options?: { readonly maxAgeMs?: number; readonly signal?: AbortSignal },
  ): Promise<string | undefined>
  /** Items of removed sections count as gone from the library. */
  keepSections(sections: readonly { readonly key: string }[]): Promise<void>
  shows(keys: readonly string[]): Promise<ReadonlyMap<string, ShowFacts>>
  items(keys: readonly string[]): ReturnType<typeof itemsByKey>
  find(wanted: readonly Item[]): Promise<readonly Found[]>
  /** Guids of works with several items. */
  twins(kinds: readonly Kind[]): Promise<ReadonlySet<string>>
  /** Items that left the library and did not return. */
  missing(kinds: readonly Kind[]): Promise<readonly Item[]>
}

interface LibraryIndexOptions {
  readonly db: Db
  readonly account: string
  readonly http: UpstreamAccount
  readonly now?: () => number
}

const PAGE = 1_000
/** Covers the changes of a day. */
const RECENT_ROWS = 100
/** Maximum age of a full listing. */
const LISTED_FOR_MS = 24 * 60 * 60_000

export function createLibraryIndex({ db, account, http, now = Date.now }: LibraryIndexOptions): LibraryIndex {
  const lookedAtMs = new Map<string, number>()
  const running = new Map<string, Promise<string | undefined>>()

  async function refreshList(section: string, kind: Kind, signal?: AbortSignal): Promise<string | undefined> {
    const known = await listingAt(section, kind)
    if (known === undefined || now() - Number(known.listed_at_ms) > LISTED_FOR_MS) return listAll(section, kind, signal)
    const { rows, total } = await readPage(
      http,
      { ...listingOf(section, kind, 'updatedAt:desc'), size: RECENT_ROWS },
      0,
      signal,
    )
    const changed = rows.filter((row) => updatedAt(row) >= known.updated_at)
    const sawAll = rows.length < RECENT_ROWS || updatedAt(rows.at(-1) as Metadata) <= known.updated_at
    if (!sawAll || total === undefined) return listAll(section, kind, signal)
    await save(
      db,
      changed.flatMap((row) => toStoredItem(account, section, row) ?? []),
    )
    if ((await countOf(db, account, section, kind)) !== total) return listAll(section, kind, signal)
    const newest = Math.max(known.updated_at, ...changed.map(updatedAt))
    if (newest !== known.updated_at) await remember(section, kind, newest, Number(known.listed_at_ms))
    return undefined
  }

  async function listingAt(section: string, kind: Kind): Promise<StoredListing | undefined> {
    return (await db
      .selectFrom(LISTINGS)
      .selectAll()
      .where('account', '=', account)
      .where('section', '=', section)
      .where('kind', '=', kind)
      .executeTakeFirst()) as StoredListing | undefined
  }

  async function listAll(section: string, kind: Kind, signal?: AbortSignal): Promise<string | undefined> {
    const pages = readPages(http, { ...listingOf(section, kind, 'addedAt'), size: PAGE }, signal)
    const seen = new Set<string>()
    const startedAtMs = now()
    let newest = 0
    for (;;) {
      const page = await pages.next()
      if (page.done === true) {
        if (page.value.reason !== undefined) return `library_${page.value.reason}`
        break
      }
      for (const row of page.value) {
        if (row.ratingKey !== undefined) seen.add(row.ratingKey)
        newest = Math.max(newest, updatedAt(row))
      }
      await save(
        db,
        page.value.flatMap((row) => toStoredItem(account, section, row) ?? []),
      )
    }
    await leaveOnly(db, { account, section, kind, seen, goneAtMs: now() })
    await remember(section, kind, newest, startedAtMs)
    return undefined
  }

  async function remember(section: string, kind: Kind, updated_at: number, listed_at_ms: number): Promise<void> {
    await db
      .insertInto(LISTINGS)
      .values({ account, section, kind, updated_at, listed_at_ms })
      .onConflict((conflict) =>
        conflict.columns(['account', 'section', 'kind']).doUpdateSet({ updated_at, listed_at_ms }),
      )
      .execute()
  }

  async function refreshOnce(
    section: string,
    kind: Kind,
    maxAgeMs: number,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const name = `${section} ${kind}`
    if (maxAgeMs === Infinity && (await listingAt(section, kind)) !== undefined) return undefined
    if (now() - (lookedAtMs.get(name) ?? -Infinity) < maxAgeMs) return undefined
    // A refresh started earlier may miss recent changes, so only callers with a tolerance share it.
    const other = running.get(name)
    if (other !== undefined && maxAgeMs > 0) return other
    const startedAtMs = now()
    const mine = refreshList(section, kind, signal)
      .then((reason) => {
        if (reason === undefined) lookedAtMs.set(name, startedAtMs)
        return reason
      })
      .finally(() => {
        if (running.get(name) === mine) running.delete(name)
      })
    running.set(name, mine)
    return mine
  }

  return {
    async refresh(sections, kinds, { maxAgeMs = 0, signal } = {}) {
      let found: string | undefined
      for (const { key } of sections) {
        for (const kind of kinds) found ??= await refreshOnce(key, kind, maxAgeMs, signal)
      }
      return found
    },
    async keepSections(sections) {
      const there = new Set(sections.map(({ key }) => key))
      for (const section of await sectionsLeft(db, account)) {
        if (!there.has(section)) await markMissing(db, { account, section, goneAtMs: now() })
      }
    },
    async shows(keys) {
      const found = await itemsByKey(db, account, keys)
      return new Map([...found].map(([key, item]) => [key, toFacts(item)]))
    },
    items: (keys) => itemsByKey(db, account, keys),
    find: (wanted) => findTargets(db, account, wanted),
    twins: (kinds) => twinsOf(db, account, kinds),
    missing: (kinds) => missingItems(db, account, kinds),
  }
}

function listingOf(section: string, kind: Kind, sort: string): Omit<Listing, 'size'> {
  return {
    path: `/library/sections/${encodeURIComponent(section)}/all`,
    query: { type: TYPE_NUMBERS[kind], includeGuids: 1, sort, ...SHORT_ROWS },
    keyOf: ({ ratingKey }) => ratingKey,
  }
}

function updatedAt(row: Metadata): number {
  return row.updatedAt ?? row.addedAt ?? 0
}
