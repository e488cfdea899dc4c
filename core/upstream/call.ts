// One request with its retries: waits for the account's limiter, adds the credential, retries once after a refused
// credential and a few times after temporary failures, where safe. The time limit starts after the limiter and includes
// the body.
import {
  type AccountOptions,
  type Logger,
  PlayheadError,
  type Sleep,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '@playhead/sdk'
import type { Agents, ConnectionOptions } from './agents.ts'
import { createAnswer } from './answer.ts'
import { backoffMs } from './failures.ts'
import type { createContent } from './content.ts'
import type { Credential, Placed } from './credential.ts'
import { failureOfError, failureOfPage, failureOfStatus, type About, type Failure } from './failures.ts'
import { createLimit, type Ending } from './limit.ts'
import { checkForPage } from './page.ts'
import type { Quota } from './rate-headers.ts'
import { isInsideRefresh } from './refresher.ts'
import { drain, send, type Incoming } from './send.ts'
import type { SharedAccount } from './shared-account.ts'
import { addressOf } from './target.ts'

export const DEFAULT_TIMEOUT_MS = 20_000
export const DEFAULT_CONNECT_TIMEOUT_MS = 5_000
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024
const DEFAULT_TRIES = 4
// Maximum wait for the limiter.
const QUEUE_LIMIT_MS = 10 * 60_000

export interface CallDependencies {
  readonly plugin: string
  readonly allowedHosts: () => readonly string[]
  readonly agents: Agents
  readonly shared: SharedAccount
  readonly log: Logger
  readonly redact: (text: string) => string
  readonly run: <Result>(work: () => Result) => Result
  /** Ends with the generation. */
  readonly signal: AbortSignal
  /** The same for many listeners. */
  readonly ending: Ending
  readonly now: () => number
  readonly sleep: Sleep
  readonly random: () => number
}

interface Call {
  /** Sends the request until there is a response. `onBodyEnd` is called when its body is complete or aborted. */
  send(onBodyEnd: () => void): Promise<UpstreamAnswer>
  /** Waits for the next try, or throws the failure. */
  again(failure: Failure): Promise<void>
  /** Ends the time limit. */
  release(): void
}

export interface AccountParts {
  readonly options: AccountOptions
  readonly base: URL
  /** Throws unless the account's address is allowed. */
  readonly checkHost: (allowed: readonly string[]) => void
  readonly contentOf: ReturnType<typeof createContent>
  readonly credential: Credential | null
  readonly connection: ConnectionOptions
}

export function beginCall(
  request: UpstreamRequest,
  { options, base, checkHost, contentOf, credential: ofAccount, connection }: AccountParts,
  deps: CallDependencies,
): Call {
  const { account } = options
  const { shared, now } = deps
  const method = request.method ?? 'GET'
  const isRead = method === 'GET' || method === 'HEAD'
  const isSafe = isRead || request.idempotent === true
  const timeoutMs = request.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const answerMs = request.timeoutMs === undefined ? (options.answerMs ?? timeoutMs) : timeoutMs
  const maxTries = options.tries ?? DEFAULT_TRIES
  const credential = request.anonymous === true ? null : ofAccount
  const address = addressOf(account, base, request)
  const { headers, body } = contentOf(request)
  const bytesOut = body === null ? 0 : Buffer.byteLength(body)
  // Redaction is expensive and only needed for errors and the log.
  let shown: string | undefined
  const about: About = {
    account,
    get shown() {
      return (shown ??= `${method} ${hide(address.origin + address.path)}`)
    },
  }
  checkHost(deps.allowedHosts())

  const limit = createLimit(
    [deps.ending, request.signal],
    () => new PlayheadError('PLH_ABORTED', `${account}: ${about.shown} was called off.`),
    deps.run,
  )
  limit.start(
    QUEUE_LIMIT_MS,
    () =>
      new PlayheadError(
        'PLH_RATE_LIMITED',
        `${account}: ${about.shown} waited ${QUEUE_LIMIT_MS / 60_000} minutes for its turn.`,
      ),
  )
  let tries = 0
  let deadlineMs: number | null = null
  let wasRefreshed = false
  const remainingMs = () => (deadlineMs === null ? timeoutMs : deadlineMs - now())

  function startLimit(ms: number): void {
    limit.start(
      ms,
      () =>
        new PlayheadError('PLH_UPSTREAM_TIMEOUT', `${account}: ${about.shown} was not answered within ${ms} ms.`, {
          details: { account },
        }),
    )
  }

  function hide(text: string): string {
    return deps.redact(ofAccount?.hide(text) ?? text)
  }

  async function sendUntilAnswered(onBodyEnd: () => void): Promise<UpstreamAnswer> {
    for (;;) {
      await credential?.ready(limit)
      const leave = await shared.limiter.acquire({
        rateClass: isRead ? 'read' : 'write',
        priority: isInsideRefresh(account) ? 'refresh' : deadlineMs === null ? 'normal' : 'repeat',
        maxPauseMs: remainingMs(),
        limit,
      })
      const outcome = await attempt(leave, onBodyEnd)
      if ('answer' in outcome) return outcome.answer
      if ('refused' in outcome) wasRefreshed = true
      else await again(outcome.failure)
    }
  }

  type Outcome = { readonly answer: UpstreamAnswer } | { readonly failure: Failure } | { readonly refused: true }

  // The limiter's slot is always released: here, or at the end of the body.
  async function attempt(leave: () => void, onBodyEnd: () => void): Promise<Outcome> {
    try {
      deadlineMs ??= now() + timeoutMs
      startLimit(Math.min(answerMs, remainingMs()))
      const placed = credential?.place() ?? null
      shared.countRequest(tries > 0 || wasRefreshed)
      tries += 1
      const { incoming: arrived, onBody } = await exchange(placed)
      startLimit(remainingMs())
      const checked = await checkForPage(arrived, { sent: headers, ownPages: options.ownPages ?? [] })
      const incoming = checked === undefined ? arrived : { ...arrived, body: checked.body }
      if (checked?.isPage === true) {
        const failure = failureOfPage(about, incoming.status, incoming.hints)
        await drain(incoming.body)
        leave()
        return { failure }
      }
      if (isAnswer(incoming.status, request)) {
        const onEnd = (bytes: number) => {
          onBody(bytes)
          leave()
          onBodyEnd()
        }
        incoming.body.onClose(onEnd)
        return { answer: createAnswer(incoming, about, options.maxBytes ?? DEFAULT_MAX_BYTES) }
      }
      const waitMs = backoffMs(tries, deps.random)
      const failure = failureOfStatus(about, incoming.status, {
        hints: incoming.hints,
        wasRefreshed,
        backoffMs: waitMs,
      })
      // The pause or refresh starts before the slot is released, so that no other request slips through.
      if (failure.pause) pauseAccount(failure.waitMs ?? 0)
      await drain(incoming.body)
      const renewal =
        incoming.status === 401 && placed !== null && !wasRefreshed
          ? credential?.renew(placed, limit.signal)
          : undefined
      leave()
      if ((await renewal) === true) {
        tries -= 1
        return { refused: true }
      }
      return { failure }
    } catch (error) {
      leave()
      return { failure: failureOfError(about, limit.error ?? error) }
    }
  }

  async function exchange(
    placed: Placed | null,
  ): Promise<{ readonly incoming: Incoming; readonly onBody: (bytes: number) => void }> {
    const startedAtMs = now()
    const note = (status: number, quota?: Quota) =>
      shared.noteCall({
        method,
        path: address.path,
        status,
        ok: isAnswer(status, request),
        startedAtMs,
        bytesOut,
        quota,
      })
    const sender = await deps.agents.get(connection)
    const incoming = await send(
      sender,
      { account, method, address, headers, body, idempotent: isSafe, limit, accept: request.accept ?? [], placed },
      now,
    ).catch((error: unknown) => {
      note(0)
      throw error
    })
    const onBody = note(incoming.status, incoming.hints.quota)
    if (deps.log.isOn?.('debug') !== false) {
      const { status } = incoming
      deps.log.debug(
        { account, request: about.shown, status, try: tries, ms: now() - startedAtMs },
        'upstream answered',
      )
    }
    return { incoming, onBody }
  }

  function pauseAccount(waitMs: number): void {
    shared.limiter.pause(now() + waitMs)
    deps.log.info({ account, waitMs }, 'the service asked to wait')
  }

  async function again(failure: Failure): Promise<void> {
    const waitMs = failure.waitMs ?? backoffMs(tries, deps.random)
    const mayRepeat = failure.repeat === 'any' || (failure.repeat === 'safe' && isSafe)
    if (!mayRepeat || tries >= maxTries || waitMs > remainingMs()) throw failure.error
    deps.log.debug(
      { account, request: about.shown, code: failure.error.code, waitMs, try: tries },
      'upstream request is tried again',
    )
    // A pause is waited for in the limiter.
    if (!failure.pause) await deps.sleep(waitMs, limit.signal)
  }

  return { send: sendUntilAnswered, again, release: () => limit.release() }
}

function isAnswer(status: number, { accept = [] }: UpstreamRequest): boolean {
  return (status >= 200 && status < 300) || status === 304 || accept.includes(status)
}
