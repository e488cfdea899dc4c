// Splits long arrays into pages of JSON, so that no single text is large enough to stall the event loop.
import { type Tables, yieldToLoop } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'

type Arrays = Readonly<Record<string, readonly unknown[]>>

/** A value without its long arrays, and the arrays by name. */
interface Split {
  readonly frame: unknown
  readonly arrays: Arrays
}

const LONG = 100
const MARK = '$pages'

/** Long arrays inside other arrays are not split. */
export function split(value: unknown): Split {
  const arrays: Record<string, readonly unknown[]> = {}
  const frameOf = (part: unknown, path: string): unknown => {
    if (Array.isArray(part)) {
      if (part.length <= LONG) return part.map((entry, n) => frameOf(entry, `${path}/${n}`))
      arrays[path] = part
      return { [MARK]: path }
    }
    if (!isRecord(part)) return part
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, frameOf(inner, `${path}/${name}`)]))
  }
  return { frame: frameOf(value, ''), arrays }
}

export function join({ frame, arrays }: Split): unknown {
  if (Array.isArray(frame)) return frame.map((entry) => join({ frame: entry, arrays }))
  if (!isRecord(frame)) return frame
  const path = frame[MARK]
  if (typeof path === 'string') return arrays[path] ?? []
  return Object.fromEntries(Object.entries(frame).map(([name, inner]) => [name, join({ frame: inner, arrays })]))
}

const PAGE = 500

interface PageRow {
  readonly owner: string
  readonly part: string
  readonly n: number
  readonly doc: string
}

export async function toPages(owner: string, arrays: Arrays): Promise<readonly PageRow[]> {
  const rows: PageRow[] = []
  for (const [part, entries] of Object.entries(arrays)) {
    for (let from = 0; from < entries.length; from += PAGE) {
      rows.push({ owner, part, n: from / PAGE, doc: JSON.stringify(entries.slice(from, from + PAGE)) })
      await yieldToLoop()
    }
  }
  return rows
}

/** Replaces all pages of an owner. */
export async function writePages(tables: Tables, owner: string, rows: readonly PageRow[]): Promise<void> {
  await tables.deleteFrom('page').where('owner', '=', owner).execute()
  for (let from = 0; from < rows.length; from += 50)
    await tables
      .insertInto('page')
      .values(rows.slice(from, from + 50))
      .execute()
}

/** The arrays of an owner; arrays that were empty are absent. */
export async function readPages(tables: Tables, owner: string): Promise<Arrays> {
  const keys = await tables
    .selectFrom('page')
    .select(['part', 'n'])
    .where('owner', '=', owner)
    .orderBy('part')
    .orderBy('n')
    .execute()
  const arrays: Record<string, unknown[]> = {}
  for (const { part, n } of keys) {
    const row = await tables
      .selectFrom('page')
      .select('doc')
      .where('owner', '=', owner)
      .where('part', '=', part)
      .where('n', '=', n)
      .executeTakeFirst()
    const own = (arrays[String(part)] ??= [])
    for (const entry of JSON.parse(String(row?.['doc'] ?? '[]')) as unknown[]) own.push(entry)
    await yieldToLoop()
  }
  return arrays
}
