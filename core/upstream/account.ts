// An account as a plugin uses it: requests with a common address, limits and credential.
import type { Static, TSchema } from '@sinclair/typebox'
import {
  type AccountLimits,
  type AccountOptions,
  PlayheadError,
  type UpstreamAccount,
  type UpstreamDocument,
  type UpstreamRequest,
} from '@playhead/sdk'
import { type AccountParts, Call, type CallDependencies, DEFAULT_CONNECT_TIMEOUT_MS } from './call.ts'
import { createContent } from './content.ts'
import { createCredential } from './credential.ts'
import { isBrokenOff } from './failures.ts'
import { openSocket } from './socket/open.ts'
import { createHostCheck, parseBaseUrl } from './target.ts'

export function createAccount(options: AccountOptions, deps: CallDependencies): UpstreamAccount {
  const { account } = options
  const { shared } = deps
  const base = parseBaseUrl(account, options.baseUrl)
  const checkHost = createHostCheck(deps.plugin, base, options)
  const credential =
    options.credential === undefined
      ? null
      : createCredential(options.credential, {
          account,
          now: deps.now,
          log: deps.log,
          refresher: shared.refresher,
          run: deps.run,
          signal: deps.signal,
        })
  checkLimits(account, options.limits)
  shared.limiter.configure(options.limits)
  const { verifyTls = true, connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS, publicOnly = false } = options
  const connection = { verifyTls, connectTimeoutMs, publicOnly }
  const contentOf = createContent(account, options)
  const parts: AccountParts = { options, base, checkHost, contentOf, credential, connection }

  async function document<Schema extends TSchema>(
    request: UpstreamRequest,
    schema: Schema,
  ): Promise<UpstreamDocument<Static<Schema>>> {
    const call = new Call(request, parts, deps)
    try {
      for (;;) {
        const answer = await call.send(() => {})
        try {
          return await answer.document(schema)
        } catch (error) {
          if (!isBrokenOff(error)) throw error
          await call.again({ error: error as PlayheadError, repeat: 'safe', pause: false })
        }
      }
    } finally {
      call.release()
    }
  }

  return {
    async request(request) {
      const call = new Call(request, parts, deps)
      try {
        return await call.send(() => call.release())
      } catch (error) {
        call.release()
        throw error
      }
    },

    async json<Schema extends TSchema>(request: UpstreamRequest, schema: Schema): Promise<Static<Schema>> {
      return (await document(request, schema)).value()
    },

    document,
    socket: (request) => openSocket(request, parts, deps),
    stats: shared.stats,
  }
}

function checkLimits(account: string, limits: AccountLimits = {}): void {
  for (const [name, value] of Object.entries(limits)) {
    if (value !== undefined && !(value > 0)) {
      throw new PlayheadError('PLH_INVALID', `${account}: the limit ${name} is ${value}; it must be above 0.`)
    }
  }
}
