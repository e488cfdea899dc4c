// The manual policy: adds and blocks per account and feature. A scope without a row was never changed.
import { type Feature, insertRows, type PolicyCopy, type PolicyScope, type Tables } from '@playhead/sdk'
import { type Item, parseItem } from '@playhead/sdk/items'
import { sql } from 'kysely'
import { jsonText } from './canonical.ts'
import { chunksOf } from './steps.ts'

export interface ScopeRow extends PolicyScope {
  readonly revision: number
  readonly adds: number
  readonly blocks: readonly string[]
}

export interface AddRow {
  readonly key: string
  /** The original item including unknown fields, as canonical JSON. */
  readonly text: string
  /** When a person created the add. */
  readonly atMs: number
}

const PAGE = 500

export async function scopeRow(db: Tables, scope: PolicyScope): Promise<ScopeRow | undefined> {
  const row = await ofScope(db.selectFrom('sync__policy').selectAll(), scope).executeTakeFirst()
  return row === undefined ? undefined : toScope(row)
}

/** Scopes with at least one add or block, sorted. */
export async function scopeRows(db: Tables): Promise<readonly ScopeRow[]> {
  const rows = await db
    .selectFrom('sync__policy')
    .selectAll()
    .where((eb) => eb.or([eb('adds', '>', 0), eb('blocks', '<>', '[]')]))
    .orderBy('provider')
    .orderBy('instance')
    .orderBy('feature')
    .execute()
  return rows.map(toScope)
}

/** Grows with every change of any scope. */
export async function lastRevision(db: Tables): Promise<number> {
  const row = await db
    .selectFrom('sync__policy')
    .select((eb) => eb.fn.max('revision').as('last'))
    .executeTakeFirst()
  return Number(row?.['last'] ?? 0)
}

/** Sorted by key, in pages. */
export async function* addPages(db: Tables, scope: PolicyScope): AsyncGenerator<readonly AddRow[]> {
  let after = ''
  for (;;) {
    const rows = await addsOf(db, scope).where('key', '>', after).limit(PAGE).execute()
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) return
    after = rows.at(-1)!.key
  }
}

export async function addsByKey(db: Tables, scope: PolicyScope, keys: readonly string[]): Promise<readonly AddRow[]> {
  return await addsOf(db, scope).where('key', 'in', listOf(keys)).execute()
}

function addsOf(db: Tables, scope: PolicyScope) {
  const adds = db.selectFrom('sync__policy_add').select(['key', 'item as text', 'set_at as atMs'])
  return ofScope(adds.$castTo<AddRow>(), scope).orderBy('key')
}

function listOf(keys: readonly string[]) {
  return sql<string>`(select value from json_each(${JSON.stringify(keys)}))`
}

/** An equal add keeps its time. */
export async function putAdds(
  db: Tables,
  scope: PolicyScope,
  adds: readonly Pick<AddRow, 'key' | 'text'>[],
  atMs: number,
): Promise<void> {
  const { provider, instance, feature } = scope
  for (const page of chunksOf(adds, PAGE))
    await insertRows(
      db,
      'sync__policy_add',
      page.map(({ key, text }) => ({ provider, instance, feature, key, item: text, set_at: atMs })),
      sql`on conflict (provider, instance, feature, key) do update set set_at = excluded.set_at, item = excluded.item where item <> excluded.item`,
    )
}

export async function dropAdds(db: Tables, scope: PolicyScope, keys: readonly string[]): Promise<void> {
  await ofScope(db.deleteFrom('sync__policy_add'), scope).where('key', 'in', listOf(keys)).execute()
}

/** Counts the adds and gives the scope a new revision, which it returns. */
export async function putScope(db: Tables, scope: PolicyScope, blocks: readonly string[]): Promise<number> {
  const { provider, instance, feature } = scope
  const counting = db.selectFrom('sync__policy_add').select((eb) => eb.fn.countAll().as('count'))
  const adds = Number((await ofScope(counting, scope).executeTakeFirst())?.['count'] ?? 0)
  const values = { blocks: jsonText(blocks), adds, revision: (await lastRevision(db)) + 1 }
  await db
    .insertInto('sync__policy')
    .values({ provider, instance, feature, ...values })
    .onConflict((conflict) => conflict.columns(['provider', 'instance', 'feature']).doUpdateSet(values))
    .execute()
  return values.revision
}

/** Newest first. */
export async function copyRows(db: Tables): Promise<readonly PolicyCopy[]> {
  const copies = db.selectFrom('sync__policy_copy').orderBy('sync__policy_copy.id', 'desc')
  const id = sql<string>`cast(id as text)`.as('id')
  return await copies.select([id, 'at as atMs', 'adds', 'blocks']).$castTo<PolicyCopy>().execute()
}

/** @param pieces of the exported text */
export async function putCopy(
  db: Tables,
  { atMs, adds, blocks }: Omit<PolicyCopy, 'id'>,
  pieces: AsyncIterable<string>,
): Promise<string> {
  const row = await db
    .insertInto('sync__policy_copy')
    .values({ at: atMs, adds, blocks })
    .returning('id')
    .executeTakeFirstOrThrow()
  const id = Number(row['id'])
  let n = 0
  for await (const text of pieces) {
    await db.insertInto('sync__policy_copy_part').values({ copy_id: id, n: n++, text }).execute()
  }
  return String(id)
}

export async function copyText(db: Tables, id: string): Promise<string | undefined> {
  if (!/^\d{1,15}$/.test(id)) return undefined
  const rows = await db
    .selectFrom('sync__policy_copy_part')
    .select('text')
    .where('copy_id', '=', Number(id))
    .orderBy('n')
    .execute()
  return rows.length === 0 ? undefined : rows.map(({ text }) => String(text)).join('')
}

export async function dropCopies(db: Tables, kept: number): Promise<void> {
  const old = (await copyRows(db)).slice(kept).map(({ id }) => Number(id))
  if (old.length === 0) return
  await db.deleteFrom('sync__policy_copy_part').where('copy_id', 'in', old).execute()
  await db.deleteFrom('sync__policy_copy').where('id', 'in', old).execute()
}

/** The item of an add, with the known fields only. It was validated when it was stored. */
export function itemOfAdd({ text }: Pick<AddRow, 'text'>): Item | undefined {
  const parsed = parseItem(JSON.parse(text) as Readonly<Record<string, unknown>>)
  return parsed.ok ? parsed.value : undefined
}

function ofScope<Query extends { where(column: string, op: '=', value: string): Query }>(
  query: Query,
  { provider, instance, feature }: PolicyScope,
): Query {
  return query.where('provider', '=', provider).where('instance', '=', instance).where('feature', '=', feature)
}

function toScope(row: Readonly<Record<string, unknown>>): ScopeRow {
  return {
    provider: String(row['provider']),
    instance: String(row['instance']),
    feature: row['feature'] as Feature,
    revision: Number(row['revision']),
    adds: Number(row['adds']),
    blocks: JSON.parse(String(row['blocks'])) as string[],
  }
}
