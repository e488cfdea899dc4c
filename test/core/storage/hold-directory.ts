// A child process that opens a data directory, reports it, and waits to be killed.
import { openDataDirectory } from '../../../core/storage/data-directory.ts'

const path = process.argv[2]
if (path !== undefined) {
  await openDataDirectory(path)
  process.stdout.write('open\n')
  setInterval(() => undefined, 60_000)
}
