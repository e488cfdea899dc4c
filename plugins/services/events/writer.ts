// The way in: facts are queued, and go to the database in batches off the path of whoever recorded them.
import type { EventRecord, Logger, OwnDatabase, SqlValue } from '@playhead/sdk'
import type { FactMaker, RecordedFact } from './facts.ts'
import { pause } from './pause.ts'
import { FACET_FIELDS } from './schema.ts'
import { FACT_COLUMNS } from './triggers.ts'

export interface Writer {
  /** Resolves when they are queued; waits while the queue is full. */
  record(records: readonly EventRecord[]): Promise<void>
  /** Resolves when everything queued before is committed, or was given up and counted. */
  flushed(): Promise<void>
  /** Runs something between two batches, after everything queued before. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
  /** Stores imported records in one transaction of at most a batch. Only within `alone`. */
  store(records: readonly RecordedFact[]): Promise<void>
  /** Forgets which facets are stored, after they were deleted. */
  forget(): void
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

const BATCH = 500
const LINGER_MS = 200
const FULL = 20_000
const KNOWN_FACETS = 20_000
const RETRY_MS = [50, 500]
const INSERT_FACT = `INSERT INTO fact (${FACT_COLUMNS.join(', ')}) VALUES (${FACT_COLUMNS.map(() => '?').join(', ')})`
const FACET_COLUMNS = ['key', ...FACET_FIELDS, 'dry_run']
const INSERT_FACET = `INSERT OR IGNORE INTO facet (${FACET_COLUMNS.join(', ')}) VALUES (${FACET_COLUMNS.map(() => '?').join(', ')})`

export function createWriter({ database, facts, log, lingerMs = LINGER_MS }: WriterDependencies): Writer {
  const queue: EventRecord[] = []
  let facets = new Set<string>()
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
      await inTurn(() => storeOrDrop(batch.map((record) => ({ record }))))
    }
  }

  async function store(batch: readonly RecordedFact[]): Promise<void> {
    const made = facts.make(batch)
    const fresh = new Map(made.filter(({ facetKey }) => !facets.has(facetKey)).map(({ facetKey, facet }) => [facetKey, facet]))
    const opened = await database()
    if (fresh.size > 0) {
      await opened.insertMany(INSERT_FACET, [...fresh].map(([key, values]): SqlValue[] => [key, ...values]))
      if (facets.size > KNOWN_FACETS) facets = new Set()
      for (const key of fresh.keys()) facets.add(key)
    }
    await opened.insertMany(INSERT_FACT, made.map(({ values }) => values))
  }

  /** A bad row must not take the others with it, nor a moment of trouble all of them. */
  async function storeOrDrop(batch: readonly RecordedFact[], tries = 0): Promise<void> {
    try {
      await store(batch)
    } catch (error) {
      if (tries < RETRY_MS.length) {
        await pause(RETRY_MS[tries] as number)
        return await storeOrDrop(batch, tries + 1)
      }
      if (batch.length > 1 && isAboutRows(error)) {
        const middle = batch.length >> 1
        await storeOrDrop(batch.slice(0, middle), tries)
        await storeOrDrop(batch.slice(middle), tries)
        return
      }
      dropped += batch.length
      log.error({ err: error, count: batch.length, type: batch[0]?.record.type }, 'events could not be stored')
    }
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
    async alone(work) {
      await flushed()
      return await inTurn(work)
    },
    store,
    forget: () => {
      facets = new Set()
    },
    dropped: () => dropped,
    async close() {
      isClosed = true
      await flushed()
    },
  }
}

/** SQLite's codes for a value that does not fit: constraint, mismatch, range, too big. What Node refuses has none. */
function isAboutRows(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: unknown }
  return typeof errcode !== 'number' || [18, 19, 20, 25].includes(errcode & 0xff)
}
