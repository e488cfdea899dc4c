// The whole service with real stand-ins: Jellyfin, Plex, Trakt, SIMKL, the tracker, and TMDB for titles.
import { expectOk, signInToJellyfin, signInToPlex, signInToTrakt } from '../../demo/sign-in.ts'
import { startService } from '../../harness.ts'
import { simklSettings } from '../../stands/simkl.ts'
import { FREE_OF_LIMITS } from '../../stands/stand.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'
import { startPlex } from '../../upstreams/plex.ts'
import { startSimkl } from '../../upstreams/simkl.ts'
import { startTmdb } from '../../upstreams/tmdb.ts'
import { startTrakt } from '../../upstreams/trakt.ts'

export const ALL = ['MEDIAA', 'MEDIAB', 'TRACKA', 'TRACKB', 'SVC'] as const

export interface RealOptions {
  /** Default true. */
  readonly hasKey?: boolean
  readonly directory?: string
}

export type RealWorld = Awaited<ReturnType<typeof startRealWorld>>

export async function startRealWorld({ hasKey = true }: RealOptions = {}) {
  await using stack = new AsyncDisposableStack()
  const size = { movies: 12, shows: 3 }
  const jellyfin = stack.use(await startJellyfin(size))
  const plex = stack.use(await startPlex({ ...size, cloudTitles: 12 }))
  const trakt = stack.use(await startTrakt({ ...size, rateLimits: false }))
  const simkl = stack.use(await startSimkl({ limits: false }))
  const tmdb = stack.use(await startTmdb(size))
  const service = stack.use(
    await startService({ shipped: true, watch: false, environment: { PLAYHEAD_LOG_LEVEL: 'info' } }),
  )
  await signInToJellyfin(service, jellyfin)
  await signInToPlex(service, plex)
  await signInToTrakt(service, trakt)
  await expectOk(service, '/api/config', {
    trackA: { rate_limit: FREE_OF_LIMITS },
    trackB: { ...simklSettings(simkl), max_retries: 1, ...simkl.credentials() },
    metaA: { api_url: tmdb.apiUrl, image_url: tmdb.imageUrl, ...(hasKey ? { api_key: tmdb.apiKey } : {}) },
  })
  const all = stack.move()
  return {
    jellyfin,
    plex,
    trakt,
    simkl,
    tmdb,
    service,
    async mark(body: object): Promise<{ status: number; body: any }> {
      return service.json('/api/manual/watched', { json: body })
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

export const targets = (...providers: readonly string[]) =>
  providers.map((provider) => ({ provider, instance: 'default' }))
/** The results by provider. */
export const byProvider = (body: any): Record<string, any> =>
  Object.fromEntries(body.results.map((result: any) => [result.provider, result]))
