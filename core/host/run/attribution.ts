// Who is at work: every call into a plugin runs inside this storage, so that a stray rejection, a timer or a socket can
// be attributed to the plugin that caused it. Only this small record is carried along: promises and timers live longer
// than generations, and must not keep one alive.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'

export interface Owner {
  readonly plugin: string
  readonly generation: number
  /** What the plugin is doing; work begun by a job may last as long as the job. */
  readonly work: 'stage' | 'request' | 'hook' | 'job' | 'call' | 'event' | 'release'
}

const storage = new AsyncLocalStorage<Owner | undefined>()
// Where nobody is at work: made while this module is loaded.
const outside = new AsyncResource('playhead.host')

export function currentOwner(): Owner | undefined {
  return storage.getStore()
}

export function runAs<Result>(owner: Owner, work: () => Result): Result {
  return storage.run(owner, work)
}

/**
 * Runs one kind of work as this owner again and again, for the path that every request takes. The storage makes a new
 * context each time it is entered; here one is made, and every call begins in it.
 */
export function alwaysAs<Arguments extends unknown[]>(
  owner: Owner,
  work: (...given: Arguments) => void,
): (...given: Arguments) => void {
  const context = outside.runInAsyncScope(() => storage.run(owner, () => new AsyncResource('playhead.plugin')))
  return (...given) => context.runInAsyncScope(work, undefined, ...given)
}

/** Leaves the plugin's context: for the host's own long-lived work that a plugin happened to trigger. */
export function runAsHost<Result>(work: () => Result): Result {
  return storage.run(undefined, work)
}
