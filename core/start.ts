// The service as a process: reads the environment, starts, waits for a signal or the wish to end, stops.
import { surviveClosedOutput } from './closed-output.ts'
import { EnvironmentError, readEnvironment, type Environment } from './environment.ts'

// Longer than every limit of an orderly stop; then the process ends all the same.
const STOP_LIMIT_MS = 20_000

export interface StartFlags {
  /** Load no plugin. */
  readonly safe: boolean
  /** For work on plugins: replaced versions get less time to end. */
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
  // After the environment: a wrong value is answered before anything else is even loaded.
  const { startPlayhead } = await import('./main.ts')
  // Before the start, so that there is no moment in which a signal ends the process out of order; a second one does at
  // once.
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

// One line for the person who can mend it; a stack only for faults of ours.
function fail(error: unknown): never {
  const isTheirs = error instanceof EnvironmentError || typeof (error as { code?: unknown }).code === 'string'
  process.stderr.write(`playhead: ${isTheirs ? (error as Error).message : (error as Error).stack}\n`)
  process.exit(1)
}
