// The service with the plugins of a registry, as a child process with a fast watchdog.
import { readEnvironment } from '../../../core/environment.ts'
import { startPlayhead } from '../../../core/main.ts'

const [registry = ''] = process.argv.slice(2)
const playhead = await startPlayhead({
  environment: readEnvironment(process.env),
  bundledRegistry: registry,
  host: { stallMs: 200, fatalMs: 800, watch: true },
})
process.once('SIGTERM', () => void playhead.stop().then(() => process.exit(0)))
