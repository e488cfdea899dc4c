// Helpers for scrobbler tests: settings of a lane, and observations of one person.
import type { Item } from '@playhead/sdk'
import { NO_FILTERS } from '../../../plugins/services/scrobble/config/effective.ts'
import type { Lane, Observation, Thresholds } from '../../../plugins/services/scrobble/contract.ts'
import { observe } from '../../../plugins/services/scrobble/decide/observe.ts'
import type { EarlierPlay, Verdict, Viewing } from '../../../plugins/services/scrobble/decide/viewing.ts'

export const MINUTE_MS = 60_000
export const START_MS = Date.UTC(2026, 4, 2, 18)

export const THRESHOLDS: Thresholds = {
  watchedAt: 90,
  forceStopAt: 95,
  progressStep: 25,
  stopPauseThreshold: 80,
  regressTolerance: 5,
  suppressStartAt: 99,
  pauseDebounceMs: 5_000,
  guardAutoplayMs: 0,
  startGuardMinProgress: 0,
}

export const movie = (n = 1): Item => ({
  type: 'movie',
  title: `Film ${n}`,
  year: 2031,
  ids: { tmdb: String(9_900_000 + n) },
  native: { item_id: `item-${n}` },
})

export const LANE: Lane = {
  id: 'R1',
  method: 'watcher',
  source: { provider: 'MEDIAA', instance: 'default' },
  sink: { provider: 'TRACKA', instance: 'default' },
  filters: NO_FILTERS,
  libraries: [],
  thresholds: THRESHOLDS,
  autoRemove: false,
}

export function seen(change: Partial<Observation> = {}): Observation {
  return {
    method: 'webhook',
    source: LANE.source,
    kind: 'event',
    state: 'playing',
    atMs: START_MS,
    session: 's1',
    item: movie(),
    account: { id: '1', name: 'mira', relation: 'own' },
    deviceId: 'tv',
    durationMs: 100 * MINUTE_MS,
    ...change,
  }
}

/** A series of observations of one viewing, and the result of each. */
export function createScript(thresholds: Thresholds = THRESHOLDS) {
  let viewing: Viewing | undefined
  let atMs = START_MS
  const plays: EarlierPlay[] = []
  return {
    get viewing() {
      return viewing
    },
    /** @param waitMs time since the last one */
    next(waitMs: number, change: Partial<Observation>): Verdict {
      atMs += waitMs
      const verdict = observe(viewing, seen({ ...change, atMs }), thresholds, plays)
      viewing = verdict.viewing
      for (const emission of [verdict.closing, verdict.emission])
        if (emission?.completed === true) {
          const { startedAtMs, atMs: endedAtMs, countsAtMs, whole } = emission
          plays.push({ startedAtMs, endedAtMs, countsAtMs, whole })
        }
      return verdict
    },
    at: (percent: number): Pick<Observation, 'positionMs'> => ({ positionMs: percent * MINUTE_MS }),
  }
}

export function short({ outcome, reason, emission, percent }: Verdict): string {
  if (emission === undefined) return `${outcome}:${reason ?? ''}`
  return `${emission.completed ? 'watched' : emission.action}${emission.seek ? ' (seek)' : ''} ${percent}`
}
