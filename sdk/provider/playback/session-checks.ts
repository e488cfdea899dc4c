// Validates playback sessions: inconsistent ones are dropped, not corrected.
import type { Logger } from '../../logger.ts'
import { kindOf } from '../../items/kind.ts'
import type { PlaySession } from './playback.ts'

const STATES: readonly unknown[] = ['playing', 'paused', 'buffering'] satisfies PlaySession['state'][]

/** The valid current sessions, one per key. A cover that may contain a secret is removed. */
export function checkedSessions(sessions: readonly PlaySession[], log: Logger): readonly PlaySession[] {
  const seen = new Set<string>()
  return sessions.flatMap((session) => {
    const fault = seen.has(session.key) ? 'repeated_key' : STATES.includes(session.state) ? undefined : 'unknown_state'
    const checked = fault === undefined ? checkedSession(session, log) : drop(fault, log)
    if (checked === undefined) return []
    seen.add(session.key)
    return [checked]
  })
}

/** The session, which may have ended; undefined if it is inconsistent. */
export function checkedSession(session: PlaySession, log: Logger): PlaySession | undefined {
  const fault = faultOf(session)
  if (fault !== undefined) return drop(fault, log)
  const { cover, ...rest } = session
  return cover === undefined || isOpenAddress(cover) ? session : rest
}

function drop(reason: string, log: Logger): undefined {
  log.debug({ reason }, 'something that is said to be playing is left out')
  return undefined
}

function faultOf({ key, item, state, positionMs, durationMs, percent, account }: PlaySession): string | undefined {
  const kind = kindOf(item)
  if (kind !== 'movie' && kind !== 'episode') return 'unsupported_type'
  if (key === '' || account.id === '') return 'unnamed'
  if (state !== 'stopped' && !STATES.includes(state)) return 'unknown_state'
  if (percent !== undefined && !(percent >= 0 && percent <= 100)) return 'invalid_percent'
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
