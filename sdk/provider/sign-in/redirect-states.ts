// OAuth-style `state` values: bound to one session, valid for one return within 15 minutes. Consumed before the code
// exchange, so repeated returns have no effect. Other pages can poll the outcome.
import { createHash, randomBytes } from 'node:crypto'
import type { KeyValueStore } from '../../context.ts'
import { PlayheadError } from '../../errors.ts'
import type { FlowState } from './flow-contract.ts'
import { storeBelow } from '../profiles/profile-store.ts'

const LIFE_MS = 15 * 60_000
const INTERVAL_MS = 1_000

export interface RedirectEnding {
  readonly state: 'authorized' | 'denied' | 'failed'
  /** A code: `exchange_failed`. */
  readonly reason?: string
}

export interface RedirectStates {
  /**
   * @param sessionId of the person who starts: `request.caller.session.id`
   * @param instance the profile: `default` or `MEDIAB-P01`
   * @param data for the return: a code verifier, a request token. Plain data
   * @param shown to every page that polls, no secret: `authorize_url`, and `paste` (see `SignInDescription.pasted`)
   * @returns the `state` parameter; 43 characters
   */
  issue(
    sessionId: string,
    instance: string,
    data: Readonly<Record<string, unknown>>,
    shown?: FlowState['shown'],
  ): Promise<string>
  /**
   * Consumes a state and returns the profile and the data. Throws `PLH_EXPIRED` (410, `status: "expired"`) for a state
   * that is unknown, used, expired, of another session, or of a disconnected profile, without saying which.
   */
  take(
    sessionId: string,
    state: string,
  ): Promise<{ readonly instance: string; readonly data: Readonly<Record<string, unknown>> }>
  /** Records the outcome after `take`, for polling pages. */
  end(instance: string, ending: RedirectEnding): Promise<void>
  /** State of the profile's last sign-in; undefined if none was started within 15 minutes. */
  state(instance: string): Promise<FlowState | undefined>
  /**
   * Cancels all pending sign-ins of a profile; true if there was one. The kit calls it on cancel, disconnect and
   * removal.
   */
  cancelAll(instance: string): Promise<boolean>
}

interface Kept {
  readonly session: string
  readonly instance: string
  readonly untilMs: number
  readonly data: Readonly<Record<string, unknown>>
}

/** @param below survives reloads */
export function createRedirectStates(below: KeyValueStore): RedirectStates {
  const store = storeBelow(below, 'state/')
  const last = storeBelow(below, 'last/')

  return {
    async issue(sessionId, instance, data, shown = {}) {
      const state = randomBytes(32).toString('base64url')
      const kept: Kept = { session: digest(sessionId), instance, untilMs: Date.now() + LIFE_MS, data }
      await store.set(digest(state), kept, LIFE_MS)
      const begun: FlowState = {
        method: 'oauth',
        state: 'pending',
        shown,
        startedAtMs: Date.now(),
        expiresAtMs: kept.untilMs,
        intervalMs: INTERVAL_MS,
      }
      await last.set(instance, begun, 2 * LIFE_MS)
      return state
    },
    async take(sessionId, state) {
      const kept = await store.get<Kept>(digest(state))
      // Of two concurrent returns only one deletes it.
      const isMine = kept !== undefined && kept.session === digest(sessionId) && (await store.delete(digest(state)))
      if (isMine && kept.untilMs > Date.now()) return { instance: kept.instance, data: kept.data }
      throw new PlayheadError('PLH_EXPIRED', 'This sign-in was already used, or took too long. Start again.', {
        details: { status: 'expired' },
      })
    },
    async end(instance, ending) {
      const begun = await last.get<FlowState>(instance)
      if (begun !== undefined) await last.set(instance, { ...begun, ...ending }, LIFE_MS)
    },
    async state(instance) {
      const known = await last.get<FlowState>(instance)
      return known?.state === 'pending' && known.expiresAtMs <= Date.now() ? { ...known, state: 'expired' } : known
    },
    async cancelAll(instance) {
      const ended: string[] = []
      for await (const [key, kept] of store.entries<Kept>()) if (kept.instance === instance) ended.push(key)
      for (const key of ended) await store.delete(key)
      await last.delete(instance)
      return ended.length > 0
    },
  }
}

// Only digests are stored, so leaked storage contains no usable state.
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
