// Remote calls between two threads. Each side serves objects by name. Values are plain data; errors keep their type,
// abort signals are mirrored, and async iterables are pulled item by item.
import type { Remote } from '@playhead/sdk'
import { PlayheadError } from '@playhead/sdk/host'
import { isAsyncIterable, valueOrStream } from '../host/compose/remote.ts'
import { fromWire, toWire, type WireError } from './wire-error.ts'

interface Port {
  postMessage(message: unknown): void
}

type SignalPlace = readonly [position: number, name?: string]

type Message =
  /** `signals`: where the arguments have abort signals: a position, or a position and a name. */
  | {
      readonly kind: 'call'
      readonly id: number
      readonly token: string
      readonly name: string
      readonly args: readonly unknown[]
      readonly signals: readonly SignalPlace[]
    }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'value'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'stream'; readonly id: number }
  | { readonly kind: 'next' | 'return'; readonly id: number }
  | { readonly kind: 'item'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly error: WireError }

export interface Channel {
  take(message: unknown): void
  use<T extends object>(token: string): Remote<T>
  /** Number of pending calls, outgoing and incoming. */
  busy(): number
  /** A stream of the other side is being read, if slowly. */
  isReading(): boolean
  /** Fails all pending and later calls. */
  end(error: Error): void
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Call extends Waiting {
  readonly stream: () => void
}

export function createChannel(port: () => Port, serve: (token: string) => object | undefined): Channel {
  const waiting = new Map<number, Call>()
  const steps = new Map<number, Waiting>()
  const aborts = new Map<number, AbortController>()
  const streams = new Map<number, AsyncIterator<unknown>>()
  /** Ids of the streams of the other side that have not ended. */
  const reading = new Set<number>()
  const handles = new Map<string, object>()
  let lastId = 0
  let ended: Error | null = null

  const post = (message: Message) => {
    if (ended === null) port().postMessage(message)
  }

  function call(token: string, name: string, given: readonly unknown[]): Promise<unknown> {
    // The other side has ended, so no response would come.
    if (ended !== null) return Promise.reject(ended)
    const id = ++lastId
    const { signals, open, args } = withoutSignals(given)
    return new Promise((resolve, reject) => {
      const abort = () => post({ kind: 'abort', id })
      const unlisten = () => {
        for (const signal of open) signal.removeEventListener('abort', abort)
      }
      const settled = () => {
        waiting.delete(id)
        unlisten()
      }
      waiting.set(id, {
        resolve(value) {
          settled()
          resolve(value)
        },
        stream() {
          waiting.delete(id)
          resolve(streamOf(id, unlisten))
        },
        reject(error) {
          settled()
          reject(error)
        },
      })
      try {
        post({ kind: 'call', id, token, name, args, signals })
        for (const signal of open) signal.addEventListener('abort', abort, { once: true })
      } catch (error) {
        waiting.get(id)?.reject(error)
      }
    })
  }

  function streamOf(id: number, onEnd: () => void): AsyncIterableIterator<unknown> {
    let isOver = false
    reading.add(id)
    const over = () => {
      isOver = true
      reading.delete(id)
      onEnd()
    }
    const step = (kind: 'next' | 'return') =>
      new Promise<IteratorResult<unknown>>((resolve, reject) => {
        if (ended !== null) return reject(ended)
        steps.set(id, { resolve: resolve as Waiting['resolve'], reject })
        post({ kind, id })
      }).then(
        (result) => {
          if (result.done === true) over()
          return result
        },
        (error: unknown) => {
          over()
          throw error
        },
      )
    return {
      next: async () => (isOver ? { done: true, value: undefined } : step('next')),
      return: async () => (isOver ? { done: true, value: undefined } : step('return')),
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  async function answer({ id, token, name, args, signals }: Extract<Message, { kind: 'call' }>): Promise<void> {
    const abort = new AbortController()
    aborts.set(id, abort)
    try {
      const target = serve(token)
      if (target === undefined) throw new PlayheadError('PLH_CAPABILITY_GONE', `Nothing provides "${token}".`)
      const given = withSignal(args, signals, abort)
      const member = (target as Record<string, unknown>)[name]
      if (typeof member !== 'function')
        throw new PlayheadError('PLH_UNSUPPORTED', `"${token}" has no function "${name}".`)
      const result: unknown = Reflect.apply(member, target, given)
      const streamed = isAsyncIterable(result) && !(result instanceof Promise) ? result : await result
      if (isAsyncIterable(streamed)) {
        streams.set(id, streamed[Symbol.asyncIterator]())
        post({ kind: 'stream', id })
        return
      }
      aborts.delete(id)
      post({ kind: 'value', id, value: streamed })
    } catch (error) {
      aborts.delete(id)
      post({ kind: 'failed', id, error: toWire(error) })
    }
  }

  async function step(id: number, kind: 'next' | 'return'): Promise<void> {
    const iterator = streams.get(id)
    const close = () => {
      streams.delete(id)
      aborts.delete(id)
    }
    try {
      const result =
        iterator === undefined
          ? ({ done: true } as const)
          : kind === 'next'
            ? await iterator.next()
            : ((await iterator.return?.()) ?? ({ done: true } as const))
      if (result.done !== true && kind === 'next') return post({ kind: 'item', id, value: result.value })
      close()
      post({ kind: 'done', id })
    } catch (error) {
      close()
      post({ kind: 'failed', id, error: toWire(error) })
    }
  }

  function settleStep(id: number, how: (step: Waiting) => void): void {
    const one = steps.get(id)
    steps.delete(id)
    if (one !== undefined) how(one)
  }

  return {
    take(given) {
      const message = given as Message
      const { id } = message
      if (message.kind === 'call') void answer(message)
      else if (message.kind === 'abort') aborts.get(id)?.abort()
      else if (message.kind === 'value') waiting.get(id)?.resolve(message.value)
      else if (message.kind === 'stream') waiting.get(id)?.stream()
      else if (message.kind === 'next' || message.kind === 'return') void step(id, message.kind)
      else if (message.kind === 'item') settleStep(id, ({ resolve }) => resolve({ done: false, value: message.value }))
      else if (message.kind === 'done') settleStep(id, ({ resolve }) => resolve({ done: true, value: undefined }))
      else if (message.kind === 'failed') {
        const error = fromWire(message.error)
        if (waiting.has(id)) waiting.get(id)?.reject(error)
        else settleStep(id, ({ reject }) => reject(error))
      }
    },
    use<T extends object>(token: string) {
      let handle = handles.get(token)
      if (handle === undefined) {
        const functions = new Map<string, (...args: unknown[]) => Promise<unknown>>()
        handle = new Proxy(Object.freeze({}), {
          get(_target, name) {
            // A handle is not a thenable: awaiting it returns the handle.
            if (typeof name === 'symbol' || name === 'then') return undefined
            return functions.getOrInsertComputed(
              name,
              () =>
                (...args: unknown[]) =>
                  valueOrStream(call(token, name, args)),
            )
          },
        })
        handles.set(token, handle)
      }
      return handle as Remote<T>
    },
    busy: () => waiting.size + aborts.size,
    isReading: () => reading.size > 0,
    end(error) {
      ended = error
      for (const { reject } of [...waiting.values(), ...steps.values()]) reject(error)
      waiting.clear()
      steps.clear()
      for (const abort of aborts.values()) abort.abort()
      for (const iterator of streams.values()) void Promise.resolve(iterator.return?.()).catch(() => {})
      streams.clear()
    },
  }
}

/** Abort signals are arguments, or members of an argument that is an object of options. */
function withoutSignals(given: readonly unknown[]): {
  readonly signals: readonly SignalPlace[]
  readonly open: readonly AbortSignal[]
  readonly args: readonly unknown[]
} {
  const signals: SignalPlace[] = []
  const open: AbortSignal[] = []
  const args = given.map((value, index) => {
    if (value instanceof AbortSignal) {
      signals.push([index])
      open.push(value)
      return value.aborted
    }
    if (!isPlainObject(value)) return value
    const names = Object.keys(value).filter((name) => value[name] instanceof AbortSignal)
    if (names.length === 0) return value
    const copy = { ...value }
    for (const name of names) {
      const signal = value[name] as AbortSignal
      signals.push([index, name])
      open.push(signal)
      copy[name] = signal.aborted
    }
    return copy
  })
  return { signals, open, args }
}

/** Aborting any signal of a call aborts all of them. */
function withSignal(args: readonly unknown[], signals: readonly SignalPlace[], abort: AbortController): unknown[] {
  const given = [...args]
  for (const [index, name] of signals) {
    const options = given[index] as Record<string, unknown>
    if ((name === undefined ? given[index] : options[name]) === true) abort.abort()
    if (name === undefined) given[index] = abort.signal
    else options[name] = abort.signal
  }
  return given
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
