// Who is at work: every call into a plugin runs inside this storage, so that a stray rejection, a timer or a socket can be
// attributed to the plugin that caused it. Only this small record is carried along: promises and timers live longer than
// generations, and must not keep one alive.
import { AsyncLocalStorage } from 'node:async_hooks'

export interface Owner {
  readonly plugin: string
  readonly generation: number
  /** What the plugin is doing; work begun by a job may last as long as the job. */
  readonly work: 'stage' | 'request' | 'hook' | 'job' | 'call' | 'event' | 'release'
}

const storage = new AsyncLocalStorage<Owner | undefined>()

export function currentOwner(): Owner | undefined {
  return storage.getStore()
}

export function runAs<Result>(owner: Owner, work: () => Result): Result {
  return storage.run(owner, work)
}

/** Same with two arguments and no closure, for the path that every request takes. */
export function runRequestAs<A, B>(owner: Owner, work: (a: A, b: B) => unknown, a: A, b: B): void {
  storage.run(owner, work, a, b)
}

/** Leaves the plugin's context: for the host's own long-lived work that a plugin happened to trigger. */
export function runAsHost<Result>(work: () => Result): Result {
  return storage.run(undefined, work)
}
