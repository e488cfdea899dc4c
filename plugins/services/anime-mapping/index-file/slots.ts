// The two database files of the index: one is in use, the other receives the next build. The state of the plugin names the
// file in use.
import { randomUUID } from 'node:crypto'
import type { Logger, OwnDatabase, PluginContext } from '@playhead/sdk'
import { sql } from 'kysely'
import { isInvalidData } from '../data/invalid.ts'
import type { Counts } from './build.ts'
import { migrations } from './schema.ts'
import work, { type DataSet } from './thread.ts'

export type Slot = 'a' | 'b'
type Work = typeof work
type Chunks = AsyncIterable<Uint8Array>

export interface Built {
  readonly slot: Slot
  readonly build: string
  readonly counts: Counts
  readonly size: number
  /** Why the identity table was left out; empty if it is included. */
  readonly identityError: string
}

export interface Slots {
  /** Throws `IndexLost` if the file is missing, broken, or holds another index. */
  look<Name extends 'check' | 'enrich' | 'coordinates' | 'entries' | 'aired'>(
    index: Pick<Built, 'slot' | 'build'>,
    name: Name,
    argument: Parameters<Work[Name]>[1],
  ): Promise<ReturnType<Work[Name]>>
  /** Builds into the slot that is not `inUse`. Throws `InvalidData`; the slot in use is not touched. */
  build(
    inUse: Slot | null,
    data: { readonly mappings: () => Chunks; readonly identities: (() => Chunks) | null },
    signal: AbortSignal,
  ): Promise<Built>
  /** Empties and closes a slot that is no longer in use. */
  release(slot: Slot): Promise<void>
}

/** The file of the index cannot be used; it has to be built again. */
export class IndexLost extends Error {}

// https://sqlite.org/rescode.html: SQLITE_CORRUPT, SQLITE_NOTADB
const DAMAGED = new Set([11, 26])
const CHUNK_BYTES = 512 * 1024

export function createSlots(ctx: Pick<PluginContext, 'openDatabase' | 'assets'>, log: Logger): Slots {
  const opened = new Map<Slot, Promise<OwnDatabase<Work>>>()

  function open(slot: Slot): Promise<OwnDatabase<Work>> {
    const known = opened.get(slot)
    if (known !== undefined) return known
    const opening = ctx.openDatabase(`index-${slot}`, {
      migrations,
      onUnreadable: 'set_aside',
      // Between the chunks of a download, a build is in its memory.
      onThread: { file: ctx.assets.path('index-file/thread.ts'), work, keepsState: true },
    })
    opened.set(slot, opening)
    opening.catch(() => opened.delete(slot))
    return opening
  }

  async function release(slot: Slot): Promise<void> {
    const database = await opened.get(slot)?.catch(() => undefined)
    opened.delete(slot)
    try {
      await database?.replace()
    } finally {
      await database?.close()
    }
  }

  return {
    async look({ slot, build }, name, argument) {
      const database = await open(slot)
      try {
        return await database.call(name, argument)
      } catch (error) {
        const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown }
        const isDamaged = typeof errcode === 'number' && DAMAGED.has(errcode & 255)
        if (code === 'OTHER_INDEX' || isDamaged)
          throw new IndexLost(`The index ${build} is not in its file.`, { cause: error })
        throw error
      }
    },
    async build(inUse, { mappings, identities }, signal) {
      const slot: Slot = inUse === 'a' ? 'b' : 'a'
      try {
        const database = await open(slot)
        // Leftovers of an interrupted build.
        await database.replace()
        const build = randomUUID()
        await database.call('begin', build)
        await feed(database, { build, set: 'mappings', chunks: mappings(), signal })
        const identityError = identities === null ? '' : await feedIdentities(database, build, identities(), signal)
        const counts = await database.call('store', build)
        await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(database.db)
        const { file, log: journal } = await database.size()
        return { slot, build, counts, identityError, size: file + journal }
      } catch (error) {
        await release(slot).catch((err: unknown) => log.debug({ err }, 'an unfinished index was not removed'))
        throw error
      }
    },
    release,
  }
}

async function feed(
  database: OwnDatabase<Work>,
  { build, set, chunks, signal }: { build: string; set: DataSet; chunks: Chunks; signal: AbortSignal },
): Promise<void> {
  for await (const chunk of joined(chunks)) {
    signal.throwIfAborted()
    await database.call('feed', { build, set, chunk })
  }
  await database.call('end', { build, set })
}

/** The index is usable without the identity table. */
async function feedIdentities(
  database: OwnDatabase<Work>,
  build: string,
  chunks: Chunks,
  signal: AbortSignal,
): Promise<string> {
  try {
    await feed(database, { build, set: 'identities', chunks, signal })
    return ''
  } catch (error) {
    if (!isInvalidData(error)) throw error
    await database.call('dropIdentities', build)
    return error.message
  }
}

/** Larger chunks need fewer messages between the threads. */
async function* joined(chunks: Chunks): Chunks {
  let parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    size += chunk.length
    if (size < CHUNK_BYTES) continue
    yield Buffer.concat(parts)
    parts = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(parts)
}
