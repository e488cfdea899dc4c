// The state of a sign-in that leads over a page of the service and back: issued to one session, good for one return
// within a quarter of an hour. It is taken away before anything is exchanged, so that an address that is opened twice
// does nothing the second time. How it ended is told to whoever waits for it on another page.
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

/** What stands in the address that a service sends the browser back to; what is missing is empty. */
export interface RedirectReturn {
  readonly code: string
  readonly state: string
  /** Why there is no code: `access_denied` when the person said no (RFC 6749, 4.1.2.1). */
  readonly error: string
}

/** How a sign-in ended that comes back without a code; undefined: it has not ended. */
export function refusalIn({ error }: Pick<RedirectReturn, 'error'>): RedirectEnding | undefined {
  if (error === '') return undefined
  return error === 'access_denied' ? { state: 'denied' } : { state: 'failed', reason: 'exchange_failed' }
}

export interface RedirectStates {
  /**
   * @param sessionId of the person who begins: `request.caller.session.id`
   * @param instance the profile that is signed in: `default` or `MEDIAB-P01`
   * @param data what else the return needs: a code verifier, a request token. Plain data
   * @returns the state to be put into the address; 43 characters
   */
  issue(sessionId: string, instance: string, data: Readonly<Record<string, unknown>>): Promise<string>
  /**
   * Gives the profile and the data back, once. Throws `PLH_EXPIRED` (410, `status: "expired"`) for a state that is
   * unknown, used, too old, of another session, or whose profile was disconnected or removed meanwhile: which of them
   * is not told.
   */
  take(
    sessionId: string,
    state: string,
  ): Promise<{ readonly instance: string; readonly data: Readonly<Record<string, unknown>> }>
  /** To be called after `take`, with what came of it: the page where the person began is told. */
  end(instance: string, ending: RedirectEnding): Promise<void>
  /** How the last sign-in of a profile stands; undefined when none was begun within a quarter of an hour. */
  state(instance: string): Promise<FlowState | undefined>
  /**
   * Ends all sign-ins of a profile whose browser has not returned; true when there was one. The kit does it when the
   * person gives up, and when the profile is disconnected or removed.
   */
  cancelAll(instance: string): Promise<boolean>
}

interface Kept {
  readonly session: string
  readonly instance: string
  readonly untilMs: number
  readonly data: Readonly<Record<string, unknown>>
}

/** @param below outlives the version of the plugin, so that a reload in between does no harm */
export function createRedirectStates(below: KeyValueStore): RedirectStates {
  const store = storeBelow(below, 'state/')
  const last = storeBelow(below, 'last/')

  return {
    async issue(sessionId, instance, data) {
      const state = randomBytes(32).toString('base64url')
      const kept: Kept = { session: digest(sessionId), instance, untilMs: Date.now() + LIFE_MS, data }
      await store.set(digest(state), kept, LIFE_MS)
      const begun: FlowState = {
        method: 'oauth',
        state: 'pending',
        shown: {},
        startedAtMs: Date.now(),
        expiresAtMs: kept.untilMs,
        intervalMs: INTERVAL_MS,
      }
      await last.set(instance, begun, 2 * LIFE_MS)
      return state
    },
    async take(sessionId, state) {
      const kept = await store.get<Kept>(digest(state))
      // Of two returns at the same time one deletes it.
      const isMine = kept !== undefined && kept.session === digest(sessionId) && (await store.delete(digest(state)))
      if (isMine && kept.untilMs > Date.now()) return { instance: kept.instance, data: kept.data }
      throw new PlayheadError('PLH_EXPIRED', 'This sign-in was used already or took too long. Start it again.', {
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

// Whoever reads the storage does not get a state that still works.
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
