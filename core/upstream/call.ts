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
import type { Content, createContent } from './content.ts'
import type { Credential, Placed } from './credential.ts'
import { backoffMs, failureOfError, failureOfPage, failureOfStatus, type About, type Failure } from './failures.ts'
import { createLimit, type Ending, type Limit } from './limit.ts'
import { checkForPage } from './page.ts'
import type { Quota } from './rate-headers.ts'
import { isInsideRefresh } from './refresher.ts'
import { drain, send, type Incoming } from './send.ts'
import type { SharedAccount } from './shared-account.ts'
import { type Address, addressOf } from './target.ts'

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

export interface AccountParts {
  readonly options: AccountOptions
  readonly base: URL
  /** Throws unless the account's address is allowed. */
  readonly checkHost: (allowed: readonly string[]) => void
  readonly contentOf: ReturnType<typeof createContent>
  readonly credential: Credential | null
  readonly connection: ConnectionOptions
}

type Outcome = { readonly answer: UpstreamAnswer } | { readonly failure: Failure } | { readonly refused: true }

export class Call implements About {
  readonly account: string
  readonly #request: UpstreamRequest
  readonly #parts: AccountParts
  readonly #deps: CallDependencies
  readonly #method: NonNullable<UpstreamRequest['method']>
  readonly #timeoutMs: number
  readonly #credential: Credential | null
  readonly #address: Address
  readonly #content: Content
  readonly #limit: Limit
  #shown: string | undefined
  #tries = 0
  #deadlineMs: number | null = null
  #wasRefreshed = false

  constructor(request: UpstreamRequest, parts: AccountParts, deps: CallDependencies) {
    const { options, base, checkHost, contentOf } = parts
    this.account = options.account
    this.#request = request
    this.#parts = parts
    this.#deps = deps
    this.#method = request.method ?? 'GET'
    this.#timeoutMs = request.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS
    this.#credential = request.anonymous === true ? null : parts.credential
    this.#address = addressOf(this.account, base, request)
    this.#content = contentOf(request)
    checkHost(deps.allowedHosts())
    this.#limit = createLimit(
      [deps.ending, request.signal],
      () => new PlayheadError('PLH_ABORTED', `${this.account}: ${this.shown} was called off.`),
      deps.run,
    )
  }

  // Redaction is expensive and only needed for errors and the log.
  get shown(): string {
    const { origin, path } = this.#address
    const place = origin + path
    return (this.#shown ??= `${this.#method} ${this.#deps.redact(this.#parts.credential?.hide(place) ?? place)}`)
  }

  get #isRead(): boolean {
    return this.#method === 'GET' || this.#method === 'HEAD'
  }

  get #isSafe(): boolean {
    return this.#isRead || this.#request.idempotent === true
  }

  get #remainingMs(): number {
    return this.#deadlineMs === null ? this.#timeoutMs : this.#deadlineMs - this.#deps.now()
  }

  /** Sends the request until there is a response. `onBodyEnd` is called when its body is complete or aborted. */
  async send(onBodyEnd: () => void): Promise<UpstreamAnswer> {
    for (;;) {
      const ready = this.#credential?.ready(this.#limit)
      if (ready !== undefined) {
        this.#startQueueLimit()
        await ready
      }
      const turn = this.#deps.shared.limiter.acquire({
        rateClass: this.#isRead ? 'read' : 'write',
        priority: isInsideRefresh(this.account) ? 'refresh' : this.#deadlineMs === null ? 'normal' : 'repeat',
        maxPauseMs: this.#remainingMs,
        limit: this.#limit,
      })
      if (turn instanceof Promise && ready === undefined) this.#startQueueLimit()
      const outcome = await this.#attempt(turn instanceof Promise ? await turn : turn, onBodyEnd)
      if ('answer' in outcome) return outcome.answer
      if ('refused' in outcome) this.#wasRefreshed = true
      else await this.again(outcome.failure)
    }
  }

  /** Waits for the next try, or throws the failure. */
  async again(failure: Failure): Promise<void> {
    const { log, random, sleep } = this.#deps
    const waitMs = failure.waitMs ?? backoffMs(this.#tries, random)
    const mayRepeat = failure.repeat === 'any' || (failure.repeat === 'safe' && this.#isSafe)
    const maxTries = this.#parts.options.tries ?? DEFAULT_TRIES
    if (!mayRepeat || this.#tries >= maxTries || waitMs > this.#remainingMs) throw failure.error
    log.debug(
      { account: this.account, request: this.shown, code: failure.error.code, waitMs, try: this.#tries },
      'upstream request is tried again',
    )
    // A pause is waited for in the limiter.
    if (!failure.pause) await sleep(waitMs, this.#limit.signal)
  }

  /** Ends the time limit. */
  release(): void {
    this.#limit.release()
  }

  // The limiter's slot is always released: here, or at the end of the body.
  async #attempt(leave: () => void, onBodyEnd: () => void): Promise<Outcome> {
    const { agents, shared, log, now } = this.#deps
    const { options, connection } = this.#parts
    try {
      this.#deadlineMs ??= now() + this.#timeoutMs
      const wholeMs = this.#remainingMs
      const ownMs = this.#request.timeoutMs === undefined ? options.answerMs : undefined
      const answerMs = Math.min(wholeMs, ownMs ?? wholeMs)
      this.#startLimit(answerMs)
      const placed = this.#credential?.place() ?? null
      shared.countRequest(this.#tries > 0 || this.#wasRefreshed)
      this.#tries += 1
      const startedAtMs = now()
      const opened = agents.get(connection)
      const sender = opened instanceof Promise ? await opened : opened
      let incoming: Incoming
      try {
        incoming = await send(
          sender,
          {
            ...this.#content,
            account: this.account,
            method: this.#method,
            address: this.#address,
            idempotent: this.#isSafe,
            limit: this.#limit,
            accept: this.#request.accept ?? [],
            placed,
          },
          now,
        )
      } catch (error) {
        this.#note(startedAtMs, 0)
        throw error
      }
      const onBody = this.#note(startedAtMs, incoming.status, incoming.hints.quota)
      if (log.isOn?.('debug') !== false) {
        const { status } = incoming
        const ms = now() - startedAtMs
        log.debug({ account: this.account, request: this.shown, status, try: this.#tries, ms }, 'upstream answered')
      }
      if (answerMs < wholeMs) this.#startLimit(this.#remainingMs)
      const checking = checkForPage(incoming, { sent: this.#content.headers, ownPages: options.ownPages ?? [] })
      const checked = checking === undefined ? undefined : await checking
      if (checked !== undefined) incoming = { ...incoming, body: checked.body }
      if (checked?.isPage === true || !isAnswer(incoming.status, this.#request)) {
        return await this.#refused(incoming, placed, checked?.isPage === true, leave)
      }
      incoming.body.onClose((bytes) => {
        onBody(bytes)
        leave()
        onBodyEnd()
      })
      return { answer: createAnswer(incoming, this, options.maxBytes ?? DEFAULT_MAX_BYTES) }
    } catch (error) {
      leave()
      return { failure: failureOfError(this, this.#limit.error ?? error) }
    }
  }

  async #refused(incoming: Incoming, placed: Placed | null, isPage: boolean, leave: () => void): Promise<Outcome> {
    const { status, hints, body } = incoming
    if (isPage) {
      const failure = failureOfPage(this, status, hints)
      await drain(body)
      leave()
      return { failure }
    }
    const failure = failureOfStatus(this, status, {
      hints,
      wasRefreshed: this.#wasRefreshed,
      backoffMs: backoffMs(this.#tries, this.#deps.random),
    })
    // The pause or refresh starts before the slot is released, so that no other request slips through.
    if (failure.pause) this.#pauseAccount(failure.waitMs ?? 0)
    await drain(body)
    const renewal =
      status === 401 && placed !== null && !this.#wasRefreshed
        ? this.#credential?.renew(placed, this.#limit.signal)
        : undefined
    leave()
    if ((await renewal) !== true) return { failure }
    this.#tries -= 1
    return { refused: true }
  }

  #note(startedAtMs: number, status: number, quota?: Quota): (bytesIn: number) => void {
    const { body } = this.#content
    return this.#deps.shared.noteCall({
      method: this.#method,
      path: this.#address.path,
      status,
      ok: isAnswer(status, this.#request),
      startedAtMs,
      bytesOut: body === null ? 0 : Buffer.byteLength(body),
      quota,
    })
  }

  #pauseAccount(waitMs: number): void {
    const { shared, now, log } = this.#deps
    shared.limiter.pause(now() + waitMs)
    log.info({ account: this.account, waitMs }, 'the service asked to wait')
  }

  // The wait for the first try. Later ones are part of the time for the answer.
  #startQueueLimit(): void {
    if (this.#deadlineMs !== null) return
    this.#limit.start(
      QUEUE_LIMIT_MS,
      () =>
        new PlayheadError(
          'PLH_RATE_LIMITED',
          `${this.account}: ${this.shown} waited ${QUEUE_LIMIT_MS / 60_000} minutes for its turn.`,
        ),
    )
  }

  #startLimit(ms: number): void {
    this.#limit.start(
      ms,
      () =>
        new PlayheadError('PLH_UPSTREAM_TIMEOUT', `${this.account}: ${this.shown} was not answered within ${ms} ms.`, {
          details: { account: this.account },
        }),
    )
  }
}

function isAnswer(status: number, { accept = [] }: UpstreamRequest): boolean {
  return (status >= 200 && status < 300) || status === 304 || accept.includes(status)
}
