// The HTTP client of an isolated plugin, in the host: connections, limits and credentials stay here.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Type } from '@sinclair/typebox'
import type { Remote, UpstreamAccount, UpstreamAnswer, UpstreamFactory, UpstreamSocket } from '@playhead/sdk'
import type { CredentialState, PluginSide, SyncSide, UpstreamCallContext, UpstreamSide } from './wire.ts'
import { defined } from '@playhead/sdk/host'

const ANYTHING = Type.Unknown()

interface Opened {
  readonly account: UpstreamAccount
  credential: CredentialState
}

interface UpstreamSides {
  readonly calls: UpstreamSide
  readonly sync: Pick<SyncSide, 'openAccount' | 'accountStats' | 'socketSend' | 'socketClose'>
}

export function createUpstreamSide(upstream: UpstreamFactory, plugin: () => Remote<PluginSide>): UpstreamSides {
  const accounts = new Map<number, Opened>()
  const answers = new Map<number, UpstreamAnswer>()
  const sockets = new Map<number, UpstreamSocket>()
  // Calls inside a refresh continue in its context.
  const refreshes = new Map<number, ReturnType<typeof AsyncLocalStorage.snapshot>>()
  let lastId = 0

  async function refresh(account: number, signal: AbortSignal): Promise<void> {
    const id = ++lastId
    refreshes.set(id, AsyncLocalStorage.snapshot())
    try {
      const opened = accounts.get(account)
      const state = await plugin().refreshCredential(account, id, signal)
      if (opened !== undefined) opened.credential = state
    } finally {
      refreshes.delete(id)
    }
  }

  function within<Result>(
    { account, credential, refresh: inside }: UpstreamCallContext,
    work: (account: UpstreamAccount) => Promise<Result>,
  ): Promise<Result> {
    const opened = accounts.get(account) as Opened
    if (credential !== null) opened.credential = credential
    const inContext = inside === null ? undefined : refreshes.get(inside)
    return inContext === undefined ? work(opened.account) : inContext(() => work(opened.account))
  }

  function take(id: number): UpstreamAnswer {
    const answer = answers.get(id)
    if (answer === undefined) throw new TypeError('The body of an answer can be read once.')
    answers.delete(id)
    return answer
  }

  return {
    calls: {
      async request(context, request) {
        const answer = await within(context, (account) => account.request(request))
        const id = ++lastId
        answers.set(id, answer)
        return { id, status: answer.status, headers: answer.headers }
      },
      async document(context, request) {
        const { text } = await within(context, (account) => account.document(request, ANYTHING))
        return { text }
      },
      text: async (id) => take(id).text(),
      body: (id) => take(id).stream() as AsyncIterable<Uint8Array>,
      discard(id) {
        if (answers.has(id)) take(id).stream().destroy()
      },
      async socket(context, request) {
        const socket = await within(context, (account) => account.socket(request))
        const id = ++lastId
        sockets.set(id, socket)
        return id
      },
      async *socketMessages(id) {
        try {
          yield* sockets.get(id) as UpstreamSocket
        } finally {
          sockets.get(id)?.close()
          sockets.delete(id)
        }
      },
    },
    sync: {
      openAccount(id, options, credential) {
        const opened: { account?: UpstreamAccount; credential: CredentialState } = {
          credential: credential ?? { secrets: {}, expiresAtMs: undefined },
        }
        opened.account = upstream.account({
          ...options,
          ...(credential === null
            ? {}
            : {
                credential: {
                  place: credential.place,
                  secrets: () => opened.credential.secrets,
                  expiresAtMs: () => opened.credential.expiresAtMs,
                  ...defined({ refreshSkewMs: credential.refreshSkewMs }),
                  ...(credential.canRefresh ? { refresh: (signal: AbortSignal) => refresh(id, signal) } : {}),
                },
              }),
        })
        accounts.set(id, opened as Opened)
      },
      accountStats: (id) => (accounts.get(id) as Opened).account.stats(),
      socketSend: (id, text) => sockets.get(id)?.send(text),
      socketClose: (id) => sockets.get(id)?.close(),
    },
  }
}
