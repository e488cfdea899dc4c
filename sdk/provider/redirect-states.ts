// The state of a sign-in that leads over a page of the service and back: issued to one session, good for one return within a quarter of an
// hour. It is taken away before anything is exchanged, so that an address that is opened twice does nothing the second time.
import { createHash, randomBytes } from 'node:crypto'
import type { KeyValueStore } from '../context.ts'
import { PlayheadError } from '../errors.ts'

const LIFE_MS = 15 * 60_000

export interface RedirectStates {
  /**
   * @param sessionId of the person who begins: `request.caller.session.id`
   * @param data what the return needs: the profile, a code verifier, a request token. Plain data
   * @returns the state to be put into the address; 43 characters
   */
  issue(sessionId: string, data: Readonly<Record<string, unknown>>): Promise<string>
  /**
   * Gives the data back, once. Throws `PLH_EXPIRED` (410, `status: "expired"`) for a state that is unknown, used, too old, or of
   * another session: which of them is not told.
   */
  take(sessionId: string, state: string): Promise<Readonly<Record<string, unknown>>>
}

interface Kept {
  readonly session: string
  readonly untilMs: number
  readonly data: Readonly<Record<string, unknown>>
}

/** @param store `ctx.store` of the plugin, so that a reload in between does no harm */
export function createRedirectStates(store: KeyValueStore): RedirectStates {
  return {
    async issue(sessionId, data) {
      const state = randomBytes(32).toString('base64url')
      await store.set(keyOf(state), { session: digest(sessionId), untilMs: Date.now() + LIFE_MS, data } satisfies Kept, LIFE_MS)
      return state
    },
    async take(sessionId, state) {
      const kept = await store.get<Kept>(keyOf(state))
      // Of two returns at the same time one deletes it.
      const isMine = kept !== undefined && kept.session === digest(sessionId) && await store.delete(keyOf(state))
      if (isMine && kept.untilMs > Date.now()) return kept.data
      throw new PlayheadError('PLH_EXPIRED', 'This sign-in was used already or took too long. Start it again.', {
        details: { status: 'expired' },
      })
    },
  }
}

// Whoever reads the storage does not get a state that still works.
function keyOf(state: string): string {
  return `kit/redirect/${digest(state)}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
