// Exports until it is killed. Argument: the folder.
import { createFileArea } from '../../../core/storage/files.ts'
import { exportEvents } from '../../../plugins/services/events-export/export.ts'
import { CONFIG, createArchive, START_MS } from './support.ts'

const archive = createArchive()
archive.add(40_000, START_MS, 500)
process.send?.('begun')
await exportEvents({
  files: createFileArea(process.argv[2] as string),
  archive,
  config: CONFIG,
  redact: (text) => text,
  now: () => START_MS,
  signal: new AbortController().signal,
})
process.send?.('done')
process.disconnect?.()
