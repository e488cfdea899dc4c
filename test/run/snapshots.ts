// Runs the shipped plugins once with default settings, and keeps what they register, as core/ship.ts does for an
// installation. A process of its own: `node test/run/snapshots.ts <folder>`.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnvironment } from '../../core/environment.ts'
import { startPlayhead } from '../../core/main.ts'
import { shareCaches } from '../shared-caches.ts'

const [folder = ''] = process.argv.slice(2)
const data = await mkdtemp(join(tmpdir(), 'playhead-snapshots-'))
try {
  await shareCaches(data)
  const { host, stop } = await startPlayhead({
    environment: readEnvironment({ PLAYHEAD_DATA_DIR: data, PLAYHEAD_HOST: '127.0.0.1', PLAYHEAD_PORT: '0' }),
    logTo: () => {},
    lazySchemas: true,
    host: { snapshotMs: 0, watch: false, watchdog: false },
  })
  await host.settled()
  await host.snapshotsKept()
  await stop(0)
  await cp(join(data, 'run', 'plugins'), folder, { recursive: true })
} finally {
  await rm(data, { recursive: true, force: true, maxRetries: 10 })
}
