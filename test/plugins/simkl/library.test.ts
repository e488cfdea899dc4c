// For any changes between reads, the known state equals that of a full read.
import fc, { runsOf } from '../../fast-check.ts'
import type { Feature, Item } from '@playhead/sdk'
import t from 'tap'
import { startBench, type Bench } from './support.ts'

const FEATURES = ['watchlist', 'history', 'ratings'] as const
const STATUSES = ['plantowatch', 'watching', 'completed', 'hold', 'dropped'] as const
const DAY_MS = 86_400_000

type Action = readonly [
  name: 'plan' | 'watch' | 'episode' | 'move' | 'remove' | 'rate' | 'unrate',
  part: 'movie' | 'show' | 'anime',
  index: number,
  value: number,
]

const action = fc.tuple(
  fc.constantFrom<Action[0]>('plan', 'watch', 'episode', 'move', 'remove', 'rate', 'unrate'),
  fc.constantFrom<Action[1]>('movie', 'movie', 'show', 'anime'),
  fc.nat(3),
  fc.integer({ min: 1, max: 10 }),
)

function act({ simkl }: Bench, [name, part, index, value]: Action): void {
  const { user } = simkl
  const work = part === 'anime' ? simkl.anime(index % 3) : simkl[part](index)
  const hasEpisodes = work.episodes.length > 0
  const longAgo = simkl.nowMs() - value * 30 * DAY_MS
  switch (name) {
    // Planned again, it keeps its status, and a later planning time leaves no trace.
    case 'plan':
      return user.entry(work)?.status === 'plantowatch' ? undefined : user.plan(work, longAgo)
    // A second, older time of a film leaves no trace until the next full read.
    case 'watch':
      return hasEpisodes || user.entry(work)?.watchedAtMs !== undefined
        ? undefined
        : user.watch(work, user.entry(work)?.status === 'completed' ? simkl.nowMs() : longAgo)
    case 'episode':
      return hasEpisodes ? user.watchEpisode(work, 1, 1 + (value % 4)) : undefined
    case 'move':
      return user.entry(work) === undefined
        ? undefined
        : user.move(work, STATUSES[value % 5] as (typeof STATUSES)[number])
    case 'remove':
      return user.remove(work)
    case 'rate':
      return user.rate(work, value, longAgo)
    case 'unrate':
      return user.rate(work, undefined)
  }
}

async function known(bench: Bench, feature: Feature, instance?: string): Promise<Item[]> {
  return [...(await bench.read(feature, {}, instance)).rows].toSorted((a, b) =>
    String(a.native?.item_id).localeCompare(String(b.native?.item_id)),
  )
}

t.test('an incremental update of the library equals a full read', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      async (rounds) => {
        await using bench = await startBench({ movies: 4, shows: 4 })
        const other = await bench.provider.createProfile({})
        await bench.provider.saveProfile(other, { api_url: bench.simkl.url, access_token: bench.simkl.signIn() })
        for (const actions of rounds) {
          bench.later()
          for (const one of actions) act(bench, one)
          const views = []
          for (const feature of FEATURES) views.push(await known(bench, feature))
          // A new session has no cached state.
          await bench.kit.forget(other)
          const whole = []
          for (const feature of FEATURES) whole.push(await known(bench, feature, other))
          if (JSON.stringify(views) !== JSON.stringify(whole))
            throw new Error(`${JSON.stringify(views)} is not ${JSON.stringify(whole)}`)
        }
      },
    ),
    { numRuns: runsOf(40) },
  )
  t.pass()
})
