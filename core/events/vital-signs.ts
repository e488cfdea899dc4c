// Health of the process: event loop delay and memory.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { HealthFact, ProcessFacts } from '@playhead/sdk'

export interface VitalSigns {
  read(): Promise<readonly HealthFact[]>
  process(): ProcessFacts
  close(): void
}

type LoopMonitor = ReturnType<typeof monitorEventLoopDelay>

const LATE_MS = 200
const FULL_HEAP = 0.9
const RESOLUTION_MS = 20

export function createVitalSigns(): VitalSigns {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  // A separate monitor: each reading resets it, so readers must not share one. Started on first use.
  let measured: LoopMonitor | null = null

  function sinceLastReading(): ProcessFacts['loopDelayMs'] {
    if (measured === null) {
      measured = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
      measured.enable()
      return null
    }
    const found = loopDelay(measured)
    measured.reset()
    return found
  }

  return {
    async read() {
      // Since the last reading.
      const { mean, p99, max } = loopDelay(delay)
      const loop = { mean_ms: mean, p99_ms: p99, max_ms: max }
      delay.reset()
      const heap = getHeapStatistics()
      const memory = {
        rss_bytes: process.memoryUsage.rss(),
        heap_used_bytes: heap.used_heap_size,
        heap_limit_bytes: heap.heap_size_limit,
      }
      return [
        fact(
          'event_loop',
          loop.p99_ms < LATE_MS,
          loop,
          'The machine is too busy, or a plugin works too long at a time; the log names it when it blocks.',
        ),
        fact(
          'memory',
          memory.heap_used_bytes < memory.heap_limit_bytes * FULL_HEAP,
          memory,
          'Memory is nearly used up. Give the service more, or start it again.',
        ),
      ]
    },
    process() {
      const { rss, heapUsed, external } = process.memoryUsage()
      const { user, system } = process.cpuUsage()
      return {
        rssBytes: rss,
        heapUsedBytes: heapUsed,
        heapLimitBytes: getHeapStatistics().heap_size_limit,
        externalBytes: external,
        cpuUserSeconds: user / 1e6,
        cpuSystemSeconds: system / 1e6,
        loopDelayMs: sinceLastReading(),
      }
    },
    close() {
      delay.disable()
      measured?.disable()
    },
  }
}

/** In milliseconds, minus the sampling interval contained in every sample. */
function loopDelay(delay: Pick<LoopMonitor, 'mean' | 'max' | 'percentile'>) {
  const lateMs = (nanoseconds: number) => Math.max(0, Math.round(nanoseconds / 1e6 - RESOLUTION_MS))
  return { mean: lateMs(delay.mean || 0), p99: lateMs(delay.percentile(99)), max: lateMs(delay.max) }
}

function fact(name: string, ok: boolean, detail: object, advice: string): HealthFact {
  return { name, ok, detail, ...(ok ? {} : { advice }) }
}
