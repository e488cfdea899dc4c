// The service process: reads the environment, starts, waits for a signal or a restart, stops.
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { surviveClosedOutput } from './closed-output.ts'
import { isPlayheadError } from '@playhead/sdk/host'
import { EnvironmentError, readEnvironment, type Environment } from './environment.ts'

// Longer than every limit of an orderly stop; then the process exits anyway.
const STOP_LIMIT_MS = 20_000
/** A restart does not help: `RestartPreventExitStatus=78`. */
const NEWER_DATA_EXIT_CODE = 78
/** Failed starts since the restart was requested. */
const FAILED_STARTS = 'PLAYHEAD_FAILED_STARTS'
const MAX_FAILED_STARTS = 3
const RETRY_MS = 1_000
const PARENT_MS = 250

export interface StartFlags {
  /** Load no plugins. */
  readonly safe: boolean
  /** For development: plugins that ship are watched, too, and replaced versions are drained for a shorter time. */
  readonly dev: boolean
  /** Why this runs from the sources and not from the built core; null if it does not, or on purpose. */
  readonly notBuilt?: string | null
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
  const { RESTART_EXIT_CODE, startPlayhead } = await import('./main.ts')
  // Before the start, so that signals are always handled; a second one exits at once.
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
  stopWithNpm(stop)
  const failedStarts = Number(process.env[FAILED_STARTS] ?? Number.NaN)
  // Child processes must not inherit these.
  delete process.env[FAILED_STARTS]
  const say = (text: string) => process.stderr.write(`playhead: ${text}\n`)
  const playhead = await startPlayhead({
    environment,
    host: { safe: flags.safe, ...(flags.dev ? { drainMs: 5_000, watch: true } : {}) },
    lock: { onWait: say, signal: stopped.signal },
    notBuilt: flags.notBuilt ?? null,
  }).catch(async (error: unknown) => {
    if (stopped.signal.aborted) return process.exit(0)
    if (!(failedStarts >= 0) || !canReplace() || exitCodeOf(error) === NEWER_DATA_EXIT_CODE) return fail(error)
    report(error)
    if (failedStarts + 1 >= MAX_FAILED_STARTS) {
      say(`it did not start ${MAX_FAILED_STARTS} times after a restart. Start it again when the cause is gone.`)
      return process.exit(1)
    }
    await sleep(RETRY_MS * (failedStarts + 1))
    return replaceProcess(failedStarts + 1)
  })
  const isStopped = new Promise<number>((resolve) => {
    if (stopped.signal.aborted) resolve(0)
    else stopped.signal.addEventListener('abort', () => resolve(0))
  })
  const code = await Promise.race([isStopped, playhead.ended])
  const end = (): never => {
    if (code !== RESTART_EXIT_CODE || stopped.signal.aborted) return process.exit(stopped.signal.aborted ? 0 : code)
    if (canReplace()) return replaceProcess(0)
    say(`it ended for a restart (exit code ${code}). A supervisor starts it again; without one, run npm start.`)
    return process.exit(code)
  }
  setTimeout(end, STOP_LIMIT_MS).unref()
  await playhead.stop()
  return end()
}

/**
 * npm ends without its child when it is killed, and some shells do not pass SIGTERM on. Without its npm the service
 * would keep the port and the data directory forever.
 */
function stopWithNpm(stop: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const isGone = () => {
    if (process.platform !== 'win32') return process.ppid !== parent
    try {
      process.kill(parent, 0)
      return false
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ESRCH'
    }
  }
  const watch = setInterval(() => {
    if (!isGone()) return
    clearInterval(watch)
    stop()
  }, PARENT_MS).unref()
}

/** Windows has no execve, and an update may have replaced the running Node. */
const canReplace = () => process.platform !== 'win32' && process.execve !== undefined && existsSync(process.execPath)

/** The process restarts in place with the same pid, so that no supervisor is needed. */
function replaceProcess(failedStarts: number): never {
  const given = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, given, { ...process.env, [FAILED_STARTS]: String(failedStarts) })
  return process.exit(1)
}

const isTheirs = (error: unknown) =>
  error instanceof EnvironmentError || typeof (error as { code?: unknown }).code === 'string'

const exitCodeOf = (error: unknown) =>
  isPlayheadError(error) && error.wire === 'newer_data' ? NEWER_DATA_EXIT_CODE : 1

// One line for configuration errors; a stack only for bugs.
function report(error: unknown): void {
  process.stderr.write(`playhead: ${isTheirs(error) ? (error as Error).message : (error as Error).stack}\n`)
}

function fail(error: unknown): never {
  report(error)
  process.exit(exitCodeOf(error))
}
