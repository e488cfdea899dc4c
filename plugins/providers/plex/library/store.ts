// Queries on the library tables.
import { collectIds, type Ids, type Item } from '@playhead/sdk/items'
import { isUnreadable, type Kind, kindOfRow, type ShowFacts, showKeyOf, toItem } from '../items.ts'
import { chunks, type Db, IDS, ITEMS, type StoredItem, tokensFor } from './table.ts'
import type { Metadata } from '../wire.ts'

const STATEMENT = 500
const ROWS = 200
/** Suffix of the key of an item whose key was reused. */
const FORMER = '#'

export function toStoredItem(account: string, section: string, row: Metadata): StoredItem | undefined {
  const kind = kindOfRow(row)
  if (kind === undefined || row.ratingKey === undefined) return undefined
  const { ids, showIds } = collectIds({ guid: row.guid, Guid: row.Guid })
  return {
    account,
    rating_key: row.ratingKey,
    section,
    kind,
    show_key: showKeyOf(row) ?? null,
    season: (kind === 'season' ? row.index : kind === 'episode' ? row.parentIndex : undefined) ?? null,
    episode: (kind === 'episode' ? row.index : undefined) ?? null,
    title: row.title ?? null,
    year: row.year ?? null,
    duration_ms: row.duration ?? null,
    guid: row.guid ?? null,
    ids: JSON.stringify(ids),
    show_ids: Object.keys(showIds).length === 0 ? null : JSON.stringify(showIds),
    updated_at: row.updatedAt ?? row.addedAt ?? 0,
    gone_at_ms: null,
  }
}

/** Upserts items; unchanged ones are not written. */
export async function save(db: Db, items: readonly StoredItem[]): Promise<void> {
  for (const part of chunks(items, ROWS)) {
    const account = (part[0] as StoredItem).account
    const stored = await itemsByKey(
      db,
      account,
      part.map(({ rating_key: key }) => key),
      { includeMissing: true },
    )
    const changed = [...new Map(part.map((item) => [item.rating_key, item])).values()].filter(
      (item) => !isSame(item, stored.get(item.rating_key)),
    )
    if (changed.length === 0) continue
    // A key that now belongs to another work: the previous item is gone.
    const replaced = changed.flatMap((item) => {
      const before = stored.get(item.rating_key)
      if (before === undefined || before.guid === null || before.guid === item.guid) return []
      return [
        {
          ...before,
          rating_key: `${item.rating_key}${FORMER}${Date.now()}`,
          gone_at_ms: before.gone_at_ms ?? Date.now(),
        },
      ]
    })
    await db.transaction().execute(async (tx) => {
      await tx
        .deleteFrom(IDS)
        .where('account', '=', account)
        .where(
          'rating_key',
          'in',
          changed.map(({ rating_key: key }) => key),
        )
        .execute()
      await tx
        .deleteFrom(ITEMS)
        .where('account', '=', account)
        .where(
          'rating_key',
          'in',
          changed.map(({ rating_key: key }) => key),
        )
        .execute()
      await tx
        .insertInto(ITEMS)
        .values([...changed, ...replaced])
        .execute()
      const ids = changed.flatMap((item) =>
        tokensFor(item.kind, JSON.parse(item.ids) as Ids).map((token) => ({
          account,
          token,
          rating_key: item.rating_key,
        })),
      )
      for (const some of chunks(ids, STATEMENT))
        await tx
          .insertInto(IDS)
          .values([...some])
          .execute()
      // Items that returned under another key are not gone.
      const guids = changed.flatMap(({ guid }) => guid ?? [])
      if (guids.length > 0)
        await tx
          .deleteFrom(ITEMS)
          .where('account', '=', account)
          .where('guid', 'in', guids)
          .where('gone_at_ms', 'is not', null)
          .execute()
    })
  }
}

/** Present items by key. */
export async function itemsByKey(
  db: Db,
  account: string,
  keys: readonly string[],
  { includeMissing = false } = {},
): Promise<ReadonlyMap<string, StoredItem>> {
  const found = new Map<string, StoredItem>()
  for (const part of chunks([...new Set(keys)], STATEMENT)) {
    let query = db.selectFrom(ITEMS).selectAll().where('account', '=', account).where('rating_key', 'in', part)
    if (!includeMissing) query = query.where('gone_at_ms', 'is', null)
    for (const item of (await query.execute()) as StoredItem[]) found.set(item.rating_key, item)
  }
  return found
}

export async function countOf(db: Db, account: string, section: string, kind: Kind): Promise<number> {
  const row = (await db
    .selectFrom(ITEMS)
    .select(({ fn }) => fn.countAll().as('count'))
    .where('account', '=', account)
    .where('section', '=', section)
    .where('kind', '=', kind)
    .where('gone_at_ms', 'is', null)
    .executeTakeFirstOrThrow()) as { count: number | bigint }
  return Number(row.count)
}

export async function sectionsLeft(db: Db, account: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom(ITEMS)
    .select('section')
    .distinct()
    .where('account', '=', account)
    .where('gone_at_ms', 'is', null)
    .execute()
  return (rows as { section: string }[]).map(({ section }) => section)
}

/** Guids of works with several items. */
export async function twinsOf(db: Db, account: string, kinds: readonly Kind[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom(ITEMS)
    .select('guid')
    .where('account', '=', account)
    .where('kind', 'in', kinds)
    .where('gone_at_ms', 'is', null)
    .where('guid', 'is not', null)
    .groupBy('guid')
    .having(({ fn }) => fn.countAll(), '>', 1)
    .execute()
  return new Set((rows as { guid: string }[]).map(({ guid }) => guid))
}

/** The item of a stored row, without user data. */
export function itemOf(stored: StoredItem, show: StoredItem | undefined): Item | undefined {
  const ids = JSON.parse(stored.ids) as Ids
  const item = toItem(
    {
      type: stored.kind,
      ratingKey: stored.rating_key.split(FORMER)[0] as string,
      librarySectionID: stored.section,
      Guid: Object.entries(ids).map(([scheme, id]) => ({
        id: scheme === 'guid' ? (id as string) : `${scheme}://${id}`,
      })),
      ...(stored.title === null ? {} : { title: stored.title }),
      ...(stored.year === null ? {} : { year: stored.year }),
      ...(stored.kind === 'season' && stored.season !== null ? { index: stored.season } : {}),
      ...(stored.kind === 'episode' && stored.season !== null ? { parentIndex: stored.season } : {}),
      ...(stored.kind === 'episode' && stored.episode !== null ? { index: stored.episode } : {}),
    },
    show === undefined
      ? { ids: ownShowIds(stored) }
      : { ...toFacts(show), ids: { ...ownShowIds(stored), ...toFacts(show).ids } },
  )
  return isUnreadable(item) ? undefined : item
}

export function toFacts({ ids, title, year }: StoredItem): ShowFacts {
  return { ids: JSON.parse(ids) as Ids, ...(title === null ? {} : { title }), ...(year === null ? {} : { year }) }
}

function ownShowIds({ show_ids: text }: StoredItem): Ids {
  return text === null ? {} : (JSON.parse(text) as Ids)
}

function isSame(a: StoredItem, b: StoredItem | undefined): boolean {
  return b !== undefined && (Object.keys(a) as (keyof StoredItem)[]).every((key) => a[key] === b[key])
}
