// Unresolved rows and tombstones of single items, and applied operations of a run, for other plugins.
import { sql } from 'kysely'
import {
  type AppliedOperation,
  defined,
  type Feature,
  isAccepted,
  type OpenItem,
  type OpenQuery,
  type Tables,
} from '@playhead/sdk'
import { type Item, type ItemKey, kindOfKey, parseKey } from '@playhead/sdk/items'
import { playMarkOf, tombstoneTokens } from '../store/tombstones.ts'
import type { UnresolvedRow } from '../store/unresolved.ts'
import { other } from '../feature-run.ts'
import { accountOf } from '../pairs/pair.ts'
import { journalPages, plansOfRun } from '../store/plans.ts'

const PAGE = 500

export async function* unresolvedItems(
  db: Tables,
  { provider, instance, feature, key }: OpenQuery,
): AsyncGenerator<readonly OpenItem[]> {
  const rows = db
    .selectFrom('sync__unresolved')
    .selectAll()
    .$castTo<UnresolvedRow>()
    .where(({ and }) => and(defined({ provider, instance, feature, key })))
    .orderBy(sql`first_at, pair_id, feature, uid, op, key`)
  for (let offset = 0; ; offset += PAGE) {
    const page = await rows.limit(PAGE).offset(offset).execute()
    const open = page.filter(({ reason }) => !isAccepted(reason))
    if (open.length > 0) yield open.map(toOpenItem)
    if (page.length < PAGE) return
  }
}

export async function countTombstones(db: Tables, text: string, feature?: Feature): Promise<number> {
  const at = text.lastIndexOf('@')
  const key = parseKey(at === -1 ? text : text.slice(0, at))
  if (!key.ok) return 0
  const tokens = tombstoneTokens(itemOf(key.value))
  const found = await db
    .selectFrom('sync__tombstone')
    .select((eb) => eb.fn.countAll().as('n'))
    .where('token', 'in', tokens)
    .where('play', 'in', ['', playMarkOf(text)])
    .where(({ and }) => and(defined({ feature })))
    .executeTakeFirst()
  return Number(found?.['n'] ?? 0)
}

/** The fields of an item that its key contains. */
function itemOf(key: ItemKey): Item {
  const { base, part } = key
  const type = kindOfKey(key)
  if (base.by === 'title')
    return { type, ids: {}, title: base.slug, ...(base.year === null ? {} : { year: base.year }) }
  const ids = { [base.scheme]: base.id }
  return part === undefined ? { type, ids } : { type, ids: {}, show_ids: ids, ...part }
}

function toOpenItem(row: UnresolvedRow): OpenItem {
  const { pair_id, provider, instance, key, attempts, failures, run_id } = row
  return {
    ...{ pair_id, provider, instance, key, attempts, failures, run_id },
    feature: row.feature as Feature,
    op: row.op as OpenItem['op'],
    item: JSON.parse(row.item) as Item,
    reason_code: row.reason,
    quarantined: row.quarantined_at !== null,
    first_at_ms: row.first_at,
    last_at_ms: row.last_at,
  }
}

/** Applied operations of a run, from its journal. */
export async function* appliedOf(db: Tables, runId: string): AsyncGenerator<readonly AppliedOperation[]> {
  for (const header of await plansOfRun(db, runId))
    for await (const rows of journalPages(db, header.id)) {
      const applied = rows.flatMap((row): AppliedOperation[] => {
        if (row.state !== 'applied') return []
        const { native: _native, ...item } = row.item
        return [
          {
            run_id: runId,
            pair_id: header.pair_id,
            feature: header.feature,
            op: row.op,
            key: row.key,
            item,
            source: accountOf(header.sides[other(row.side)]),
            target: accountOf(header.sides[row.side]),
            atMs: row.done_at_ms ?? row.sent_at_ms ?? header.created_at_ms,
          },
        ]
      })
      if (applied.length > 0) yield applied
    }
}
