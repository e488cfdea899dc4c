// Late-bound capability handles, resolved at each use.
import type { Remote } from '@playhead/sdk'
import { PlayheadError } from '@playhead/sdk/host'

interface RemoteSource {
  /** The current provider. */
  find(): object | undefined
  /** Calls a function; returns a promise or an async iterable. */
  call(provider: object, name: string, args: readonly unknown[]): unknown
  /** The message while the capability is unavailable. */
  readonly goneText: string
}

/**
 * Functions are called through the source and never throw synchronously; other members are read from the current
 * provider.
 */
export function createRemoteHandle<T extends object>(token: string, source: RemoteSource): Remote<T> {
  const functions = new Map<string, (...args: unknown[]) => unknown>()
  const callerOf =
    (name: string) =>
    (...args: unknown[]): unknown => {
      const provider = source.find()
      if (provider === undefined) return failing(new PlayheadError('PLH_CAPABILITY_GONE', source.goneText))
      if (typeof (provider as Record<string, unknown>)[name] !== 'function') {
        return failing(new PlayheadError('PLH_UNSUPPORTED', `"${token}" has no function "${name}".`))
      }
      return source.call(provider, name, args)
    }

  return new Proxy(Object.freeze({}), {
    get(_target, name) {
      // A handle is not a thenable: awaiting it returns the handle.
      if (typeof name === 'symbol' || name === 'then') return undefined
      const member = (source.find() as Record<string, unknown> | undefined)?.[name]
      if (member !== undefined && typeof member !== 'function') return member
      let caller = functions.get(name)
      if (caller === undefined) functions.set(name, (caller = callerOf(name)))
      return caller
    },
    set() {
      throw new TypeError(`A capability ("${token}") cannot be changed from outside.`)
    },
  }) as unknown as Remote<T>
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** For a function that is not loaded yet and may return a value or a stream: the result acts as both. */
export function valueOrStream(outcome: Promise<unknown>): Promise<unknown> & AsyncIterable<unknown> {
  outcome.catch(() => {})
  return Object.assign(outcome, {
    async *[Symbol.asyncIterator]() {
      const items = await outcome
      if (!isAsyncIterable(items)) throw new TypeError('The function gives a value and no stream.')
      yield* items
    },
  })
}

// Fails as a value and as a stream, because the kind of the function is unknown.
function failing(error: Error): unknown {
  const rejected = Promise.reject(error)
  rejected.catch(() => {})
  return Object.assign(rejected, { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) })
}
