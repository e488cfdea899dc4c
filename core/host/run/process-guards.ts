// Process-wide guards: uncaught errors are attributed to the causing plugin or end the service in order; plugins cannot
// exit the process.
import { currentOwner, type Owner } from './attribution.ts'
import { exitRefused } from '../load/plugin-globals.ts'

interface ProcessGuardDependencies {
  /** False if no plugin caused it. */
  readonly strayError: (owner: Owner | undefined, error: unknown, kind: 'rejection' | 'exception') => boolean
  /** The core itself failed and its state is undefined. */
  readonly onFatal: (error: unknown) => void
}

/** Installs the guards; returns the function that removes them. */
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
