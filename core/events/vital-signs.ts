// Health of the process: event loop delay and memory.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { HealthFact, ProcessFacts } from '@playhead/sdk'

export interface VitalSigns {
  read(): Promise<readonly HealthFact[]>
  process(): ProcessFacts
  close(): void
}

const LATE_MS = 200
const FULL_HEAP = 0.9
/** A loop that waits for work counts as on time each time this passes. */
const MOMENT_MS = 20

export function createVitalSigns(): VitalSigns {
  const health = watchLoop()
  // A separate one: each reading resets it, so readers must not share it. Started on first use.
  let measured: LoopWatch | null = null

  function sinceLastReading(): ProcessFacts['loopDelayMs'] {
    if (measured !== null) return measured.sinceLast()
    measured = watchLoop()
    return null
  }

  return {
    async read() {
      const { mean, p99, max } = health.sinceLast()
      const loop = { mean_ms: mean, p99_ms: p99, max_ms: max }
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
      health.close()
      measured?.close()
    },
  }
}

interface LoopWatch {
  /** Milliseconds that new work had to wait for earlier work since the last call. */
  sinceLast(): NonNullable<ProcessFacts['loopDelayMs']>
  close(): void
}

/** Measures each turn of the loop: a timer that measures would wake up the process fifty times a second. */
function watchLoop(): LoopWatch {
  const turns = monitorEventLoopDelay({ samplePerIteration: true })
  let sinceMs = performance.now()
  const begin = () => {
    turns.reset()
    sinceMs = performance.now()
  }
  turns.enable()
  // The first sample also counts the time until here.
  setImmediate(begin).unref()
  return {
    sinceLast() {
      const { count, mean, max } = turns
      // `turns` counts no idle time, in which the loop was on time.
      const moments = Math.max(count, (performance.now() - sinceMs) / MOMENT_MS)
      const later = Math.floor(moments / 100)
      const found = {
        mean: count === 0 ? 0 : asMs((mean * count) / moments),
        p99: later >= count ? 0 : asMs(turns.percentile(100 * (1 - later / count))),
        max: asMs(max),
      }
      begin()
      return found
    },
    close: () => void turns.disable(),
  }
}

const asMs = (nanoseconds: number) => Math.round(nanoseconds / 1e6)

function fact(name: string, ok: boolean, detail: object, advice: string): HealthFact {
  return { name, ok, detail, ...(ok ? {} : { advice }) }
}
