// Opens a WebSocket: one request with an upgrade under the account's limits, its credential placed like any other's.
import { createHash, randomBytes } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { defined } from '@playhead/sdk/host'
import { PlayheadError, type SocketRequest, type UpstreamSocket } from '@playhead/sdk'
import type { Sender } from '../agents.ts'
import { type AccountParts, type CallDependencies, DEFAULT_TIMEOUT_MS } from '../call.ts'
import type { Placed } from '../credential.ts'
import { type About, failureOfError, failureOfPage, failureOfStatus } from '../failures.ts'
import { flatten } from '../headers.ts'
import { createLimit, type Limit } from '../limit.ts'
import { isChallenge } from '../page.ts'
import { isInsideRefresh } from '../refresher.ts'
import { hintsOf } from '../send.ts'
import { type Address, addressOf, redirectTarget } from '../target.ts'
import { type Connection, createSocket } from './messages.ts'

const DEFAULT_MAX_MESSAGE_BYTES = 1024 * 1024
const DEFAULT_SILENCE_MS = 120_000
// RFC 6455, section 1.3.
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

export async function openSocket(
  request: SocketRequest,
  { options, base, checkHost, contentOf, credential, connection }: AccountParts,
  deps: CallDependencies,
): Promise<UpstreamSocket> {
  const { account } = options
  const { shared, now } = deps
  const answerMs = options.answerMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const address = addressOf(account, base, request)
  const place = address.origin + address.path
  const {
    accept: _accept,
    'accept-encoding': _encoding,
    ...headers
  } = contentOf(defined({ headers: request.headers })).headers
  const about: About = { account, shown: deps.redact(`WebSocket ${credential?.hide(place) ?? place}`) }
  checkHost(deps.allowedHosts())

  const limitOf = () =>
    createLimit(
      [deps.ending, request.signal],
      () => new PlayheadError('PLH_ABORTED', `${account}: ${about.shown} was called off.`, { details: { account } }),
      deps.run,
    )
  const limit = limitOf()

  async function upgrade(placed: Placed | null): Promise<Upgraded> {
    const key = randomBytes(16).toString('base64')
    const own = { ...headers, 'sec-websocket-key': key, 'sec-websocket-version': '13' }
    const { origin, path, query } = address
    const sender = await deps.agents.get(connection)
    const upgraded = { origin, path: path + (placed?.query(query) ?? query), headers: placed?.headers(own) ?? own }
    const answer = await exchangeUpgrade(sender, upgraded, limit)
    if (answer.connection !== null) checkUpgrade(about, answer.headers, key, answer.connection)
    return answer
  }

  try {
    for (let wasRefreshed = false; ; wasRefreshed = true) {
      await credential?.ready(limit)
      const leave = await shared.limiter.acquire({
        rateClass: 'read',
        priority: isInsideRefresh(account) ? 'refresh' : 'normal',
        maxPauseMs: answerMs,
        limit,
      })
      let renewal: Promise<boolean> | undefined
      try {
        limit.start(answerMs, () => timeout(about, answerMs))
        const placed = credential?.place() ?? null
        shared.countRequest(wasRefreshed)
        const startedAtMs = now()
        const note = (status: number) =>
          shared.noteCall({ method: 'GET', path: address.path, status, ok: status === 101, startedAtMs, bytesOut: 0 })
        const answer = await upgrade(placed).catch((error: unknown) => {
          note(0)
          throw error
        })
        const onEnd = note(answer.status)
        if (answer.connection !== null) {
          limit.release()
          deps.log.debug({ account, request: about.shown }, 'upstream socket opened')
          return createSocket(answer.connection, {
            account,
            shown: about.shown,
            maxMessageBytes: request.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
            silenceMs: request.silenceMs ?? DEFAULT_SILENCE_MS,
            limit: limitOf(),
            onEnd,
          })
        }
        const failure = failureOfAnswer(about, address, answer, now())
        if (failure.pause) shared.limiter.pause(now() + (failure.waitMs ?? 0))
        if (
          answer.status !== 401 ||
          isChallenge(answer.headers) ||
          placed === null ||
          wasRefreshed ||
          credential === null
        )
          throw failure.error
        renewal = credential.renew(placed, limit.signal)
        leave()
        if (!(await renewal)) throw failure.error
      } finally {
        leave()
      }
    }
  } catch (error) {
    throw failureOfError(about, limit.error ?? error).error
  } finally {
    limit.release()
  }
}

interface Upgraded {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null if the server refused. */
  readonly connection: Connection | null
}

type UpgradeRequest = Pick<Dispatcher.DispatchOptions, 'origin' | 'path' | 'headers'>

function exchangeUpgrade(sender: Sender, request: UpgradeRequest, limit: Limit): Promise<Upgraded> {
  if (limit.error !== undefined) return Promise.reject(limit.error)
  return new Promise<Upgraded>((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let isOver = false
    const settle = <Value>(act: (value: Value) => void, value: Value): void => {
      isOver = true
      forgetLimit()
      act(value)
    }
    const forgetLimit = limit.onEnd((error) => {
      isOver = true
      reject(error)
      controller?.abort(error)
    })
    sender.dispatch(
      { ...request, method: 'GET', upgrade: 'websocket' },
      {
        onRequestStart(started) {
          controller = started
          // Aborted while waiting for a connection.
          if (limit.error !== undefined) started.abort(limit.error)
        },
        onRequestUpgrade(_controller, status, headers, connection) {
          if (isOver) connection.destroy()
          else settle(resolve, { status, headers: flatten(headers), connection })
        },
        onResponseStart(started, status, headers) {
          if (status < 200 || isOver) return
          settle(resolve, { status, headers: flatten(headers), connection: null })
          started.abort(new Error('The body of a refusal is not read.'))
        },
        onResponseData() {},
        onResponseEnd() {},
        onResponseError(_controller, error) {
          if (!isOver) settle(reject, error)
        },
      },
    )
  })
}

function checkUpgrade(about: About, headers: Upgraded['headers'], key: string, connection: Connection): void {
  const expected = createHash('sha1')
    .update(key + ACCEPT_SUFFIX)
    .digest('base64')
  if (headers['sec-websocket-accept']?.trim() === expected && headers['sec-websocket-extensions'] === undefined) return
  connection.destroy()
  throw new PlayheadError('PLH_UPSTREAM_INVALID', `${about.account}: ${about.shown} was not answered as a WebSocket.`, {
    details: { account: about.account },
  })
}

function failureOfAnswer(about: About, address: Address, { status, headers }: Upgraded, nowMs: number) {
  const { location } = headers
  // Throws if it leads elsewhere. A redirect within the origin is a status like any other.
  if (status >= 300 && status < 400 && location !== undefined) redirectTarget(about.account, address, location)
  const hints = hintsOf(headers, nowMs)
  if (isChallenge(headers)) return failureOfPage(about, status, hints)
  return failureOfStatus(about, status, { hints, wasRefreshed: status === 403, backoffMs: 0 })
}

function timeout(about: About, ms: number): PlayheadError {
  return new PlayheadError(
    'PLH_UPSTREAM_TIMEOUT',
    `${about.account}: ${about.shown} was not answered within ${ms} ms.`,
    { details: { account: about.account } },
  )
}
