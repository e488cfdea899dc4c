// The way in: what is recorded is packed at once, queued, and goes to the database's thread many at a time, off the
// path of whoever recorded it.
import { type EventRecord, type Logger, type OwnDatabase, createTurns, pause, yieldToLoop } from '@playhead/sdk'
import { randomBytes } from 'node:crypto'
import { pack, type Parcel, type RecordedFact, unpack, withoutSecrets } from './parcel.ts'
import type work from './thread.ts'

export type ArchiveDatabase = OwnDatabase<typeof work>

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
  readonly database: () => Promise<ArchiveDatabase>
  /** Takes out secrets. */
  readonly redact: (text: string) => string
  readonly log: Logger
  readonly now: () => number
  readonly lingerMs?: number
}

const BATCH = 4_000
const PARCEL = 500
const LINGER_MS = 200
/** Characters that may wait. */
const FULL = 4 * 1024 * 1024
const RETRY_MS = [50, 500]

export function createWriter({ database, redact, log, now, lingerMs = LINGER_MS }: WriterDependencies): Writer {
  const nonce = randomBytes(8).toString('hex')
  const queue: Parcel[] = []
  let sequence = 0
  let waiting = { facts: 0, characters: 0 }
  let dropped = 0
  let isClosed = false
  let draining: Promise<void> | null = null
  let hurry = Promise.withResolvers<void>()
  let room: PromiseWithResolvers<void> | null = null

  const inTurn = createTurns()

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      if (waiting.facts < BATCH) {
        const timer = new AbortController()
        await Promise.race([hurry.promise, pause(lingerMs, timer.signal)])
        timer.abort()
      }
      const parcels = takeBatch()
      await inTurn(async () => storeOrDrop(await cleaned(parcels)))
    }
  }

  function takeBatch(): readonly Parcel[] {
    let facts = 0
    const parcels = queue.splice(
      0,
      Math.max(1, queue.findIndex(({ count }) => (facts += count) >= BATCH) + 1 || queue.length),
    )
    for (const { count, text } of parcels)
      waiting = { facts: waiting.facts - count, characters: waiting.characters - text.length }
    if (waiting.characters < FULL / 2) {
      room?.resolve()
      room = null
    }
    return parcels
  }

  /** One after the other: whoever records has other things to do. */
  async function cleaned(parcels: readonly Parcel[]): Promise<readonly Parcel[]> {
    const clean: Parcel[] = []
    for (const parcel of parcels) {
      clean.push({ ...parcel, text: withoutSecrets(parcel.text, redact) })
      await yieldToLoop()
    }
    return clean
  }

  function packed(facts: readonly RecordedFact[]): readonly Parcel[] {
    if (facts.length === 0) return []
    try {
      const parcel = { text: pack(facts), count: facts.length, first: sequence, atMs: now() }
      sequence += facts.length
      return [parcel]
    } catch (error) {
      if (facts.length > 1) return facts.flatMap((fact) => packed([fact]))
      drop(error, 1)
      return []
    }
  }

  function* parcelsOf(facts: readonly RecordedFact[]): Iterable<Parcel> {
    for (let start = 0; start < facts.length; start += PARCEL) yield* packed(facts.slice(start, start + PARCEL))
  }

  async function send(parcels: readonly Parcel[]): Promise<void> {
    const { unfit, error } = await (await database()).call('store', { nonce, parcels })
    if (unfit > 0) drop(new Error(error ?? 'no fact could be made of it'), unfit)
  }

  /**
   * A bad row must not take the others with it, nor a moment of trouble all of them. What was stored after all is not
   * stored again.
   */
  async function storeOrDrop(parcels: readonly Parcel[], tries = 0): Promise<void> {
    try {
      await send(parcels)
    } catch (error) {
      if (tries < RETRY_MS.length) {
        await pause(RETRY_MS[tries] as number)
        return await storeOrDrop(parcels, tries + 1)
      }
      const count = parcels.reduce((sum, parcel) => sum + parcel.count, 0)
      if (count === 1 || !isAboutRows(error)) return drop(error, count)
      for (const half of halvesOf(parcels)) await storeOrDrop(half, tries)
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
    await inTurn(async () => {})
  }

  return {
    async record(records) {
      if (isClosed) {
        dropped += records.length
        return
      }
      for (const parcel of parcelsOf(records.map((record) => ({ record })))) {
        queue.push(parcel)
        waiting = { facts: waiting.facts + parcel.count, characters: waiting.characters + parcel.text.length }
      }
      if (waiting.facts >= BATCH) {
        hurry.resolve()
        hurry = Promise.withResolvers<void>()
      }
      if (queue.length > 0) start()
      // Whoever records faster than is stored lets others have their turn.
      if (waiting.facts >= BATCH) await yieldToLoop()
      while (waiting.characters > FULL) {
        room ??= Promise.withResolvers<void>()
        await room.promise
      }
    },
    flushed,
    async store(records) {
      await send(await cleaned([...parcelsOf(records)]))
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

function halvesOf(parcels: readonly Parcel[]): readonly (readonly Parcel[])[] {
  const [parcel] = parcels as readonly [Parcel]
  if (parcels.length > 1) return [parcels.slice(0, parcels.length >> 1), parcels.slice(parcels.length >> 1)]
  const facts = [...unpack(parcel)]
  const middle = facts.length >> 1
  return [[part(0, middle)], [part(middle, facts.length)]]

  function part(from: number, to: number): Parcel {
    return { ...parcel, text: pack(facts.slice(from, to)), count: to - from, first: parcel.first + from }
  }
}

/** SQLite's codes for a value that does not fit: constraint, mismatch, range, too big. What Node refuses has none. */
function isAboutRows(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: unknown }
  return typeof errcode !== 'number' || [18, 19, 20, 25].includes(errcode & 0xff)
}
