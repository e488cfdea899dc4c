// Delivers each finished run once to a plugin, including runs that ended while the plugin was not running.
import { setTimeout } from 'node:timers/promises'
import { onceProvided } from '../once-provided.ts'
import type { Remote } from '../capability.ts'
import type { PluginContext } from '../context.ts'
import { SYNC, type RunSummary, type SyncService } from '../capabilities/sync.ts'

const PAGE_SIZE = 50
const REMEMBERED = 200
const ENTRY = 'runs-taken'
const LISTENED_MS = 10_000
/** Time for the next queued run to start. */
const QUIET_MS = 250

interface FollowOptions {
  /**
   * Heavy work: starts shortly after the run, and only while no run is active. A new run aborts its signal; both runs
   * are delivered after that one ends.
   */
  readonly whenQuiet?: boolean
}

/** @param signal aborts when the plugin ends, and as described in `whenQuiet`; errors thrown then are ignored */
type TakeRun = (run: RunSummary, sync: Remote<SyncService>, signal: AbortSignal) => Promise<void>

/**
 * Calls `take` for each finished run that was not dry, one at a time, oldest first. Errors are logged, and the run is
 * delivered again after the next one. A crash may repeat the last run, so `take` must be idempotent. Call it in
 * `setup`.
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
    let open = await openOf(PAGE_SIZE)
    // More runs may have ended before the ones listed.
    if (open.length === PAGE_SIZE) open = await openOf(REMEMBERED)
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

  // The sync may be about to be replaced.
  const inTurn = () =>
    (queue = queue
      .then(() => onceProvided(catchUp, ctx.signal))
      .catch((error: unknown) => {
        if (ctx.signal.aborted) return
        ctx.log.error({ err: error }, 'a finished run could not be processed; it is retried after the next run')
      }))
  if (whenQuiet) ctx.events.on('run.started', () => interrupt.abort())
  ctx.events.on('run.finished', async ({ data }) => {
    // Consecutive runs are handled in one pass.
    if (done.has(String(data['run_id']))) return
    // May exceed the time limit of a listener.
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
