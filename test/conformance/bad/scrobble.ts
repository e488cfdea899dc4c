// Faults in recording plays.
import {
  isPlayheadError,
  type Item,
  type PlaysRequest,
  type Provider,
  type ScrobbleRequest,
  type ScrobbleResult,
} from '@playhead/sdk'
import trakt from '../../../plugins/providers/trakt/index.ts'
import traktAdapter from '../adapters/trakt.ts'
import { type Bad, spoil } from './spoil.ts'

const checks = [
  'scrobble.play',
  'scrobble.no-play',
  'scrobble.already',
  'scrobble.refused',
  'scrobble.unknown-item',
  'scrobble.lost',
  'scrobble.broken',
  'scrobble.limited',
  'scrobble.failing',
  'scrobble.unconfigured',
]
const of = { folder: 'trakt', adapter: traktAdapter, checks }

interface Good {
  scrobble(request: ScrobbleRequest): Promise<ScrobbleResult>
  plays(request: PlaysRequest): Promise<readonly Item[]>
}

const bad = (habit: string, fails: readonly string[], change: (good: Good) => Partial<Good>): Bad => ({
  habit,
  fails: fails.map((name) => `scrobble.${name}`),
  of,
  plugin: spoil(trakt, {
    provider(good): Partial<Provider> {
      const { scrobble: send, plays: find } = good
      if (send === undefined || find === undefined) throw new TypeError('it records no plays')
      const changed = (instance: string): Good => {
        const own: Good = {
          scrobble: (request) => send(instance, request),
          plays: (request) => find(instance, request),
        }
        return { ...own, ...change(own) }
      }
      return {
        scrobble: (instance, request) => changed(instance).scrobble(request),
        plays: (instance, request) => changed(instance).plays(request),
      }
    },
  }),
})

const withResult = (change: (result: ScrobbleResult) => ScrobbleResult) => (good: Good) => ({
  scrobble: async (request: ScrobbleRequest) => change(await good.scrobble(request)),
})
const withRequest = (change: (request: ScrobbleRequest) => ScrobbleRequest) => (good: Good) => ({
  scrobble: (request: ScrobbleRequest) => good.scrobble(change(request)),
})

export const badRecorders: readonly Bad[] = [
  bad(
    'hopes that a lost play was recorded',
    ['lost', 'broken'],
    withResult((result) => (result.outcome === 'unknown' ? { outcome: 'applied' } : result)),
  ),
  bad('sends a lost play again', ['lost'], (good) => ({
    async scrobble(request) {
      const result = await good.scrobble(request)
      return result.outcome === 'unknown' ? good.scrobble(request) : result
    },
  })),
  bad(
    'takes every stop for a play',
    ['no-play'],
    withRequest((request) => ({ ...request, completed: request.action === 'stop' })),
  ),
  bad(
    'leaves plays to the percentage of the service',
    ['play', 'lost'],
    withRequest((request) => ({ ...request, completed: request.completed && request.percent >= 80 })),
  ),
  bad(
    'says that it has everything already',
    ['play', 'already', 'failing'],
    withResult((result) =>
      result.outcome === 'applied' && result.play !== undefined ? { outcome: 'already' } : result,
    ),
  ),
  bad(
    'accepts what it cannot name',
    ['refused'],
    withResult((result) => (result.outcome === 'unsupported' ? { outcome: 'applied' } : result)),
  ),
  bad(
    'takes what is unknown for done',
    ['unknown-item'],
    withResult((result) => (result.outcome === 'not_found' ? { outcome: 'already' } : result)),
  ),
  bad(
    'forgets how long to wait',
    ['limited'],
    withResult(({ retryAfterMs: _wait, ...result }) => result),
  ),
  bad('takes a failure for an empty history', ['failing', 'unconfigured'], (good) => ({
    async plays(request) {
      try {
        return await good.plays(request)
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        return []
      }
    },
  })),
  bad('records again what is there already', ['already'], (good) => ({
    async scrobble(request) {
      const result = await good.scrobble(request)
      if (result.outcome === 'already') await good.scrobble({ ...request, percent: 55 })
      return result
    },
  })),
  bad('finds what nobody watched', ['play', 'no-play', 'broken', 'failing', 'unconfigured'], () => ({
    plays: async ({ item }) => [item],
  })),
]
