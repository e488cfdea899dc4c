// Monitors free space on the disk of the data directory. Below the limit no large write starts; running work finishes.
// New work starts again when space is free.
import { statfs } from 'node:fs/promises'
import type { HealthFact, Logger, Release, WorkKind, WorkRegistry } from '@playhead/sdk'
import { repeat } from '../clock.ts'

interface DiskSpaceFacts {
  readonly freeBytes: number
  readonly totalBytes: number
}

interface DiskWatchOptions {
  readonly directory: string
  readonly work: Pick<WorkRegistry, 'block'>
  readonly log: Logger
  /** Setting `runtime.min_free_mb`; 0 chooses by the size of the disk. */
  readonly minFreeMb: () => number
  /** For tests. */
  readonly space?: () => Promise<DiskSpaceFacts>
}

interface DiskWatch {
  /** Measures now. */
  check(): Promise<void>
  /** Measures, for the health report. */
  read(): Promise<HealthFact>
  close(): void
}

const MIB = 1024 * 1024
const EVERY_MS = 15_000
const LEAST_BYTES = 500 * MIB
const MOST_BYTES = 5 * 1024 * MIB
const SHARE = 0.02
/** Hysteresis, so that the state does not change with every file. */
const ENOUGH = 1.1
/** Small changes and maintenance are allowed. */
const HELD: readonly WorkKind[] = ['sync', 'capture', 'restore', 'backup', 'read']

/** 2 % of the disk, at least 500 MiB and at most 5 GiB, but never more than a quarter of a small disk. */
export function limitOf(totalBytes: number, minFreeMb: number): number {
  if (minFreeMb > 0) return minFreeMb * MIB
  return Math.min(Math.max(totalBytes * SHARE, LEAST_BYTES), MOST_BYTES, totalBytes / 4)
}

export function createDiskWatch({
  directory,
  work,
  log,
  minFreeMb,
  space = () => spaceOf(directory),
}: DiskWatchOptions): DiskWatch {
  let release: Release | null = null
  let isClosed = false

  async function measure(): Promise<DiskSpaceFacts & { readonly limitBytes: number; readonly isLow: boolean }> {
    const facts = await space()
    const limitBytes = Math.round(limitOf(facts.totalBytes, minFreeMb()))
    const isLow = facts.freeBytes < limitBytes * (release === null ? 1 : ENOUGH)
    if (isLow && release === null && !isClosed) {
      release = work.block({
        code: 'disk_low',
        kinds: HELD,
        message: `Only ${megabytes(facts.freeBytes)} are free on the disk of the data directory, less than the limit of ${megabytes(limitBytes)}. Make room: syncs, captures and backups wait until then.`,
      })
    } else if (!isLow && release !== null) {
      const end = release
      release = null
      await end()
    }
    return { ...facts, limitBytes, isLow }
  }

  async function check(): Promise<void> {
    try {
      await measure()
    } catch (error) {
      log.warn({ err: error }, 'the room on the disk could not be measured')
    }
  }

  const stop = repeat(EVERY_MS, check, () => {})
  return {
    check,
    async read() {
      try {
        const { freeBytes, totalBytes, limitBytes, isLow } = await measure()
        return {
          name: 'disk',
          ok: !isLow,
          detail: { free_bytes: freeBytes, total_bytes: totalBytes, limit_bytes: limitBytes },
          ...(isLow
            ? {
                advice: `Make room on the disk of the data directory: below ${megabytes(limitBytes)} syncs, captures and backups wait.`,
              }
            : {}),
        }
      } catch (error) {
        return {
          name: 'disk',
          ok: false,
          detail: { error: (error as NodeJS.ErrnoException).code ?? 'unreadable' },
          advice: 'See that the disk of the data directory is there.',
        }
      }
    },
    close() {
      isClosed = true
      stop()
      void release?.()
    },
  }
}

async function spaceOf(directory: string): Promise<DiskSpaceFacts> {
  const { bavail, blocks, bsize } = await statfs(directory)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

function megabytes(bytes: number): string {
  return bytes < 1024 * MIB ? `${Math.floor(bytes / MIB)} MB` : `${(bytes / (1024 * MIB)).toFixed(1)} GB`
}
