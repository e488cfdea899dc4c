// The connections of a plugin's generation, opened in its async context for attribution and closed with it.
import { AsyncResource } from 'node:async_hooks'
import type { LookupFunction } from 'node:net'
import type { Agent, Dispatcher, buildConnector } from 'undici'
import { PlayheadError } from '@playhead/sdk'
import { guardLookup } from './addresses.ts'

export interface ConnectionOptions {
  readonly verifyTls: boolean
  readonly connectTimeoutMs: number
  /** Opens no connection to the private network. */
  readonly publicOnly: boolean
}

export type Sender = Pick<Dispatcher, 'dispatch'>

export interface Agents {
  /** The sender with these settings, created once. */
  get(options: ConnectionOptions): Sender | Promise<Sender>
  /** Closes every connection. */
  close(): Promise<void>
}

/**
 * @param lookup the resolver; default: the system's
 * @param run enters the async context of the generation
 */
export function createAgents(lookup: LookupFunction | undefined, run: <Result>(work: () => Result) => Result): Agents {
  const agents = new Map<string, Agent>()
  // An account passes the same object each time.
  const known = new WeakMap<ConnectionOptions, Sender>()
  // Entered for each request, so that no request creates a context.
  const context = run(() => new AsyncResource('playhead.upstream'))
  let client: typeof import('undici') | undefined
  let isClosed = false
  return {
    get: (options) => (isClosed ? undefined : known.get(options)) ?? open(options),
    async close() {
      isClosed = true
      if (client === undefined) return
      // Each socket reads the stack of its error, and Node parses the source map of every file in it.
      const error = Object.assign(new client.errors.ClientDestroyedError(), { stack: '' })
      await Promise.all([...agents.values()].map((agent) => agent.destroy(error)))
      agents.clear()
    },
  }

  async function open(options: ConnectionOptions): Promise<Sender> {
    // Loaded on demand: the client is large.
    client ??= await import('undici')
    if (isClosed) throw new PlayheadError('PLH_ABORTED', 'The plugin was replaced; its connections are closed.')
    const key = `${options.verifyTls} ${options.connectTimeoutMs} ${options.publicOnly}`
    let agent = agents.get(key)
    if (agent === undefined) {
      agent = context.runInAsyncScope(
        createAgent,
        undefined,
        client,
        connectorOf(client.buildConnector, lookup, options),
      )
      agents.set(key, agent)
    }
    const sender: Sender = {
      dispatch: (request, handler) => context.runInAsyncScope(agent.dispatch, agent, request, handler),
    }
    known.set(options, sender)
    return sender
  }
}

function createAgent({ Agent, Pool }: typeof import('undici'), connect: buildConnector.connector): Agent {
  return new Agent({
    pipelining: 1,
    // The request's own time limit applies.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect,
    // One request per connection: a slow response blocks no other. Set here, because an agent without HTTP/2 writes a
    // key for each request.
    factory: (origin, options) => new Pool(origin, { ...options, allowH2: false }),
  })
}

// Adds to each error of a connection how much was read from it, as undici does in its own errors.
function connectorOf(
  build: typeof buildConnector,
  lookup: LookupFunction | undefined,
  { verifyTls, connectTimeoutMs, publicOnly }: ConnectionOptions,
): buildConnector.connector {
  const connect = build({
    allowH2: false,
    timeout: connectTimeoutMs,
    rejectUnauthorized: verifyTls,
    lookup: guardLookup(lookup, publicOnly),
  })
  return (options, onConnection) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return onConnection(error, null)
      socket.once('error', (error: Error & { socket?: object }) => {
        error.socket ??= { bytesRead: socket.bytesRead }
      })
      onConnection(null, socket)
    })
}
