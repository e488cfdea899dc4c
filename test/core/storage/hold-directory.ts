// A child process that opens a data directory, reports it, and waits to be killed.
import { openDataDirectory } from '../../../core/storage/data-directory.ts'

const path = process.argv[2]
if (path !== undefined) {
  const directory = await openDataDirectory(path)
  process.stdout.write('open\n')
  // A slow stop.
  process.once('SIGTERM', () => {
    directory.stopping()
    setTimeout(() => void directory.close().then(() => process.exit(0)), 2_000)
  })
  setInterval(() => undefined, 60_000)
}
