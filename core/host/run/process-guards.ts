// The process's last lines of defence: what nobody caught is attributed to the plugin that caused it, or ends the
// service in an orderly way; and no plugin ends the process.
import { currentOwner, type Owner } from './attribution.ts'
import { exitRefused } from '../load/plugin-globals.ts'

export interface ProcessGuardDependencies {
  /** False when no plugin is to blame. */
  readonly strayError: (owner: Owner | undefined, error: unknown, kind: 'rejection' | 'exception') => boolean
  /** The core itself failed: nobody knows in what state it is. */
  readonly onFatal: (error: unknown) => void
}

/** Installs the guards; the result removes them. */
export function installProcessGuards({ strayError, onFatal }: ProcessGuardDependencies): () => void {
  const onRejection = (error: unknown) => {
    if (!strayError(currentOwner(), error, 'rejection')) onFatal(error)
  }
  const onException = (error: unknown) => {
    if (!strayError(currentOwner(), error, 'exception')) onFatal(error)
  }
  const exit = process.exit
  process.on('unhandledRejection', onRejection)
  process.on('uncaughtException', onException)
  process.exit = ((code?: number | string | null) =>
    currentOwner() === undefined ? exit(code) : exitRefused()) as typeof process.exit
  return () => {
    process.off('unhandledRejection', onRejection)
    process.off('uncaughtException', onException)
    process.exit = exit
  }
}
