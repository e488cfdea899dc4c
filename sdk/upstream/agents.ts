// The connections of one generation of a plugin. They are opened in its own asynchronous context, so that what happens on
// them is attributed to it, and all end with it.
import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher } from 'undici'

export interface ConnectionOptions {
  readonly verifyTls: boolean
  readonly connectTimeoutMs: number
}

export interface Agents {
  /** The connections with these settings; made once. */
  get(options: ConnectionOptions): Dispatcher
  /** Cuts every connection. */
  close(): Promise<void>
}

export function createAgents(lookup: LookupFunction, run: <Result>(work: () => Result) => Result): Agents {
  const agents = new Map<string, Agent>()
  return {
    get(options) {
      const key = JSON.stringify([options.verifyTls, options.connectTimeoutMs])
      let agent = agents.get(key)
      if (agent === undefined) {
        agent = run(() => createAgent(lookup, options))
        agents.set(key, agent)
      }
      return agent
    },
    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
      agents.clear()
    },
  }
}

function createAgent(lookup: LookupFunction, { verifyTls, connectTimeoutMs }: ConnectionOptions): Agent {
  return new Agent({
    // One request per connection at a time: a slow answer holds up no other, and what was sent is known.
    allowH2: false,
    pipelining: 1,
    // The whole request has one limit, which is kept elsewhere.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectTimeoutMs, rejectUnauthorized: verifyTls, lookup },
  })
}
