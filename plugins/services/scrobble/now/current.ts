// Current playback according to watchers and webhooks.
import type { PlaySession } from '@playhead/sdk'
import type { Method, Observation } from '../contract.ts'
import { isSameItem, personOf } from '../decide/viewing.ts'

/** A session for display. */
export interface Shown {
  readonly provider: string
  readonly instance: string
  readonly method: Method | 'poll'
  readonly session: PlaySession
  /** When the item was first seen in this session, epoch milliseconds. */
  readonly sinceMs: number
  /** When the session was reported. */
  readonly atMs: number
}

export interface Current {
  /** @param accepted a route accepts the session; sessions of people without a route are hidden */
  update(observation: Observation, accepted: boolean): void
  rows(): readonly Shown[]
  clear(): void
}

interface CurrentOptions {
  readonly now: () => number
  readonly heartbeatMs: () => number
  readonly changed: () => void
}

/** Older reports are not shown. */
const MAX_AGE_MS = 600_000
/** Assumed length of a film of unknown length. */
const MAX_PLAYING_MS = 3 * 3_600_000
const MAX_ROWS = 2_000
const SEEK_MS = 60_000

export function createCurrent({ now, heartbeatMs, changed }: CurrentOptions): Current {
  const rows = new Map<string, Shown>()

  return {
    update(observation, accepted) {
      const { source, method } = observation
      const key = JSON.stringify([
        source.provider,
        source.instance,
        personOf(observation),
        observation.deviceId ?? observation.session,
      ])
      const before = rows.get(key)
      if (!accepted || observation.state === 'stopped') {
        // A late stop of the previous item must not hide the next item.
        if (before === undefined || !isSameItem(before.session.item, observation.item)) return
        rows.delete(key)
        return changed()
      }
      const session = toSession(observation)
      const isSame = before !== undefined && isSameItem(before.session.item, session.item)
      rows.delete(key)
      rows.set(key, {
        ...source,
        method: isSame && before.method === 'watcher' ? 'watcher' : method,
        session: isSame ? { ...before.session, ...session } : session,
        sinceMs: isSame ? before.sinceMs : observation.atMs,
        atMs: observation.atMs,
      })
      for (const oldest of rows.keys()) {
        if (rows.size <= MAX_ROWS) break
        rows.delete(oldest)
      }
      if (!isSame || before.session.state !== session.state || isSeek(before, session)) changed()
    },
    rows() {
      const nowMs = now()
      for (const [key, row] of rows) if (nowMs > endOf(row)) rows.delete(key)
      return [...rows.values()].map((row) => ({ ...row, atMs: refreshed(row, nowMs, heartbeatMs()) }))
    },
    clear() {
      rows.clear()
      changed()
    },
  }
}

/** Webhooks send no reports between a start and a stop, so a playing item is shown until it must have ended. */
function endOf({ method, session: { state, positionMs = 0, durationMs }, atMs }: Shown): number {
  if (method !== 'webhook' || state !== 'playing') return atMs + MAX_AGE_MS
  return atMs + (durationMs === undefined ? MAX_PLAYING_MS : Math.max(0, durationMs - positionMs)) + MAX_AGE_MS
}

function refreshed({ method, session: { state }, atMs }: Shown, nowMs: number, heartbeatMs: number): number {
  if (method !== 'webhook' || state !== 'playing' || nowMs < atMs) return atMs
  return nowMs - ((nowMs - atMs) % heartbeatMs)
}

function isSeek({ session }: Shown, { positionMs }: PlaySession): boolean {
  return positionMs !== undefined && Math.abs(positionMs - (session.positionMs ?? positionMs)) > SEEK_MS
}

function toSession({ method: _m, kind: _k, source: _s, atMs: _a, session, ...rest }: Observation): PlaySession {
  return { key: session, ...rest }
}
