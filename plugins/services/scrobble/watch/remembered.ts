// Sessions that were open when the service ended, from the stored viewings.
import type { AccountName, PlaySession } from '@playhead/sdk'
import type { StoredViewing } from '../store/store.ts'

/** A session cannot be older: after this its viewing is settled without it. */
const MAX_AGE_MS = 6 * 3_600_000

export function rememberedSessions(
  viewings: Iterable<StoredViewing>,
  { provider, instance }: AccountName,
  nowMs: number,
): readonly PlaySession[] {
  const sessions = new Map<string, PlaySession>()
  for (const { destination, viewing } of viewings) {
    const { last, level, item, durationMs, percent, lastAtMs } = viewing
    const isOpen = level !== 'stopped' && last.method === 'watcher' && nowMs - lastAtMs < MAX_AGE_MS
    if (!isOpen || !destination.startsWith(`${provider}:${instance}>`)) continue
    const { method: _method, session, ...who } = last
    sessions.set(session, {
      key: session,
      item,
      state: level,
      ...who,
      ...(durationMs === null ? {} : { durationMs }),
      ...(durationMs === null || percent === null ? {} : { positionMs: Math.round((durationMs * percent) / 100) }),
    })
  }
  return [...sessions.values()]
}
