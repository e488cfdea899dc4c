// Faults in reporting playback.
import { isPlayheadError, type PlaySession, type Provider } from '@playhead/sdk'
import jellyfin from '../../../plugins/providers/jellyfin/index.ts'
import jellyfinAdapter from '../adapters/jellyfin.ts'
import { type Bad, spoil } from './spoil.ts'

const checks = ['playing.own', 'playing.over', 'playing.failing', 'playing.unconfigured']
const of = { folder: 'jellyfin', adapter: jellyfinAdapter, checks }

type Playing = NonNullable<Provider['playing']>
const bad = (habit: string, fails: readonly string[], change: (good: Playing) => Playing): Bad => ({
  habit,
  fails,
  of,
  plugin: spoil(jellyfin, {
    provider: (good) => ({ playing: change((...args) => good.playing?.(...args) ?? Promise.resolve([])) }),
  }),
})

export const badPlayers: readonly Bad[] = [
  bad(
    'tells what others play as well',
    ['playing.own'],
    (good) =>
      async (...args) =>
        (await good(...args)).flatMap((session) => [
          session,
          {
            ...session,
            key: `${session.key} too`,
            account: { id: 'somebody', name: 'Somebody', relation: 'own' as const },
          },
        ]),
  ),
  bad(
    'makes a position up',
    ['playing.own'],
    (good) =>
      async (...args) =>
        (await good(...args)).map((session) => ({ ...session, positionMs: 1 })),
  ),
  bad('never forgets what played', ['playing.over'], (good) => {
    const kept = new Map<string, readonly PlaySession[]>()
    return async (instance, options, signal) => {
      const told = await good(instance, options, signal)
      if (told.length > 0) kept.set(instance, told)
      return kept.get(instance) ?? []
    }
  }),
  bad('takes a failure for silence', ['playing.failing', 'playing.unconfigured'], (good) => async (...args) => {
    try {
      return await good(...args)
    } catch (error) {
      if (!isPlayheadError(error)) throw error
      return []
    }
  }),
]
