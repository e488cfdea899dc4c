// Makes the parts that the plugin works with.
import { ACCOUNTS, ACTIONS, type FileArea, householdOf, LIBRARY, type PluginContext } from '@playhead/sdk'
import { CAPTURE_FILES, type CaptureFiles } from './file/read.ts'
import { createJobs } from './run/jobs.ts'
import { createRecovery } from './run/recover.ts'
import { createCatalogue } from './store/catalogue.ts'
import type { Work } from './work/thread.ts'
import type { Parts } from './parts.ts'

export function createParts(ctx: PluginContext): Parts {
  const log = ctx.log.channel('CAPTURE')
  const files = ctx.files.shared('captures')
  const { work } = ctx.startThread<Work>('work/thread.ts', { offers: { [CAPTURE_FILES.token]: rangesOf(files) } })
  const catalogue = createCatalogue({ db: ctx.db, files, work, log })
  const jobs = createJobs({ db: ctx.db, log, now: Date.now, signal: ctx.signal })
  const parts: Omit<Parts, 'ready'> = {
    accounts: ctx.use(ACCOUNTS),
    actions: ctx.use(ACTIONS),
    library: ctx.use(LIBRARY),
    ...{ files, catalogue, jobs, work, log },
    holds: ctx.work,
    events: ctx.events,
    version: ctx.host.version,
    now: Date.now,
    persons: () => householdOf(ctx),
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
