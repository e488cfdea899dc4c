// The HTTP client on an isolated plugin's thread: parses and checks responses that the host received.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import type { Static, TSchema } from '@sinclair/typebox'
import {
  type AccountOptions,
  PlayheadError,
  type Remote,
  type UpstreamAccount,
  type UpstreamAnswer,
  type UpstreamDocument,
  type UpstreamFactory,
  type UpstreamRequest,
  type UpstreamSocket,
} from '@playhead/sdk'
import { documentOf } from '../../upstream/answer.ts'
import type { CredentialState, SyncSide, UpstreamCallContext, UpstreamSide } from './wire.ts'
import { defined } from '@playhead/sdk/host'

type Credential = NonNullable<AccountOptions['credential']>

export interface ThreadUpstream {
  readonly factory: UpstreamFactory
  /** Runs the plugin's refresh of a credential for the host. */
  refresh(account: number, refresh: number, signal: AbortSignal): Promise<CredentialState>
}

export function createThreadUpstream(calls: Remote<UpstreamSide>, sync: SyncSide): ThreadUpstream {
  const credentials = new Map<number, Credential>()
  const inRefresh = new AsyncLocalStorage<number>()
  // Responses whose bodies are never read must not keep their connections.
  const unread = new FinalizationRegistry<number>((id) => void calls.discard(id).catch(() => {}))
  let lastId = 0

  const stateOf = ({ secrets, expiresAtMs }: Credential): CredentialState => ({
    secrets: { ...secrets() },
    expiresAtMs: expiresAtMs?.(),
  })

  function account(options: AccountOptions): UpstreamAccount {
    const { credential, ...plain } = options
    const id = ++lastId
    sync.openAccount(
      id,
      plain,
      credential === undefined
        ? null
        : {
            ...stateOf(credential),
            place: credential.place,
            refreshSkewMs: credential.refreshSkewMs,
            canRefresh: credential.refresh !== undefined,
          },
    )
    if (credential !== undefined) credentials.set(id, credential)
    const context = (): UpstreamCallContext => ({
      account: id,
      credential: credential === undefined ? null : stateOf(credential),
      refresh: inRefresh.getStore() ?? null,
    })
    const about = ({ method = 'GET', path }: Pick<UpstreamRequest, 'method' | 'path'>) => ({
      invalid: (what: string, reason?: string) =>
        new PlayheadError('PLH_UPSTREAM_INVALID', `${options.account}: the answer to ${method} ${path} ${what}.`, {
          details: { account: options.account, ...defined({ reason }) },
        }),
    })

    async function document<Schema extends TSchema>(
      request: UpstreamRequest,
      schema: Schema,
    ): Promise<UpstreamDocument<Static<Schema>>> {
      const { text } = await calls.document(context(), request)
      return documentOf(text, undefined, schema, about(request).invalid)
    }

    return {
      async request(request) {
        const { id: answerId, status, headers } = await calls.request(context(), request)
        const text = () => calls.text(answerId)
        const parsed = async (schema?: TSchema) =>
          documentOf(await text(), headers['content-type'], schema, about(request).invalid)
        const answer: UpstreamAnswer = {
          status,
          headers,
          text: () => {
            unread.unregister(answer)
            return text()
          },
          json: (async (schema?: TSchema) => (await parsed(schema)).value()) as UpstreamAnswer['json'],
          document: parsed as UpstreamAnswer['document'],
          stream: () => Readable.from(calls.body(answerId), { objectMode: false }),
        }
        unread.register(answer, answerId, answer)
        return answer
      },
      json: async (request, schema) => (await document(request, schema)).value(),
      document,
      async socket(request): Promise<UpstreamSocket> {
        const socketId = await calls.socket(context(), request)
        const messages = calls.socketMessages(socketId)
        return {
          send: (text) => sync.socketSend(socketId, text),
          close: () => sync.socketClose(socketId),
          [Symbol.asyncIterator]: () => messages[Symbol.asyncIterator](),
        }
      },
      stats: () => sync.accountStats(id),
    }
  }

  return {
    factory: { account },
    async refresh(accountId, refresh, signal) {
      const credential = credentials.get(accountId) as Credential
      await inRefresh.run(refresh, async () => credential.refresh?.(signal))
      return stateOf(credential)
    },
  }
}
