// Attributes work to plugins: every call into a plugin runs inside this async context, so rejections, timers and
// sockets can be attributed. The context holds only a small record, because promises and timers may outlive a
// generation.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'

export interface Owner {
  readonly plugin: string
  readonly generation: number
  /** The kind of work; work started by a job may take as long as the job. */
  readonly work: 'stage' | 'request' | 'hook' | 'job' | 'call' | 'event' | 'release'
}

const storage = new AsyncLocalStorage<Owner | undefined>()
// The host's context, created while this module is loaded.
const outside = new AsyncResource('playhead.host')

export function currentOwner(): Owner | undefined {
  return storage.getStore()
}

export function runAs<Result>(owner: Owner, work: () => Result): Result {
  return storage.run(owner, work)
}

/** Binds a function to an owner, for the hot path of requests: reuses one context instead of creating one per call. */
export function alwaysAs<Arguments extends unknown[]>(
  owner: Owner,
  work: (...given: Arguments) => void,
): (...given: Arguments) => void {
  const context = outside.runInAsyncScope(() => storage.run(owner, () => new AsyncResource('playhead.plugin')))
  return (...given) => context.runInAsyncScope(work, undefined, ...given)
}

/** Leaves the plugin's context, for long-lived host work that a plugin triggers. */
export function runAsHost<Result>(work: () => Result): Result {
  return storage.run(undefined, work)
}
