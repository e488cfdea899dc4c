// The registry of work on an isolated plugin's thread; the holds are the host's.
import type { Remote, WorkHold, WorkObstacle, WorkRegistry } from '@playhead/sdk'
import type { HostSide, SyncSide } from './wire.ts'

interface ThreadWork {
  readonly registry: WorkRegistry
  /** Reports progress to the caller that waits. */
  waits(wait: number, obstacle: WorkObstacle): void
}

export function createThreadWork(host: Remote<HostSide>, sync: SyncSide): ThreadWork {
  const waiting = new Map<number, (obstacle: WorkObstacle) => void>()
  let lastWait = 0
  const never = new AbortController().signal
  const holdOf = (id: string): WorkHold => {
    const release = () => void host.workRelease(id).catch(() => {})
    return { id, release, [Symbol.dispose]: release }
  }

  return {
    waits: (wait, obstacle) => waiting.get(wait)?.(obstacle),
    registry: {
      begin: (work) => holdOf(sync.workBegin(work)),
      async beginWhenFree(work, { signal = never, onWait } = {}) {
        const wait = onWait === undefined ? null : ++lastWait
        if (wait !== null && onWait !== undefined) waiting.set(wait, onWait)
        try {
          return holdOf(await host.workBeginWhenFree(work, wait, signal))
        } finally {
          if (wait !== null) waiting.delete(wait)
        }
      },
      current: () => sync.workCurrent() as never,
      block(reason) {
        const block = sync.workBlock(reason)
        return () => void host.workUnblock(block).catch(() => {})
      },
      blocks: () => sync.workBlocks() as never,
    },
  }
}
