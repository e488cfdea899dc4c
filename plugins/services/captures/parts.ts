// What the plugin works with.
import {
  ACCOUNTS,
  type Accounts,
  type EventBus,
  type FileArea,
  LIBRARY,
  type LibraryService,
  type Logger,
  type PluginContext,
  type Remote,
  type WorkRegistry,
} from '@playhead/sdk'
import { CAPTURE_FILES, type CaptureFiles } from './file/read.ts'
import { createJobs, type Jobs } from './run/jobs.ts'
import { createRecovery } from './run/recover.ts'
import { type Catalogue, createCatalogue } from './store/catalogue.ts'
import type { Work } from './work/thread.ts'

export interface Parts {
  readonly accounts: Remote<Accounts>
  readonly library: Remote<LibraryService>
  readonly files: FileArea
  readonly catalogue: Catalogue
  readonly jobs: Jobs
  /** Who works on an account. */
  readonly holds: WorkRegistry
  /** Reads and compares captures, on a thread. */
  readonly work: Remote<Work>
  readonly events: EventBus
  readonly log: Logger
  readonly version: string
  now(): number
  /** Resolves when what an earlier process left behind is settled. */
  ready(): Promise<void>
}

export function createParts(ctx: PluginContext): Parts {
  const log = ctx.log.channel('CAPTURE')
  const files = ctx.files.shared('captures')
  const { work } = ctx.startThread<Work>('work/thread.ts', { offers: { [CAPTURE_FILES.token]: rangesOf(files) } })
  const catalogue = createCatalogue({ db: ctx.db, files, work, log })
  const jobs = createJobs({ db: ctx.db, log, now: Date.now, signal: ctx.signal })
  const parts: Omit<Parts, 'ready'> = {
    accounts: ctx.use(ACCOUNTS),
    library: ctx.use(LIBRARY),
    ...{ files, catalogue, jobs, work, log },
    holds: ctx.work,
    events: ctx.events,
    version: ctx.host.version,
    now: Date.now,
  }
  return { ...parts, ready: createRecovery(parts, ctx.signal) }
}

function rangesOf(files: FileArea): CaptureFiles {
  return {
    async size(path) {
      return (await files.stat(path))?.size ?? 0
    },
    async bytes(path, start, end) {
      if (end <= start) return new Uint8Array()
      const chunks: Uint8Array[] = []
      for await (const chunk of await files.readStream(path, { start, end: end - 1 })) chunks.push(chunk as Uint8Array)
      return Buffer.concat(chunks)
    },
  }
}
