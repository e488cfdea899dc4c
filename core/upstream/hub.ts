// The process-wide part of the HTTP client. Each plugin generation gets a factory; accounts are shared by name, so that
// limits, pauses and refreshes survive a reload.
import type { LookupFunction } from 'node:net'
import {
  type AccountStats,
  type Logger,
  PlayheadError,
  type Sleep,
  type UpstreamCall,
  type UpstreamFactory,
  sleep as realSleep,
} from '@playhead/sdk'
import { createAccount } from './account.ts'
import { ENTERED } from '@playhead/sdk/host'
import { createAgents } from './agents.ts'
import { createCallLog } from './shared-account.ts'
import { endingOf } from './limit.ts'
import { createSharedAccount, type SharedAccount } from './shared-account.ts'

const MAX_ACCOUNTS = 1_000

interface UpstreamHubOptions {
  readonly clock: { now(): number }
  readonly log: Logger
  /** Removes known secrets from a text. */
  readonly redact: (text: string) => string
  /** Waits for rates, pauses and retries. */
  readonly sleep?: Sleep
  /** 0 to 1, for jitter. */
  readonly random?: () => number
  readonly lookup?: LookupFunction
}

interface GenerationOptions {
  readonly plugin: string
  /** The manifest's hosts with `config:` entries resolved; read at each request. A changed list is a new array. */
  readonly allowedHosts: () => readonly string[]
  /** Ends with the generation. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Enters the generation's async context. */
  readonly run: <Result>(work: () => Result) => Result
  /** Called with the origin of each entered address, before its first request. */
  readonly onEntered?: ((origin: string) => void) | undefined
}

/** The client of one generation. */
export interface GenerationUpstream extends UpstreamFactory {
  /** Ends all requests and closes all connections. */
  close(): Promise<void>
}

export interface UpstreamHub {
  factory(options: GenerationOptions): GenerationUpstream
  /** All accounts so far, by name. */
  stats(): readonly AccountStats[]
  /** The last 2,000 calls of all accounts, oldest first. */
  calls(): readonly UpstreamCall[]
}

export function createUpstreamHub({
  clock,
  log,
  redact,
  sleep = realSleep,
  random = Math.random,
  lookup,
}: UpstreamHubOptions): UpstreamHub {
  const now = () => clock.now()
  const accounts = new Map<string, SharedAccount>()
  const calls = createCallLog()

  const onRefreshed = (account: string, error: Error | null) => {
    if (error === null) log.info({ account }, 'credential refreshed')
    else log.warn({ account, err: error }, 'credential refresh failed')
  }

  function shared(account: string): SharedAccount {
    const known = accounts.get(account)
    if (known !== undefined) {
      // Move it to the end: the map is in order of use.
      accounts.delete(account)
      accounts.set(account, known)
      return known
    }
    if (accounts.size >= MAX_ACCOUNTS) forgetOne()
    const created = createSharedAccount(account, { now, sleep, log: calls, onRefreshed })
    accounts.set(account, created)
    return created
  }

  function forgetOne(): void {
    for (const [account, state] of accounts) {
      if (!state.isIdle()) continue
      accounts.delete(account)
      return
    }
    throw new PlayheadError('PLH_TOO_MANY', `${MAX_ACCOUNTS} accounts are in use; no further one can be opened.`)
  }

  return {
    factory({ plugin, allowedHosts, signal, log: pluginLog, run, onEntered }) {
      const agents = createAgents(lookup, run)
      const end = new AbortController()
      const ending = endingOf(end.signal)
      const abort = () => end.abort()
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort, { once: true })

      return {
        account(options) {
          if (end.signal.aborted) {
            throw new PlayheadError(
              'PLH_PLUGIN_DISPOSED',
              `Plugin "${plugin}" was replaced; this code belongs to the old version and opens no more accounts.`,
            )
          }
          const { origin } = URL.parse(options.baseUrl) ?? { origin: null }
          const isEntered = options.entered === true && origin !== null && allowedHosts().includes(ENTERED)
          if (isEntered) onEntered?.(origin)
          return createAccount(options, {
            plugin,
            agents,
            allowedHosts: isEntered ? () => [...allowedHosts(), origin] : allowedHosts,
            redact,
            run,
            now,
            sleep,
            random,
            shared: shared(options.account),
            log: pluginLog,
            signal: end.signal,
            ending,
          })
        },
        async close() {
          signal.removeEventListener('abort', abort)
          abort()
          await agents.close()
        },
      }
    },
    stats: () =>
      [...accounts.values()].map((account) => account.stats()).sort((a, b) => a.account.localeCompare(b.account)),
    calls: calls.all,
  }
}
