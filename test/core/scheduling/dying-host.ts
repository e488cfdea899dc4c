// A host that begins a run and never ends it, for the test that kills it.
import { createScheduler } from '../../../core/scheduling/scheduler.ts'
import { openDatabase } from '../../../core/storage/sqlite.ts'
import { createLog, recorder } from './virtual-time.ts'

const { db } = await openDatabase(process.argv[2] as string, { log: createLog([]) })
const scheduler = createScheduler({ db, clock: { now: () => Date.now() }, log: createLog([]), hostId: 'dying' })
scheduler.setJobs([recorder({
  timing: { every: '1s', startAfter: 0 },
  run: async (_signal, { dueAtMs }) => {
    process.send?.(dueAtMs)
    await new Promise(() => {})
  },
})])
scheduler.start()
