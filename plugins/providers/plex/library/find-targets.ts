// Finds library items for writes: by their own ids, or as parts of a show by its ids and the numbers. Titles are not
// used, and contradicting ids exclude a match.
import { defined } from '@playhead/sdk'
import { contradicts, type Item, kindOf, ownIds, partOf } from '@playhead/sdk/items'
import type { Kind } from '../items.ts'
import { itemOf, itemsByKey } from './store.ts'
import { chunks, type Db, IDS, ITEMS, type StoredItem, tokensFor } from './table.ts'

export type Found =
  /** All copies of the work, which may be in several libraries. */
  | { readonly outcome: 'found'; readonly items: readonly StoredItem[] }
  | { readonly outcome: 'ambiguous' }
  /** `show_missing`: a part of a show that is not in the library. */
  | { readonly outcome: 'none'; readonly reason: 'not_in_library' | 'episode_missing' }

export async function findTargets(db: Db, account: string, wanted: readonly Item[]): Promise<readonly Found[]> {
  const asked = wanted.map((item) => {
    const kind = kindOf(item)
    const part = partOf(item)
    return {
      item,
      kind,
      part,
      own: tokensFor(kind, ownIds(item)),
      show: part === undefined ? [] : tokensFor('show', item.show_ids ?? {}),
    }
  })
  const keys = await keysOf(
    db,
    account,
    asked.flatMap(({ own, show }) => [...own, ...show]),
  )
  const showKeys = [...new Set(asked.flatMap(({ show }) => show.flatMap((token) => keys.get(token) ?? [])))]
  const parts = await partsOf(
    db,
    account,
    showKeys,
    asked.flatMap(({ part }) => part?.season ?? []),
  )
  const items = new Map([
    ...(await itemsByKey(
      db,
      account,
      asked.flatMap(({ own }) => own.flatMap((token) => keys.get(token) ?? [])),
    )),
    ...(await itemsByKey(db, account, showKeys)),
  ])
  const shows = new Map([
    ...items,
    ...(await itemsByKey(
      db,
      account,
      [...items.values()].flatMap(({ show_key: key }) => key ?? []),
    )),
  ])

  return asked.map(({ item, kind, part, own, show }): Found => {
    const byOwn = own.flatMap((token) => keys.get(token) ?? []).flatMap((key) => items.get(key) ?? [])
    const showsHere = [...new Set(show.flatMap((token) => keys.get(token) ?? []))]
    const byPart = part === undefined ? [] : showsHere.flatMap((key) => parts.get(partKey(key, kind, part)) ?? [])
    const found = [...new Map([...byOwn, ...byPart].map((one) => [one.rating_key, one])).values()]
    if (found.length === 0)
      return { outcome: 'none', reason: showsHere.length > 0 ? 'episode_missing' : 'not_in_library' }
    // Both lookups find different items, so one of them is wrong.
    const disagree =
      byOwn.length > 0 &&
      byPart.length > 0 &&
      !byOwn.some(({ rating_key: key }) => byPart.some((other) => other.rating_key === key))
    const known = found.flatMap((one) => itemOf(one, shows.get(one.show_key ?? '')) ?? [])
    // Copies of one work have equal ids; otherwise an id is assigned wrongly.
    const clash = known.some(
      (one, at) => contradicts(one, item) || known.slice(at + 1).some((other) => contradicts(one, other)),
    )
    return disagree || clash ? { outcome: 'ambiguous' } : { outcome: 'found', items: found }
  })
}

async function keysOf(
  db: Db,
  account: string,
  tokens: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>()
  for (const part of chunks([...new Set(tokens)], 500)) {
    const rows = await db
      .selectFrom(IDS)
      .select(['token', 'rating_key'])
      .where('account', '=', account)
      .where('token', 'in', part)
      .execute()
    for (const { token, rating_key: key } of rows as { token: string; rating_key: string }[]) {
      const known = found.get(token)
      if (known === undefined) found.set(token, [key])
      else known.push(key)
    }
  }
  return found
}

async function partsOf(
  db: Db,
  account: string,
  showKeys: readonly string[],
  seasons: readonly number[],
): Promise<ReadonlyMap<string, readonly StoredItem[]>> {
  const found = new Map<string, StoredItem[]>()
  const wanted = [...new Set(seasons)]
  if (wanted.length === 0) return found
  for (const part of chunks(showKeys, 200)) {
    const rows = (await db
      .selectFrom(ITEMS)
      .selectAll()
      .where('account', '=', account)
      .where('show_key', 'in', part)
      .where('season', 'in', wanted)
      .where('gone_at_ms', 'is', null)
      .execute()) as StoredItem[]
    for (const row of rows) {
      if (row.season === null) continue
      const key = partKey(row.show_key as string, row.kind, {
        season: row.season,
        ...defined({ episode: row.episode ?? undefined }),
      })
      const known = found.get(key)
      if (known === undefined) found.set(key, [row])
      else known.push(row)
    }
  }
  return found
}

function partKey(
  show: string,
  kind: Kind,
  { season, episode }: { readonly season: number; readonly episode?: number },
): string {
  return `${show} ${kind} ${season} ${episode ?? ''}`
}
