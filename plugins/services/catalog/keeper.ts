// Keeps the index current: compares the revisions of its sources, and rebuilds it in the background.
import {
  type Logger,
  METADATA,
  pause,
  PlayheadError,
  type PluginContext,
  type Remote,
  type Tables,
} from '@playhead/sdk'
import { sql } from 'kysely'
import type { IndexWork } from './index-thread/thread.ts'
import { sourcesNow } from './sources.ts'

type Sources = Awaited<ReturnType<typeof sourcesNow>>

interface IndexState {
  /** Changes with the index. */
  readonly build: number
  /** Epoch milliseconds. */
  readonly builtAt: number
  /** No source has changed since the last check; otherwise a check or rebuild is in progress. */
  readonly current: boolean
}

export interface Keeper {
  /**
   * The current index; waits for the first one. `fresh`: includes all changes made before the call.
   *
   * @throws errors of the accounts while there is no index, or with `fresh`
   */
  state(fresh: boolean): Promise<IndexState>
  /** Signals that a source may have changed. */
  look(): void
}

interface KeeperOptions {
  readonly ctx: Pick<PluginContext, 'tryUse' | 'events' | 'signal'>
  readonly log: Logger
  readonly reader: Tables
  /** The revision of the index's file. */
  readonly revision: () => string
  readonly work: Remote<IndexWork>
  readonly now?: () => number
}

/** Requests trigger a check at most this often. */
const LOOK_MS = 2_000
/** How long a read waits for a check. */
const COMPARE_MS = 50
const MAX_TRIES = 3
const FACTS_MS = 6 * 3_600_000

export function createKeeper({ ctx, log, reader, revision, work, now = Date.now }: KeeperOptions): Keeper {
  let running: Promise<void> | undefined
  let isAsked = false
  let isPlanned = false
  let lookedAt = Number.NEGATIVE_INFINITY
  let factsAt = Number.NEGATIVE_INFINITY
  let known: string | undefined
  let isCurrent = false
  /** Reads the revisions of the sources. */
  let comparing: ReturnType<typeof changed> | undefined

  /** Null: nothing has changed. */
  async function changed(): Promise<{ readonly sources: Sources; readonly facts: boolean } | null> {
    try {
      const sources = await sourcesNow(ctx)
      const facts = now() - factsAt > FACTS_MS && ctx.tryUse(METADATA) !== undefined
      isCurrent = JSON.stringify(sources) === known && !facts
      return isCurrent ? null : { sources, facts }
    } catch (error) {
      isCurrent = false
      throw error
    } finally {
      comparing = undefined
    }
  }

  async function compare(): Promise<void> {
    // An account may be read during the rebuild.
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      comparing = changed()
      const found = await comparing
      if (found === null) return
      const { sources, facts } = found
      const { changed: isRebuilt } = await work.refresh({ sources, facts })
      known = JSON.stringify(sources)
      if (facts) factsAt = now()
      if (isRebuilt) {
        log.debug({ sources: sources.length }, 'the catalog was rebuilt')
        ctx.events.emit('library.changed', {})
      }
    }
  }

  function check(): Promise<void> {
    running ??= compare().finally(() => {
      running = undefined
      lookedAt = now()
      if (isAsked) look()
      isAsked = false
    })
    return running
  }

  function look(): void {
    // The current check may have read the sources before the change.
    if (running !== undefined) {
      isAsked = true
      return
    }
    check().catch((error: unknown) => {
      log.warn({ err: error }, 'the catalog could not be rebuilt; it shows the previous state')
    })
  }

  /** A later change is found soon, even without another request. */
  function lookLater(): void {
    if (isPlanned) return
    isPlanned = true
    void pause(LOOK_MS, ctx.signal).then(() => {
      isPlanned = false
      if (!ctx.signal.aborted) look()
    })
  }

  /** Most checks find no change within a few milliseconds, so that the current answer can be kept. */
  async function compared(): Promise<void> {
    if (comparing === undefined) return
    const stop = new AbortController()
    const done = comparing.then(
      () => {},
      () => {},
    )
    await Promise.race([done, pause(COMPARE_MS, stop.signal)])
    stop.abort()
  }

  type Stored = Omit<IndexState, 'current'> | undefined
  let stored: { readonly revision: string; readonly found: Stored } | undefined

  async function read(): Promise<Stored> {
    const before = revision()
    if (stored?.revision === before) return stored.found
    const found = await readState()
    if (revision() === before) stored = { revision: before, found }
    return found
  }

  async function readState(): Promise<Stored> {
    const { rows } = await sql<{ name: string; value: string }>`select name, value from state`.execute(reader)
    const byName = new Map(rows.map(({ name, value }) => [name, Number(value)]))
    const build = byName.get('build')
    return build === undefined ? undefined : { build, builtAt: byName.get('built_at') ?? 0 }
  }

  return {
    look,
    async state(fresh) {
      if (fresh) {
        // The current check may have read the sources before the change.
        await running?.catch(() => {})
        await check()
      } else if (running === undefined) {
        if (now() - lookedAt > LOOK_MS) look()
        else lookLater()
      }
      await compared()
      let found = await read()
      if (found === undefined) {
        await check()
        found = await read()
      }
      if (found === undefined) throw new PlayheadError('PLH_NOT_READY', 'The library is being read.')
      return { ...found, current: isCurrent && comparing === undefined }
    },
  }
}
