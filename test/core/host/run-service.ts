// The service with the plugins of a registry, in a process of its own, with a watchdog that does not wait long.
import { readEnvironment } from '../../../core/environment.ts'
import { startPlayhead } from '../../../core/main.ts'

const [registry = ''] = process.argv.slice(2)
const playhead = await startPlayhead({
  environment: readEnvironment(process.env),
  bundledRegistry: registry,
  host: { stallMs: 200, fatalMs: 800 },
})
process.once('SIGTERM', () => void playhead.stop().then(() => process.exit(0)))
