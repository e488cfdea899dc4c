// Capabilities are resolved at each call, so a plugin need not restart with the plugins it uses.
import { isFault, type Remote } from '@playhead/sdk'
import { createRemoteHandle, isAsyncIterable, valueOrStream } from './remote.ts'
import { currentOwner, runAs } from '../run/attribution.ts'
import type { Generation, LeaseKind } from '../run/generation.ts'
import { guarded, type ReportFault } from '../run/guard.ts'

interface LiveCapability {
  readonly token: string
  readonly generation: Generation
  readonly value: object
}

/** A capability whose plugin is loaded at the first call. */
export interface DormantCapability {
  readonly token: string
  /** Contains the non-function members; any other name is a function. */
  readonly value: object
  readonly answers: Readonly<Record<string, unknown>>
  readonly activate: () => Promise<void>
}

export type Capability = LiveCapability | DormantCapability

/** Parses a token of plugin.json: `provider:SOME`, optionally with a version range after `@`. */
export function parseToken(text: string): { readonly token: string; readonly range: string | null } {
  const at = text.indexOf('@')
  return at === -1 ? { token: text, range: null } : { token: text.slice(0, at), range: text.slice(at + 1) }
}

/**
 * A late-bound handle of a capability. Each call resolves the provider, runs under its lease and returns a promise or
 * an async iterable.
 */
export function createRemote<T extends object>(
  token: string,
  find: (token: string) => Capability | undefined,
  report: ReportFault,
): Remote<T> {
  const goneText = `Nothing provides "${token}" right now. The plugin may be off, reloading or failing; see the list of plugins.`
  const live = createRemoteHandle<T>(token, {
    // A still dormant capability failed to load.
    find: () => liveOf(find(token))?.value,
    call: (_provider, name, args) => callMember(find(token) as LiveCapability, name, args, report),
    goneText,
  })
  return createRemoteHandle<T>(token, {
    find: () => find(token)?.value,
    call(_provider, name, args) {
      const capability = find(token) as Capability
      if (!('activate' in capability)) return callMember(capability, name, args, report)
      const { answers, activate } = capability
      if (args.length === 0 && Object.hasOwn(answers, name)) return Promise.resolve(structuredClone(answers[name]))
      return valueOrStream(activate().then(() => (live[name as keyof T] as (...given: unknown[]) => unknown)(...args)))
    },
    goneText,
  })
}

function liveOf(capability: Capability | undefined): LiveCapability | undefined {
  return capability === undefined || 'activate' in capability ? undefined : capability
}

function callMember(capability: LiveCapability, key: string, args: readonly unknown[], report: ReportFault): unknown {
  const { generation, value, token } = capability
  // Calls by a job may take as long as the job.
  const kind: LeaseKind = currentOwner()?.work === 'job' ? 'job' : 'call'
  const call = { generation, kind, what: `${token}.${key}`, limitMs: null }
  const onlyUnexpected: ReportFault = (owner, what, error) => {
    if (isFault(error)) report(owner, what, error)
  }

  // A synchronous first step distinguishes a stream from a value without waiting for its first item.
  let streamed: AsyncIterable<unknown> | undefined
  let isEither = false
  const outcome = guarded(call, onlyUnexpected, () => {
    const result: unknown = Reflect.apply(value[key as never] as never, value, args)
    if (result instanceof Promise) isEither = isAsyncIterable(result)
    else if (isAsyncIterable(result)) {
      streamed = result
      return undefined
    }
    return result
  })
  if (isEither)
    return valueOrStream(
      outcome.then((result) => (isAsyncIterable(result) ? leasedIteration(result, capability, kind) : result)),
    )
  if (streamed === undefined) return outcome
  outcome.catch(() => {})
  return leasedIteration(streamed, capability, kind)
}

// Each step runs in the provider's context, so that sockets and failures are attributed to it.
function leasedIteration(
  items: AsyncIterable<unknown>,
  { generation }: LiveCapability,
  kind: LeaseKind,
): AsyncIterableIterator<unknown> {
  const owner = { ...generation.owner, work: kind }
  const release = generation.lease(kind)
  const source = runAs(owner, () => items[Symbol.asyncIterator]())
  const step = async (
    advance: () => Promise<IteratorResult<unknown>> | undefined,
  ): Promise<IteratorResult<unknown>> => {
    try {
      const result = (await runAs(owner, advance)) ?? { done: true, value: undefined }
      if (result.done === true) release()
      return result
    } catch (error) {
      release()
      throw error
    }
  }
  return {
    next: () => step(() => source.next()),
    return: () => step(async () => (await source.return?.()) ?? { done: true, value: undefined }),
    throw: (error: unknown) =>
      step(async () => {
        if (source.throw !== undefined) return source.throw(error)
        throw error
      }),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
