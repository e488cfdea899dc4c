// The write queue: records are encoded at once, without secrets, queued, and sent to the database thread in batches.
import { type EventRecord, type Logger, type OwnDatabase, createTurns, pause, yieldToLoop } from '@playhead/sdk'
import { randomBytes } from 'node:crypto'
import { encodeBatch, type EventBatch, type RecordedFact, decodeBatch } from './event-batch.ts'
import type work from './thread.ts'

export type ArchiveDatabase = OwnDatabase<typeof work>

export interface Writer {
  /** Resolves when the records are queued; waits while the queue is full. */
  record(records: readonly EventRecord[]): Promise<void>
  /** Resolves when all earlier records are committed, or dropped and counted. */
  flushed(): Promise<void>
  /** Runs the work between two batches, after all earlier records. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
  /** Stores imported records. Only within `alone`. */
  store(records: readonly RecordedFact[]): Promise<void>
  dropped(): number
  /** Stores the queue and accepts no more records. */
  close(): Promise<void>
}

interface WriterDependencies {
  readonly database: () => Promise<ArchiveDatabase>
  /** Removes secrets. */
  readonly redact: (text: string) => string
  readonly log: Logger
  readonly now: () => number
  readonly lingerMs?: number
}

const BATCH = 4_000
const BATCH_TEXT = 500
const LINGER_MS = 200
/** Maximum queue length in characters. */
const MAX_QUEUED = 4 * 1024 * 1024
const RETRY_MS = [50, 500]

export function createWriter({ database, redact, log, now, lingerMs = LINGER_MS }: WriterDependencies): Writer {
  const nonce = randomBytes(8).toString('hex')
  const queue: EventBatch[] = []
  let sequence = 0
  let waiting = { facts: 0, characters: 0 }
  let dropped = 0
  let isClosed = false
  let draining: Promise<void> | null = null
  let flushNow = Promise.withResolvers<void>()
  let drained: PromiseWithResolvers<void> | null = null

  const inTurn = createTurns()

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      if (waiting.facts < BATCH) {
        const timer = new AbortController()
        await Promise.race([flushNow.promise, pause(lingerMs, timer.signal)])
        timer.abort()
      }
      const batches = takeChunk()
      await inTurn(() => storeOrDrop(batches))
    }
  }

  function takeChunk(): readonly EventBatch[] {
    let facts = 0
    const batches = queue.splice(
      0,
      Math.max(1, queue.findIndex(({ count }) => (facts += count) >= BATCH) + 1 || queue.length),
    )
    for (const { count, text } of batches)
      waiting = { facts: waiting.facts - count, characters: waiting.characters - text.length }
    if (waiting.characters < MAX_QUEUED / 2) {
      drained?.resolve()
      drained = null
    }
    return batches
  }

  function encode(facts: readonly RecordedFact[]): readonly EventBatch[] {
    if (facts.length === 0) return []
    try {
      const batch = { text: encodeBatch(facts, redact), count: facts.length, first: sequence, atMs: now() }
      sequence += facts.length
      return [batch]
    } catch (error) {
      if (facts.length > 1) return facts.flatMap((fact) => encode([fact]))
      drop(error, 1)
      return []
    }
  }

  function* batchesOf(facts: readonly RecordedFact[]): Iterable<EventBatch> {
    for (let start = 0; start < facts.length; start += BATCH_TEXT) yield* encode(facts.slice(start, start + BATCH_TEXT))
  }

  async function send(batches: readonly EventBatch[]): Promise<void> {
    const { unfit, error } = await (await database()).call('store', { nonce, batches })
    if (unfit > 0) drop(new Error(error ?? 'the record could not be converted'), unfit)
  }

  /**
   * Splits a failing batch to drop only its bad rows, and retries when the database fails. Facts already stored are not
   * stored twice.
   */
  async function storeOrDrop(batches: readonly EventBatch[], tries = 0): Promise<void> {
    try {
      await send(batches)
    } catch (error) {
      if (tries < RETRY_MS.length) {
        await pause(RETRY_MS[tries] as number)
        return await storeOrDrop(batches, tries + 1)
      }
      const count = batches.reduce((sum, batch) => sum + batch.count, 0)
      if (count === 1 || !isAboutRows(error)) return drop(error, count)
      for (const half of halvesOf(batches)) await storeOrDrop(half, tries)
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
    flushNow.resolve()
    await draining
    flushNow = Promise.withResolvers<void>()
    await inTurn(async () => {})
  }

  return {
    async record(records) {
      if (isClosed) {
        dropped += records.length
        return
      }
      for (const batch of batchesOf(records.map((record) => ({ record })))) {
        queue.push(batch)
        waiting = { facts: waiting.facts + batch.count, characters: waiting.characters + batch.text.length }
      }
      if (waiting.facts >= BATCH) {
        flushNow.resolve()
        flushNow = Promise.withResolvers<void>()
      }
      if (queue.length > 0) start()
      // Yield when records arrive faster than they are stored.
      if (waiting.facts >= BATCH) await yieldToLoop()
      while (waiting.characters > MAX_QUEUED) {
        drained ??= Promise.withResolvers<void>()
        await drained.promise
      }
    },
    flushed,
    async store(records) {
      const batches: EventBatch[] = []
      for (const batch of batchesOf(records)) {
        batches.push(batch)
        await yieldToLoop()
      }
      await send(batches)
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

function halvesOf(batches: readonly EventBatch[]): readonly (readonly EventBatch[])[] {
  const [batch] = batches as readonly [EventBatch]
  if (batches.length > 1) return [batches.slice(0, batches.length >> 1), batches.slice(batches.length >> 1)]
  const facts = [...decodeBatch(batch)]
  const middle = facts.length >> 1
  return [[part(0, middle)], [part(middle, facts.length)]]

  function part(from: number, to: number): EventBatch {
    return {
      ...batch,
      text: encodeBatch(facts.slice(from, to), (clean) => clean),
      count: to - from,
      first: batch.first + from,
    }
  }
}

/** SQLite codes for invalid values: constraint, mismatch, range, too big. Errors of Node itself have no code. */
function isAboutRows(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: unknown }
  return typeof errcode !== 'number' || [18, 19, 20, 25].includes(errcode & 0xff)
}
