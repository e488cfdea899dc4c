// The way in: facts are queued, and go to the database in batches off the path of whoever recorded them.
import { createPace, type EventRecord, type Logger, type OwnDatabase, type SqlValue } from '@playhead/sdk'
import type { Fact, FactMaker, RecordedFact } from './facts.ts'
import { pause } from './pause.ts'
import { all, piece } from './query.ts'
import { FACET_FIELDS } from './schema.ts'
import { FACET_AT, storeFacts } from './store-facts.ts'

export interface Writer {
  /** Resolves when they are queued; waits while the queue is full. */
  record(records: readonly EventRecord[]): Promise<void>
  /** Resolves when everything queued before is committed, or was given up and counted. */
  flushed(): Promise<void>
  /** Runs something between two batches, after everything queued before. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
  /** Stores imported records. Only within `alone`. */
  store(records: readonly RecordedFact[]): Promise<void>
  dropped(): number
  /** Stores what is queued and takes no more. */
  close(): Promise<void>
}

export interface WriterDependencies {
  readonly database: () => Promise<OwnDatabase>
  readonly facts: FactMaker
  readonly log: Logger
  readonly lingerMs?: number
}

const BATCH = 2_000
const MADE_AT_ONCE = 200
const LINGER_MS = 200
const FULL = 20_000
const KNOWN_FACETS = 20_000
const RETRY_MS = [50, 500]
const FACET_COLUMNS = ['key', ...FACET_FIELDS, 'dry_run']
const INSERT_FACET = `INSERT OR IGNORE INTO facet (${FACET_COLUMNS.join(', ')}) VALUES (${FACET_COLUMNS.map(() => '?').join(', ')})`

export function createWriter({ database, facts, log, lingerMs = LINGER_MS }: WriterDependencies): Writer {
  const queue: EventRecord[] = []
  const facets = new Map<string, number>()
  let dropped = 0
  let isClosed = false
  let draining: Promise<void> | null = null
  let hurry = Promise.withResolvers<void>()
  let room: PromiseWithResolvers<void> | null = null
  let turn: Promise<unknown> = Promise.resolve()

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = turn.then(work, work)
    turn = mine.catch(() => {})
    return mine
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      if (queue.length < BATCH) {
        const timer = new AbortController()
        await Promise.race([hurry.promise, pause(lingerMs, timer.signal)])
        timer.abort()
      }
      const batch = queue.splice(0, BATCH)
      if (queue.length < FULL / 2) {
        room?.resolve()
        room = null
      }
      await inTurn(async () => {
        for (const some of atOnce(await makeFacts(batch))) await storeOrDrop(some)
      })
    }
  }

  /** A few at a time: whoever records has other things to do. */
  async function makeFacts(records: readonly EventRecord[]): Promise<readonly Fact[]> {
    const pace = createPace()
    const made: Fact[] = []
    for (let start = 0; start < records.length; start += MADE_AT_ONCE) {
      const some = records.slice(start, start + MADE_AT_ONCE).map((record) => ({ record }))
      try {
        made.push(...facts.make(some))
      } catch {
        for (const one of some) made.push(...makeOrDrop(one))
      }
      if (pace.due()) await pace.rest()
    }
    return made
  }

  function makeOrDrop(one: RecordedFact): readonly Fact[] {
    try {
      return facts.make([one])
    } catch (error) {
      drop(error, 1)
      return []
    }
  }

  async function store(some: readonly Fact[]): Promise<void> {
    const opened = await database()
    await knowFacets(opened, some)
    await storeFacts(opened, some.map(({ facetKey, values }) => values.with(FACET_AT, facets.get(facetKey) as number)))
  }

  /** Facets are never deleted, so what is known of them stays right. */
  async function knowFacets(opened: OwnDatabase, made: readonly Fact[]): Promise<void> {
    if (facets.size > KNOWN_FACETS) facets.clear()
    const fresh = new Map(made.filter(({ facetKey }) => !facets.has(facetKey)).map(({ facetKey, facet }) => [facetKey, facet]))
    if (fresh.size === 0) return
    await opened.insertMany(INSERT_FACET, [...fresh].map(([key, values]): SqlValue[] => [key, ...values]))
    const rows = await all(opened.db, piece('SELECT id, key FROM facet WHERE key IN (SELECT value FROM json_each(?))', JSON.stringify([...fresh.keys()])))
    for (const { id, key } of rows) facets.set(String(key), Number(id))
  }

  /** A bad row must not take the others with it, nor a moment of trouble all of them. What was stored after all is not stored again. */
  async function storeOrDrop(some: readonly Fact[], tries = 0): Promise<void> {
    try {
      await store(some)
    } catch (error) {
      if (tries < RETRY_MS.length) {
        await pause(RETRY_MS[tries] as number)
        return await storeOrDrop(some, tries + 1)
      }
      if (some.length > 1 && isAboutRows(error)) {
        const middle = some.length >> 1
        await storeOrDrop(some.slice(0, middle), tries)
        await storeOrDrop(some.slice(middle), tries)
        return
      }
      drop(error, some.length)
    }
  }

  function drop(error: unknown, count: number): void {
    dropped += count
    log.error({ err: error, count }, 'events could not be stored')
  }

  function start(): void {
    draining ??= drain().finally(() => {
      draining = null
      if (queue.length > 0) start()
    })
  }

  async function flushed(): Promise<void> {
    hurry.resolve()
    await draining
    hurry = Promise.withResolvers<void>()
    await turn
  }

  return {
    async record(records) {
      if (isClosed) {
        dropped += records.length
        return
      }
      for (const record of records) queue.push(record)
      if (queue.length >= BATCH) {
        hurry.resolve()
        hurry = Promise.withResolvers<void>()
      }
      if (queue.length > 0) start()
      while (queue.length > FULL) {
        room ??= Promise.withResolvers<void>()
        await room.promise
      }
    },
    flushed,
    async store(records) {
      for (const some of atOnce(facts.make(records))) await store(some)
    },
    async alone(work) {
      await flushed()
      return await inTurn(work)
    },
    dropped: () => dropped,
    async close() {
      isClosed = true
      await flushed()
    },
  }
}

/** In pieces that hold each fact once, and those of a group in the order of their time. */
function* atOnce(facts: readonly Fact[]): Iterable<readonly Fact[]> {
  let start = 0
  let told = new Set<string>()
  let latest = new Map<string, number>()
  for (const [index, { dedupe, groupKey, ts }] of facts.entries()) {
    if (told.has(dedupe) || (latest.get(groupKey) ?? ts) > ts) {
      yield facts.slice(start, index)
      start = index
      told = new Set()
      latest = new Map()
    }
    told.add(dedupe)
    latest.set(groupKey, ts)
  }
  if (start < facts.length) yield facts.slice(start)
}

/** SQLite's codes for a value that does not fit: constraint, mismatch, range, too big. What Node refuses has none. */
function isAboutRows(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: unknown }
  return typeof errcode !== 'number' || [18, 19, 20, 25].includes(errcode & 0xff)
}
