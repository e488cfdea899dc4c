// The connections of one generation of a plugin. They are opened in its own asynchronous context, so that what happens
// on them is attributed to it, and all end with it.
import type { LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import { PlayheadError } from '@playhead/sdk'

export interface ConnectionOptions {
  readonly verifyTls: boolean
  readonly connectTimeoutMs: number
}

export interface Agents {
  /** The connections with these settings; made once. */
  get(options: ConnectionOptions): Promise<Dispatcher>
  /** Cuts every connection. */
  close(): Promise<void>
}

export function createAgents(lookup: LookupFunction, run: <Result>(work: () => Result) => Result): Agents {
  const agents = new Map<string, Agent>()
  let client: typeof import('undici') | undefined
  let isClosed = false
  return {
    async get(options) {
      // The client is large, and most starts are over before the first request leaves.
      client ??= await import('undici')
      if (isClosed) throw new PlayheadError('PLH_ABORTED', 'The plugin was replaced; its connections are closed.')
      const key = `${options.verifyTls} ${options.connectTimeoutMs}`
      let agent = agents.get(key)
      if (agent === undefined) {
        const { Agent: Connections } = client
        agent = run(() => createAgent(Connections, lookup, options))
        agents.set(key, agent)
      }
      return agent
    },
    async close() {
      isClosed = true
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
      agents.clear()
    },
  }
}

function createAgent(
  Connections: typeof Agent,
  lookup: LookupFunction,
  { verifyTls, connectTimeoutMs }: ConnectionOptions,
): Agent {
  return new Connections({
    // One request per connection at a time: a slow answer holds up no other, and what was sent is known.
    allowH2: false,
    pipelining: 1,
    // The whole request has one limit, which is kept elsewhere.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectTimeoutMs, rejectUnauthorized: verifyTls, lookup },
  })
}
