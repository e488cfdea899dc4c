// SQL fragments with their bound values.
import type { SqlValue, Tables } from '@playhead/sdk'
import { CompiledQuery } from 'kysely'

export type Row = Readonly<Record<string, SqlValue>>

/** A fragment with the values of its question marks. */
export interface Fragment {
  readonly text: string
  readonly values: readonly SqlValue[]
}

export function fragment(text: string, ...values: readonly SqlValue[]): Fragment {
  return { text, values }
}

/** @example joinPieces([piece('a = ?', 1), piece('b = ?', 2)], ' AND ') // a = ? AND b = ? */
export function joinFragments(fragments: readonly Fragment[], separator: string): Fragment {
  return { text: fragments.map(({ text }) => text).join(separator), values: fragments.flatMap(({ values }) => values) }
}

export async function all(db: Tables, { text, values }: Fragment): Promise<readonly Row[]> {
  return (await db.executeQuery(CompiledQuery.raw(text, [...values]))).rows as readonly Row[]
}

/** Binds a list of ids as one JSON value. */
export function idsIn(column: string, ids: readonly number[]): Fragment {
  return fragment(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(ids))
}

export async function firstNumber(db: Tables, statement: Fragment): Promise<number> {
  const [row] = await all(db, statement)
  return row === undefined ? 0 : Number(Object.values(row)[0] ?? 0)
}

export async function firstText(db: Tables, statement: Fragment): Promise<string> {
  const [row] = await all(db, statement)
  return String(Object.values(row ?? {})[0] ?? '')
}

/** Returns the number of changed rows. */
export async function change(db: Tables, { text, values }: Fragment): Promise<number> {
  return Number((await db.executeQuery(CompiledQuery.raw(text, [...values]))).numAffectedRows ?? 0n)
}

export const INDEX_LIMITS = {
  /** Up to this many events are read one by one; above it the time index is scanned. */
  few: 20_000,
  /** Up to this many events are read when only their groups are needed. */
  some: 100_000,
  /** Facets with up to this many events are absent from most runs. */
  rare: 300_000,
  /** Up to this many titles are looked up by id. */
  narrow: 2_000,
  /** Up to this many titles are searched once instead of in each statement. */
  known: 10_000,
}
