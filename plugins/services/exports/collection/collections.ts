// The collections of the thread: one per selection and state of the rows, shared by its requests, and deleted some time after the
// last one.
import type { AccountName, LibraryRow, LibraryService, Remote, Tables, TrackerStore } from '@playhead/sdk'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { collect, type RowFeature } from './collect.ts'

export interface CollectionRequest {
  readonly accounts: readonly (AccountName & { readonly live: boolean })[]
  readonly features: readonly RowFeature[]
  /** History and ratings become one list. */
  readonly combined: boolean
}

export interface RowFilter {
  readonly kinds: readonly string[] | null
  /** Folded words (`foldText`); all of them must occur. */
  readonly words: readonly string[]
  /** Only these keys. */
  readonly keys: readonly string[] | null
  /** Only the latest play of an item. */
  readonly latestOnly: boolean
}

interface PageRequest extends RowFilter {
  readonly order: 'stored' | 'works'
  /** `last` of the previous page; -1 at the beginning. */
  readonly after: number
  readonly limit: number
}

interface Page {
  /** JSON: one array of `[key, feature, play, item, rating item or null]` per row. */
  readonly rows: string
  readonly last: number | null
}

interface CollectionOptions {
  readonly db: Tables
  readonly library: Pick<Remote<LibraryService>, 'rows' | 'holdings'>
  readonly tracker: Pick<Remote<TrackerStore>, 'rows' | 'revision'>
  readonly idleMs?: number
}

interface Collection {
  readonly id: string
  readonly state: string
  readonly ready: Promise<number>
  users: number
  usedAtMs: number
}

const MAX_IDLE = 8
const IDLE_MS = 10 * 60_000
const ABANDONED_MS = 60 * 60_000

export type Collections = ReturnType<typeof createCollections>

export function createCollections({ db, library, tracker, idleMs = IDLE_MS }: CollectionOptions) {
  const byName = new Map<string, Collection>()
  const byId = new Map<string, Collection>()
  // Left by an ended process or a removed version; a version that is being replaced still writes its own.
  const cleared = sql`delete from export_row where collection < ${stamp(Date.now() - ABANDONED_MS)}`
    .execute(db)
    .catch(() => {})
  let timer: NodeJS.Timeout | undefined

  async function stateOf({ accounts, features }: CollectionRequest): Promise<string> {
    const states = []
    for (const feature of features) {
      const held = accounts.every(({ live }) => live) ? [] : await library.holdings(feature)
      for (const { provider, instance, live } of accounts) {
        const holding = held.find((one) => one.provider === provider && one.instance === instance)
        states.push(
          live ? await tracker.revision(instance, feature) : [holding?.readAtMs, holding?.revision, holding?.count],
        )
      }
    }
    return JSON.stringify(states)
  }

  async function* rowsOf(
    { provider, instance, live }: CollectionRequest['accounts'][number],
    feature: RowFeature,
  ): AsyncGenerator<readonly LibraryRow[]> {
    yield* live ? await tracker.rows(instance, feature) : await library.rows(provider, instance, feature)
  }

  async function remove(one: Collection): Promise<void> {
    byId.delete(one.id)
    for (const [name, known] of byName) if (known === one) byName.delete(name)
    await one.ready.catch(() => {})
    await sql`delete from export_row where collection = ${one.id}`.execute(db)
  }

  async function sweep(): Promise<void> {
    const idle = [...byId.values()].filter(({ users }) => users === 0).sort((a, b) => b.usedAtMs - a.usedAtMs)
    const current = new Set(byName.values())
    const isOld = (one: Collection, place: number) =>
      place >= MAX_IDLE || !current.has(one) || Date.now() - one.usedAtMs >= idleMs
    for (const one of idle.filter(isOld)) await remove(one)
    clearTimeout(timer)
    if (byId.size > 0) timer = setTimeout(() => void sweep().catch(() => {}), idleMs).unref()
  }

  function build(request: CollectionRequest, state: string): Collection {
    const id = stamp(Date.now()) + randomUUID()
    const sources = request.features.flatMap((feature) =>
      request.accounts.map((account) => ({ feature, rows: () => rowsOf(account, feature) })),
    )
    const ready = cleared.then(() => collect(db, id, sources, request))
    const made = { id, state, ready, users: 0, usedAtMs: Date.now() }
    byId.set(id, made)
    return made
  }

  function collectionOf(id: string): Collection {
    const found = byId.get(id)
    if (found === undefined) throw new TypeError('The collection was released.')
    return found
  }

  return {
    /** Collects the rows unless they are already collected. `release` must follow. */
    async open(request: CollectionRequest): Promise<string> {
      const name = JSON.stringify(request)
      const state = await stateOf(request)
      let found = byName.get(name)
      if (found?.state !== state) {
        found = build(request, state)
        byName.set(name, found)
      }
      found.users += 1
      try {
        await found.ready
      } catch (error) {
        found.users -= 1
        await remove(found)
        throw error
      }
      return found.id
    },

    async release(id: string): Promise<void> {
      const found = byId.get(id)
      if (found === undefined) return
      found.users -= 1
      found.usedAtMs = Date.now()
      await sweep()
    },

    async count(id: string, filter: RowFilter): Promise<number> {
      collectionOf(id)
      const { rows } = await sql<{
        count: number
      }>`select count(*) as count from export_row where ${where(id, filter)}`.execute(db)
      return rows[0]?.count ?? 0
    },

    async page(id: string, { order, after, limit, ...filter }: PageRequest): Promise<Page> {
      collectionOf(id)
      const place = sql.ref(order === 'works' ? 'place' : 'n')
      const { rows } = await sql<{
        place: number
        key: string
        feature: string
        play: number
        item: string
        rating: string | null
      }>`select ${place} as place, key, feature, play, item,
        (select r.item from export_row r indexed by export_row_base where r.collection = ${id} and r.base = export_row.base
          and r.hidden = 1 limit 1) as rating
        from export_row where ${where(id, filter)} and ${place} > ${after} order by ${place} limit ${limit}`.execute(db)
      const text = rows.map(
        ({ key, feature, play, item, rating }) =>
          `[${JSON.stringify(key)},"${feature}",${play},${item},${rating ?? 'null'}]`,
      )
      return { rows: `[${text.join(',')}]`, last: rows.length < limit ? null : (rows.at(-1)?.place ?? null) }
    },
  }
}

/** Prefix of a collection's id, which sorts by time. */
function stamp(atMs: number): string {
  return `${String(Math.max(0, atMs)).padStart(15, '0')}-`
}

function where(id: string, { kinds, words, keys, latestOnly }: RowFilter) {
  const parts = [sql`collection = ${id}`, sql`hidden = 0`]
  if (kinds !== null) parts.push(sql`kind in (select value from json_each(${JSON.stringify(kinds)}))`)
  if (keys !== null) parts.push(sql`key in (select value from json_each(${JSON.stringify(keys)}))`)
  if (latestOnly) parts.push(sql`latest = 1`)
  for (const word of words) parts.push(sql`instr(words, ${word}) > 0`)
  return sql.join(parts, sql` and `)
}
