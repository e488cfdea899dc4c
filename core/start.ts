// The service process: reads the environment, starts, waits for a signal or a restart, stops.
import { surviveClosedOutput } from './closed-output.ts'
import { isPlayheadError } from '@playhead/sdk/host'
import { EnvironmentError, readEnvironment, type Environment } from './environment.ts'

// Longer than every limit of an orderly stop; then the process exits anyway.
const STOP_LIMIT_MS = 20_000
/** A restart does not help: `RestartPreventExitStatus=78`. */
const NEWER_DATA_EXIT_CODE = 78

export interface StartFlags {
  /** Load no plugins. */
  readonly safe: boolean
  /** For plugin development: replaced versions are drained for a shorter time. */
  readonly dev: boolean
}

export async function runPlayhead(flags: StartFlags): Promise<never> {
  surviveClosedOutput()
  let environment: Environment
  try {
    environment = readEnvironment(process.env)
  } catch (error) {
    return fail(error)
  }
  // After the environment, so that an invalid value is reported before anything is loaded.
  const { startPlayhead } = await import('./main.ts')
  // Before the start, so that signals are always handled; a second one exits at once.
  const stopped = Promise.withResolvers<number>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.resolve(0))
  const playhead = await startPlayhead({
    environment,
    host: { safe: flags.safe, ...(flags.dev ? { drainMs: 5_000 } : {}) },
  }).catch(fail)
  const code = await Promise.race([stopped.promise, playhead.ended])
  setTimeout(() => process.exit(code), STOP_LIMIT_MS).unref()
  await playhead.stop()
  process.exit(code)
}

// One line for configuration errors; a stack only for bugs.
function fail(error: unknown): never {
  const isTheirs = error instanceof EnvironmentError || typeof (error as { code?: unknown }).code === 'string'
  process.stderr.write(`playhead: ${isTheirs ? (error as Error).message : (error as Error).stack}\n`)
  process.exit(isPlayheadError(error) && error.wire === 'newer_data' ? NEWER_DATA_EXIT_CODE : 1)
}
