// Runs as a process of its own: opens a data directory, says so, and stays until it is killed.
import { openDataDirectory } from '../../../core/storage/data-directory.ts'

const path = process.argv[2]
if (path !== undefined) {
  await openDataDirectory(path)
  process.stdout.write('open\n')
  setInterval(() => undefined, 60_000)
}
