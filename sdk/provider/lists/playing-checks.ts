// Validates playback sessions: inconsistent ones are dropped, not corrected.
import type { Logger } from '../../context.ts'
import { kindOf } from '../../items/kind.ts'
import type { PlaySession } from '../contract.ts'

const STATES: readonly unknown[] = ['playing', 'paused', 'buffering'] satisfies PlaySession['state'][]

/** The valid sessions, one per key. A cover that may contain a secret is removed. */
export function checkedSessions(sessions: readonly PlaySession[], log: Logger): readonly PlaySession[] {
  const seen = new Set<string>()
  return sessions.flatMap((session) => {
    const fault = faultOf(session) ?? (seen.has(session.key) ? 'repeated_key' : undefined)
    if (fault !== undefined) {
      log.debug({ reason: fault }, 'something that is said to be playing is left out')
      return []
    }
    seen.add(session.key)
    const { cover, ...rest } = session
    return [cover === undefined || isOpenAddress(cover) ? session : rest]
  })
}

function faultOf({ key, item, state, positionMs, durationMs, account }: PlaySession): string | undefined {
  const kind = kindOf(item)
  if (kind !== 'movie' && kind !== 'episode') return 'unsupported_type'
  if (key === '' || account.id === '') return 'unnamed'
  if (!STATES.includes(state)) return 'unknown_state'
  if (durationMs !== undefined && !(Number.isInteger(durationMs) && durationMs >= 1)) return 'invalid_duration'
  if (positionMs !== undefined && !(Number.isInteger(positionMs) && positionMs >= 0)) return 'invalid_position'
  return positionMs !== undefined && durationMs !== undefined && positionMs > durationMs
    ? 'position_behind_end'
    : undefined
}

function isOpenAddress(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.search === ''
  )
}
