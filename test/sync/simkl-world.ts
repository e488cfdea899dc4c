// The SIMKL stand-in and Playhead's own tracker, paired in the whole service.
import { expectOk, runToEnd } from '../demo/sign-in.ts'
import { startService, type Service } from '../harness.ts'
import { simklSettings } from '../stands/simkl.ts'
import { MINUTE_BEHIND } from '../stands/stand.ts'
import { type Simkl, startSimkl, type Work } from '../upstreams/simkl.ts'

export const ON = { enabled: true, add: true, remove: true }
const DAY_MS = 86_400_000
export const FEATURES = { watchlist: ON, history: ON, ratings: { ...ON, mode: 'all' }, progress: ON }

export async function connected(features: object = FEATURES, mode = 'two_way') {
  const stack = new AsyncDisposableStack()
  // A moment behind, so that events are in the past.
  const simkl = stack.use(await startSimkl({ limits: false, nowMs: MINUTE_BEHIND }))
  const service = stack.use(await startService({ shipped: true, watch: false }))
  await expectOk(service, '/api/config', {
    trackB: { ...simklSettings(simkl), max_retries: 1, ...simkl.credentials() },
  })
  const { id } = await expectOk(service, '/api/pairs', {
    source: 'TRACKB',
    target: 'SVC',
    mode,
    enabled: true,
    features,
  })
  return { stack, simkl, service, pairId: String(id) }
}

export function fill({ user, movie, show, anime, nowMs }: Simkl): void {
  const daysAgo = (days: number) => nowMs() - days * DAY_MS
  for (let index = 0; index < 12; index += 1) user.watch(movie(index), daysAgo(100 + index))
  for (let index = 12; index < 18; index += 1) user.plan(movie(index), daysAgo(50 + index))
  for (let number = 1; number <= 4; number += 1) user.watchEpisode(show(0), 1, number, daysAgo(40 - number))
  for (const [index, work] of [movie(0), movie(1), show(0)].entries()) user.rate(work, 6 + index, daysAgo(20))
  user.watchEpisode(anime(1), 1, 3, daysAgo(10))
  user.pause(movie(30), 42, undefined, daysAgo(1))
}

export const planned = (summary: any): number =>
  summary.pairs.flatMap((pair: any) => pair.features).reduce((sum: number, feature: any) => sum + feature.planned, 0)
export const ofFeature = (summary: any, name: string) =>
  summary.pairs[0].features.find(({ feature }: { feature: string }) => feature === name)
export const statusOf = ({ user }: Simkl, work: Work) => user.entry(work)?.status

export async function settled(service: Service, simkl: Simkl): Promise<any> {
  simkl.advance(2_000)
  return runToEnd(service)
}
