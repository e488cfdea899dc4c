// Sessions that were open when the service ended, restored from the stored viewings.
import { type AccountName, defined, type PlaySession } from '@playhead/sdk'
import type { KnownSession } from './follow.ts'
import type { StoredViewing } from '../store/store.ts'

/** Maximum age of a session. An older viewing is settled without it. */
const MAX_AGE_MS = 6 * 3_600_000

export function rememberedSessions(
  viewings: Iterable<StoredViewing>,
  { provider, instance }: AccountName,
  nowMs: number,
): readonly KnownSession[] {
  const sessions = new Map<string, KnownSession>()
  for (const { destination, viewing } of viewings) {
    const { last, level, item, durationMs, percent, startedAtMs, lastAtMs } = viewing
    const isOpen = level !== 'stopped' && last.method === 'watcher' && nowMs - lastAtMs < MAX_AGE_MS
    if (!isOpen || !destination.startsWith(`${provider}:${instance}>`)) continue
    const { method: _method, session, ...who } = last
    // An earlier person or item of the session may still be open.
    if ((sessions.get(session)?.atMs ?? 0) > lastAtMs) continue
    const open: PlaySession = {
      key: session,
      item,
      state: level,
      ...who,
      ...defined({ durationMs: durationMs ?? undefined }),
      ...(durationMs === null || percent === null ? {} : { positionMs: Math.round((durationMs * percent) / 100) }),
    }
    sessions.set(session, { session: open, sinceMs: startedAtMs, atMs: lastAtMs, remembered: true })
  }
  return [...sessions.values()]
}
