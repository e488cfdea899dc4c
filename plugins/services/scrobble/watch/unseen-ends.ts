// Queries the media server about sessions whose end was not observed because Playhead or the connection was down: a play that
// the server recorded within the viewing is its end.
import { type Logger, isPlayheadError, type Provider, type Remote, usableLimit } from '@playhead/sdk'
import { parseTime } from '@playhead/sdk/items'
import type { Observation } from '../contract.ts'
import { toShared } from '../deliver/attempt.ts'

type History = Remote<Required<Pick<Provider, 'plays'>>>

const LIMIT_MS = 30_000
/** Clocks differ, and some servers store when playback began. */
const SLACK_MS = 2 * 60_000

/** The observation, completed if the server recorded a play. */
export function createUnseenEnds({
  provider,
  log,
}: {
  readonly provider: (id: string) => History | undefined
  readonly log: Logger
}): (observation: Observation) => Promise<Observation> {
  return async (observation) => {
    const { unseen, completed, account, source, item, atMs } = observation
    // The history belongs to the profile's own user.
    if (unseen === undefined || completed === true || account.relation !== 'own') return observation
    try {
      using limit = usableLimit(LIMIT_MS)
      const plays = await provider(source.provider)?.plays(
        source.instance,
        { item: toShared(item), fromMs: unseen.sinceMs - SLACK_MS, toMs: atMs },
        limit.signal,
      )
      const times = (plays ?? []).flatMap(({ watched_at: at }) => parseTime(at)?.atMs ?? [])
      if (times.length === 0) return observation
      log.info({ ...source, title: item.series_title ?? item.title ?? null }, 'watched while the end was not observed')
      // Clamp to the last report: some servers store the start time.
      const endedAtMs = Math.min(Math.max(...times, unseen.lastAtMs), atMs)
      return { ...observation, kind: 'event', completed: true, atMs: endedAtMs }
    } catch (error) {
      if (!isPlayheadError(error) && !(error instanceof DOMException)) throw error
      log.info({ ...source, err: error }, 'could not determine whether an item was watched meanwhile')
      return observation
    }
  }
}
