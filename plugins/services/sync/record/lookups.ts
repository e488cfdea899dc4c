// Unresolved rows and tombstones of single items, for other plugins.
import { type Feature, isAccepted, type OpenItem, type OpenQuery, type Tables } from '@playhead/sdk'
import { type Item, type ItemKey, kindOfKey, parseKey } from '@playhead/sdk/items'
import { playMarkOf, tombstoneTokens } from '../store/tombstones.ts'

const PAGE = 500

export async function* unresolvedItems(
  db: Tables,
  { provider, instance, feature, key }: OpenQuery,
): AsyncGenerator<readonly OpenItem[]> {
  for (let offset = 0; ; offset += PAGE) {
    let query = db.selectFrom('sync__unresolved').selectAll()
    for (const [name, value] of Object.entries({ provider, instance, feature, key }))
      if (value !== undefined) query = query.where(name, '=', value)
    const rows = await query
      .orderBy('first_at')
      .orderBy('pair_id')
      .orderBy('feature')
      .orderBy('uid')
      .orderBy('op')
      .orderBy('key')
      .limit(PAGE)
      .offset(offset)
      .execute()
    const open = rows.filter((row) => !isAccepted(String(row['reason'])))
    if (open.length > 0) yield open.map(toOpenItem)
    if (rows.length < PAGE) return
  }
}

export async function countTombstones(db: Tables, text: string, feature?: Feature): Promise<number> {
  const at = text.lastIndexOf('@')
  const key = parseKey(at === -1 ? text : text.slice(0, at))
  if (!key.ok) return 0
  const tokens = tombstoneTokens(itemOf(key.value))
  let query = db
    .selectFrom('sync__tombstone')
    .select((eb) => eb.fn.countAll().as('n'))
    .where('token', 'in', tokens)
    .where('play', 'in', ['', playMarkOf(text)])
  if (feature !== undefined) query = query.where('feature', '=', feature)
  return Number((await query.executeTakeFirst())?.['n'] ?? 0)
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

function toOpenItem(row: Readonly<Record<string, unknown>>): OpenItem {
  return {
    pair_id: String(row['pair_id']),
    feature: row['feature'] as Feature,
    provider: String(row['provider']),
    instance: String(row['instance']),
    op: row['op'] as OpenItem['op'],
    key: String(row['key']),
    item: JSON.parse(String(row['item'])) as Item,
    reason_code: String(row['reason']),
    attempts: Number(row['attempts']),
    failures: Number(row['failures']),
    quarantined: row['quarantined_at'] !== null,
    first_at_ms: Number(row['first_at']),
    last_at_ms: Number(row['last_at']),
    run_id: String(row['run_id']),
  }
}
