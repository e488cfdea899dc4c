// For plugins that take in what runs did: each run that has ended once, also those that ended while the plugin did not
// run.
import { setTimeout } from 'node:timers/promises'
import type { PluginContext, Remote } from '../context.ts'
import { SYNC, type RunSummary, type SyncService } from '../capabilities/sync.ts'

const LOOKED_BACK = 50
const REMEMBERED = 200
const ENTRY = 'runs-taken'
const LISTENED_MS = 10_000
/** Whoever waits for the end of a run to start the next one has started it by then. */
const QUIET_MS = 250

export interface FollowOptions {
  /**
   * The work is heavy and can wait: it begins a moment after the end, and not while another run is on; when one begins,
   * its signal is aborted. The end of that brings both.
   */
  readonly whenQuiet?: boolean
}

/** @param signal aborted when the plugin goes, and as `whenQuiet` says: what is thrown then is no fault */
export type TakeRun = (run: RunSummary, sync: Remote<SyncService>, signal: AbortSignal) => Promise<void>

/**
 * Calls `take` for each run that has ended and was not dry, one after the other, the oldest first. What `take` throws
 * is logged, and the run comes again when the next one ends. A crash in between repeats the last run: taking the same
 * one twice must change nothing. To be called in `setup`.
 */
export function followRuns(ctx: PluginContext, take: TakeRun, { whenQuiet = false }: FollowOptions = {}): void {
  const sync = ctx.use(SYNC)
  let queue: Promise<void> = Promise.resolve()
  let interrupt = new AbortController()
  let done: ReadonlySet<string> = new Set()

  async function catchUp(): Promise<void> {
    if (whenQuiet) await setTimeout(QUIET_MS, undefined, { signal: ctx.signal }).catch(() => {})
    if (ctx.signal.aborted || ctx.tryUse(SYNC) === undefined) return
    const taken = new Set((await ctx.store.get<readonly string[]>(ENTRY)) ?? [])
    done = taken
    const openOf = async (count: number) =>
      (await sync.reports(count)).filter((run) => !run.dry_run && !taken.has(run.run_id)).reverse()
    let open = await openOf(LOOKED_BACK)
    // Many have ended since, and there may be more before these.
    if (open.length === LOOKED_BACK) open = await openOf(REMEMBERED)
    for (const run of open) {
      interrupt = new AbortController()
      const signal = AbortSignal.any([ctx.signal, interrupt.signal])
      if (signal.aborted || (whenQuiet && (await sync.active()) !== null)) return
      try {
        await take(run, sync, signal)
      } catch (error) {
        if (signal.aborted) return
        throw error
      }
      taken.add(run.run_id)
      await ctx.store.set(ENTRY, [...taken].slice(-REMEMBERED))
    }
  }

  const inTurn = () =>
    (queue = queue.then(catchUp).catch((error: unknown) => {
      ctx.log.error({ err: error }, 'what a run did could not be taken in; it is tried again after the next run')
    }))
  if (whenQuiet) ctx.events.on('run.started', () => interrupt.abort())
  ctx.events.on('run.finished', async ({ data }) => {
    // Runs that ended in a row are taken in together, not with a wait for each.
    if (done.has(String(data['run_id']))) return
    // It may take longer than a listener is given.
    const limit = new AbortController()
    await Promise.race([
      inTurn(),
      setTimeout(LISTENED_MS, undefined, { ref: false, signal: limit.signal }).catch(() => {}),
    ])
    limit.abort()
  })
  ctx.defer(() => queue)
  ctx.after(0, inTurn)
}
