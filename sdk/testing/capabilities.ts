// Capabilities as the host hands them out: looked up at each use, functions answer promises or async iterables.
import type { Remote } from '../context.ts'
import { PlayheadError } from '../errors.ts'

export function createRemote<T extends object>(token: string, find: () => object | undefined): Remote<T> {
  const call = (key: string, args: readonly unknown[]): unknown => {
    const value = find()
    if (value === undefined) {
      throw new PlayheadError(
        'PLH_CAPABILITY_GONE',
        `Nothing provides "${token}" right now. Give the test host one, in \`capabilities\` or with provide().`,
      )
    }
    const member = (value as Record<string, unknown>)[key]
    if (typeof member !== 'function') throw new PlayheadError('PLH_UNSUPPORTED', `"${token}" has no function "${key}".`)
    let result: unknown
    try {
      result = Reflect.apply(member, value, args)
    } catch (error) {
      return Promise.reject(error as Error)
    }
    return isAsyncIterable(result) ? result : Promise.resolve(result)
  }
  return new Proxy(Object.freeze({}), {
    get(_target, key) {
      // A handle is not a promise: awaiting it must give the handle.
      if (typeof key === 'symbol' || key === 'then') return undefined
      const member = (find() as Record<string, unknown> | undefined)?.[key]
      return member === undefined || typeof member === 'function' ? (...args: unknown[]) => call(key, args) : member
    },
    set() {
      throw new TypeError(`A capability ("${token}") cannot be changed from outside.`)
    },
  }) as unknown as Remote<T>
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
