// Pending sign-ins, in memory only. The browser has a secret in a cookie, of which only the hash is stored here. A flow
// ends once: with its result or by expiry.
import { createHash, randomBytes } from 'node:crypto'
import { PlayheadError, isRecent, msUntil } from '@playhead/sdk'

const FLOW_LIFE_MS = 600_000
const ASK_INTERVAL_MS = 1_000
const MAX_FLOWS = 200

export type Intent = 'login' | 'link'

export interface StoredFlow {
  readonly state: string
  readonly intent: Intent
  /** The Plex PIN to approve. */
  readonly pinId: number
  readonly nonceHash: string
  /** Session of the person who links; null for a sign-in. */
  readonly sessionId: string | null
  readonly remember: boolean
  readonly expiresAtMs: number
}

interface NewFlow extends Pick<StoredFlow, 'intent' | 'pinId' | 'sessionId' | 'remember'> {
  /** Lifetime of the PIN, which limits the flow. */
  readonly lifeMs: number
}

interface Flow extends StoredFlow {
  /** Time of the last request to Plex, epoch milliseconds. */
  askedAtMs: number
  isAsking: boolean
}

export interface Flows {
  /** Throws PLH_TOO_MANY when the limit of flows is reached. */
  assertCapacity(): void
  /** @returns the flow, and the secret for the browser's cookie */
  open(start: NewFlow): { readonly flow: StoredFlow; readonly nonce: string }
  /** Throws PLH_EXPIRED, without details, for an unknown, used or expired flow, or one of another intent or session. */
  find(wanted: { readonly state: string; readonly intent: Intent; readonly sessionId: string | null }): Flow
  /** Whether this browser started the flow. For another browser the flow stays unchanged. */
  isStartedBy(flow: StoredFlow, nonce: string | undefined): boolean
  /** True for one caller at a time, at most once a second. That caller may query Plex and must call `unlock`. */
  tryLock(flow: Flow): boolean
  /** @param isOver the flow has its result and ends */
  unlock(flow: Flow, isOver: boolean): void
  /** Ends the previous flow of this browser. */
  endPrevious(nonce: string | undefined): void
  snapshot(): readonly StoredFlow[]
  restore(flows: readonly StoredFlow[]): void
}

export function createFlows(now: () => number = () => Date.now()): Flows {
  const flows = new Map<string, Flow>()

  return {
    assertCapacity() {
      forgetExpired()
      const [oldest] = flows.values()
      if (flows.size < MAX_FLOWS || oldest === undefined) return
      throw new PlayheadError('PLH_TOO_MANY', 'Too many people are signing in at the moment. Try again later.', {
        retryAfterMs: Math.max(1_000, oldest.expiresAtMs - now()),
      })
    },
    open({ lifeMs, ...start }) {
      const nonce = randomBytes(24).toString('base64url')
      const state = randomBytes(18).toString('base64url')
      const expiresAtMs = now() + Math.min(lifeMs, FLOW_LIFE_MS)
      const flow: Flow = { ...start, state, nonceHash: digest(nonce), expiresAtMs, askedAtMs: 0, isAsking: false }
      flows.set(state, flow)
      return { flow, nonce }
    },
    find({ state, intent, sessionId }) {
      forgetExpired()
      const flow = flows.get(state)
      if (flow === undefined || flow.intent !== intent || flow.sessionId !== sessionId) throw expired()
      return flow
    },
    isStartedBy: ({ nonceHash }, nonce) => nonce !== undefined && digest(nonce) === nonceHash,
    tryLock(flow) {
      const nowMs = now()
      if (flow.isAsking || isRecent(flow.askedAtMs, nowMs, ASK_INTERVAL_MS)) return false
      Object.assign(flow, { isAsking: true, askedAtMs: nowMs })
      return true
    },
    unlock(flow, isOver) {
      flow.isAsking = false
      if (isOver) flows.delete(flow.state)
    },
    endPrevious(nonce) {
      if (nonce === undefined) return
      const hash = digest(nonce)
      for (const flow of flows.values()) if (flow.nonceHash === hash) flows.delete(flow.state)
    },
    snapshot: () => [...flows.values()].map(({ askedAtMs: _at, isAsking: _is, ...flow }) => flow),
    restore(snapshot) {
      for (const flow of snapshot) flows.set(flow.state, { ...flow, askedAtMs: 0, isAsking: false })
    },
  }

  function forgetExpired(): void {
    for (const flow of flows.values())
      if (msUntil(flow.expiresAtMs, now(), FLOW_LIFE_MS) === 0) flows.delete(flow.state)
  }
}

export function expired(): PlayheadError {
  return new PlayheadError('PLH_EXPIRED', 'This sign-in was already used, or took too long. Start again.', {
    details: { status: 'expired' },
  })
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const NAME = 'svc_mediaA_flow'
// 24 bytes as base64url.
const VALUE = new RegExp(`(?:^|;\\s*)${NAME}=([A-Za-z0-9_-]{32})(?:;|$)`)

export function readFlowCookie(header: string | undefined): string | undefined {
  return header === undefined ? undefined : VALUE.exec(header)?.[1]
}

export function flowCookie(nonce: string, secure: boolean): string {
  return `${NAME}=${nonce}; ${attributes(secure)}; Max-Age=${FLOW_LIFE_MS / 1_000}`
}

export function clearedFlowCookie(secure: boolean): string {
  return `${NAME}=; ${attributes(secure)}; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT`
}

function attributes(secure: boolean): string {
  return `Path=/api/app-auth/mediaA; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}
