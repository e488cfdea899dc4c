// What the process says of its own health: how late the event loop is, how full the memory and the disk are.
import { statfs } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { HealthFact } from '@playhead/sdk'

export interface VitalSigns {
  read(): Promise<readonly HealthFact[]>
  close(): void
}

const LATE_MS = 200
const FULL_HEAP = 0.9
const LOW_DISK_BYTES = 200 * 1024 * 1024
const RESOLUTION_MS = 20

export function createVitalSigns({ directory }: { readonly directory: string }): VitalSigns {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()

  return {
    async read() {
      // Since the last reading, less the sampling interval that every sample contains.
      const lateMs = (nanoseconds: number) => Math.max(0, Math.round(nanoseconds / 1e6 - RESOLUTION_MS))
      const loop = { mean_ms: lateMs(delay.mean || 0), p99_ms: lateMs(delay.percentile(99)), max_ms: lateMs(delay.max) }
      delay.reset()
      const heap = getHeapStatistics()
      const memory = { rss_bytes: process.memoryUsage.rss(), heap_used_bytes: heap.used_heap_size, heap_limit_bytes: heap.heap_size_limit }
      return [
        { name: 'event_loop', ok: loop.p99_ms < LATE_MS, detail: loop },
        { name: 'memory', ok: memory.heap_used_bytes < memory.heap_limit_bytes * FULL_HEAP, detail: memory },
        await readDisk(directory),
      ]
    },
    close: () => void delay.disable(),
  }
}

async function readDisk(directory: string): Promise<HealthFact> {
  try {
    const { bavail, blocks, bsize } = await statfs(directory)
    return { name: 'disk', ok: bavail * bsize > LOW_DISK_BYTES, detail: { free_bytes: bavail * bsize, total_bytes: blocks * bsize } }
  } catch (error) {
    return { name: 'disk', ok: false, detail: { error: (error as NodeJS.ErrnoException).code ?? 'unreadable' } }
  }
}
