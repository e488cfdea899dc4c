// Capabilities are looked up when they are used, never kept: a plugin that uses another is not restarted when that one is.
import { PlayheadError, isFault, type Remote } from '@playhead/sdk'
import { currentOwner, runAs } from './attribution.ts'
import type { Generation, LeaseKind } from './generation.ts'
import { guarded, type ReportFault } from './guard.ts'

export interface Capability {
  readonly token: string
  readonly generation: Generation
  readonly value: object
}

/** A token as plugin.json has it: `provider:MEDIAB`, with an optional version range after `@`. */
export function parseToken(text: string): { readonly token: string; readonly range: string | null } {
  const at = text.indexOf('@')
  return at === -1 ? { token: text, range: null } : { token: text.slice(0, at), range: text.slice(at + 1) }
}

/**
 * A late-bound handle of a capability. Its functions look the provider up at each call, run under the provider's lease and
 * answer promises or async iterables; other members are read from the provider of the moment.
 */
export function createRemote<T extends object>(token: string, find: (token: string) => Capability | undefined, report: ReportFault): Remote<T> {
  const need = (): Capability => {
    const capability = find(token)
    if (capability !== undefined) return capability
    throw new PlayheadError('PLH_CAPABILITY_GONE', `Nothing provides "${token}" right now. The plugin may be off, reloading or failing; see the list of plugins.`)
  }
  const functions = new Map<string, (...args: unknown[]) => unknown>()

  return new Proxy(Object.freeze({}), {
    get(_target, key) {
      // A handle is not a promise: awaiting it must give the handle.
      if (typeof key === 'symbol' || key === 'then') return undefined
      const member = find(token)?.value[key as never] as unknown
      if (member !== undefined && typeof member !== 'function') return member
      let call = functions.get(key)
      if (call === undefined) {
        call = (...args) => callMember(need(), key, args, report)
        functions.set(key, call)
      }
      return call
    },
    set() {
      throw new TypeError(`A capability ("${token}") cannot be changed from outside.`)
    },
  }) as unknown as Remote<T>
}

function callMember(capability: Capability, key: string, args: readonly unknown[], report: ReportFault): unknown {
  const { generation, value, token } = capability
  const member = value[key as never] as unknown
  if (typeof member !== 'function') throw new PlayheadError('PLH_UNSUPPORTED', `"${token}" has no function "${key}".`)
  // What a job calls may take as long as the job.
  const kind: LeaseKind = currentOwner()?.work === 'job' ? 'job' : 'call'
  const call = { generation, kind, what: `${token}.${key}`, limitMs: null }
  const onlyUnexpected: ReportFault = (owner, what, error) => {
    if (isFault(error)) report(owner, what, error)
  }

  // The member decides what it gives; a synchronous look tells a stream from a value without waiting for the first item.
  let streamed: AsyncIterable<unknown> | undefined
  const outcome = guarded(call, onlyUnexpected, () => {
    const result: unknown = Reflect.apply(member, value, args)
    if (isAsyncIterable(result)) {
      streamed = result
      return undefined
    }
    return result
  })
  if (streamed === undefined) return outcome
  outcome.catch(() => {})
  return leasedIteration(streamed, capability, kind)
}

// Each step runs as the provider, not as whoever reads: its sockets and its failures are its own.
function leasedIteration(items: AsyncIterable<unknown>, { generation }: Capability, kind: LeaseKind): AsyncIterableIterator<unknown> {
  const owner = { ...generation.owner, work: kind }
  const release = generation.lease(kind)
  const source = runAs(owner, () => items[Symbol.asyncIterator]())
  const step = async (advance: () => Promise<IteratorResult<unknown>> | undefined): Promise<IteratorResult<unknown>> => {
    try {
      const result = await runAs(owner, advance) ?? { done: true, value: undefined }
      if (result.done === true) release()
      return result
    } catch (error) {
      release()
      throw error
    }
  }
  return {
    next: () => step(() => source.next()),
    return: () => step(async () => await source.return?.() ?? { done: true, value: undefined }),
    throw: (error: unknown) => step(async () => {
      if (source.throw !== undefined) return source.throw(error)
      throw error
    }),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
