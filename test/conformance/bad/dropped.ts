// Providers that report dropped shows incorrectly. Each fails exactly the check of its fault.
import { type Item, isPlayheadError } from '@playhead/sdk'
import trakt from '../../../plugins/providers/trakt/index.ts'
import traktAdapter from '../adapters/trakt.ts'
import { type Bad, spoil } from './spoil.ts'

const checks = ['dropped.told', 'dropped.failing', 'dropped.unconfigured']
const of = { folder: 'trakt', adapter: traktAdapter, checks }

type Told = (instance: string, signal?: AbortSignal) => Promise<readonly Item[]>
const bad = (habit: string, fails: readonly string[], change: (good: Told) => Told): Bad => ({
  habit,
  fails,
  of,
  plugin: spoil(trakt, {
    provider: (good) => ({ droppedShows: change((...args) => good.droppedShows?.(...args) ?? Promise.resolve([])) }),
  }),
})

export const badDroppers: readonly Bad[] = [
  bad(
    'tells a part of what was dropped',
    ['dropped.told'],
    (good) =>
      async (...args) =>
        (await good(...args)).slice(0, 1),
  ),
  bad('never forgets what was dropped', ['dropped.told'], (good) => {
    const kept = new Map<string, Item>()
    return async (...args) => {
      for (const show of await good(...args)) kept.set(JSON.stringify(show.ids), show)
      return [...kept.values()]
    }
  }),
  bad(
    'takes a failed list for an empty one',
    ['dropped.failing'],
    emptyWhere((error) => isPlayheadError(error) && !isPlayheadError(error, 'PLH_NOT_READY')),
  ),
  bad(
    'takes a profile without a sign-in for one where nothing was dropped',
    ['dropped.unconfigured'],
    emptyWhere((error) => isPlayheadError(error, 'PLH_NOT_READY')),
  ),
]

function emptyWhere(isMeant: (error: unknown) => boolean): (good: Told) => Told {
  return (good) =>
    async (...args) => {
      try {
        return await good(...args)
      } catch (error) {
        if (!isMeant(error)) throw error
        return []
      }
    }
}
