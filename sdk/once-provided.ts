// Startup work that needs a capability of another plugin.
import { isPlayheadError } from './errors.ts'
import { pause } from './waiting.ts'

/** About 50 s in all: enough for a slow plugin; a disabled one never appears. */
const TRY_AGAIN_MS = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000]

/**
 * For `optional` capabilities in work right after a start: their plugin may become active a little later than
 * yours. While no plugin provides one, the work is retried for about 50 seconds; do not keep requests waiting for it.
 * @param work is called from its beginning each time
 * @param signal ends the waiting; `ctx.signal`
 * @throws errors of the work; finally `PLH_CAPABILITY_GONE`; the reason of the signal
 */
export async function onceProvided<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (const ms of TRY_AGAIN_MS) {
    try {
      return await work()
    } catch (error) {
      if (!isPlayheadError(error, 'PLH_CAPABILITY_GONE')) throw error
      await pause(ms, signal)
      signal.throwIfAborted()
    }
  }
  return work()
}
