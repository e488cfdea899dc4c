// After a repair that lost rows, pairs forget their synced state before they run again. A person did not remove the lost rows, so
// they must not be removed from other accounts.
import { isPlayheadError, type Logger, pause, type PluginContext } from '@playhead/sdk'
import type { Performer } from '../run/perform.ts'

const FORGOTTEN = 'lost_rows_forgotten_at_ms'
const RETRY_MS = 1_000

/** Holds runs at once, and releases them when it is done. */
export function forgetAfterLoss(
  ctx: PluginContext,
  { find }: Pick<Performer, 'find'>,
  log: Pick<Logger, 'warn' | 'error'> = ctx.log.channel('MAINTENANCE'),
): void {
  const last = ctx.data().lastRestore()
  if (last?.lostRows !== true) return
  const block = ctx.work.block({
    code: 'rows_lost',
    message: 'A repair could not recover all data. Pairs start over with a first run.',
    kinds: ['sync'],
  })
  ctx.after(0, async () => {
    for (;;) {
      try {
        if ((await ctx.store.get<number>(FORGOTTEN)) !== last.stagedAtMs) {
          using _hold = await ctx.work.beginWhenFree(
            { kind: 'maintenance', label: 'What pairs synced is forgotten', exclusive: true },
            { signal: ctx.signal },
          )
          await (await find('sync-state')).action.run({}, ctx.signal)
          await ctx.store.set(FORGOTTEN, last.stagedAtMs)
          log.warn(
            { label: last.label },
            'rows were lost in a repair: pairs forget what they synced, and remove nothing because of it',
          )
        }
        await block()
        return
      } catch (error) {
        if (ctx.signal.aborted) return
        // The sync is starting, or is switched off; in both cases no run is active.
        if (!isPlayheadError(error, 'PLH_CAPABILITY_GONE'))
          log.error({ err: error }, 'what pairs synced could not be forgotten yet')
        await pause(RETRY_MS, ctx.signal)
      }
    }
  })
}
