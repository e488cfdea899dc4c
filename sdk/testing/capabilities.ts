// Capabilities as the host hands them out: looked up at each use, functions answer promises or async iterables.
import type { Remote } from '../context.ts'
import { createRemoteHandle, isAsyncIterable } from '../remote.ts'

export function createRemote<T extends object>(token: string, find: () => object | undefined): Remote<T> {
  return createRemoteHandle<T>(token, {
    find,
    goneText: `Nothing provides "${token}" right now. Give the test host one, in \`capabilities\` or with provide().`,
    call(provider, name, args) {
      try {
        const result: unknown = Reflect.apply(
          (provider as Record<string, (...args: readonly unknown[]) => unknown>)[name] as never,
          provider,
          args,
        )
        return isAsyncIterable(result) ? result : Promise.resolve(result)
      } catch (error) {
        return Promise.reject(error as Error)
      }
    },
  })
}
