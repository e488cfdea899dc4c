// Shared by the tests of the SIMKL plugin: the plugin in a host, signed in at a stand-in.
import type { Item } from '@playhead/sdk'
import { createTestAccounts } from '@playhead/sdk/testing'
import { definition } from '../../../plugins/providers/simkl/index.ts'
import { simklSettings } from '../../stands/simkl.ts'
import { MINUTE_BEHIND } from '../../stands/stand.ts'
import { type SimklOptions, startSimkl, type Work } from '../../upstreams/simkl.ts'
import { openBench, type SignInOptions, shippedManifest, withKit } from '../provider-bench.ts'

export { codeOf } from '../provider-bench.ts'

export type Bench = Awaited<ReturnType<typeof startBench>>

export async function startBench({
  settings = {},
  signedIn = true,
  ships = false,
  clock,
  ...options
}: SimklOptions & Omit<SignInOptions, 'capabilities'> = {}) {
  // Times of changes are in seconds, so only a slightly older change is certain.
  const simkl = await startSimkl({ limits: false, nowMs: MINUTE_BEHIND, ...options })
  const accounts = createTestAccounts()
  const { plugin, kit } = withKit(definition)
  const manifest = shippedManifest('simkl', ships ? simkl.clientId : undefined)
  const config = { ...simklSettings(simkl), ...(signedIn ? simkl.credentials() : {}) }
  const capabilities = { accounts }
  const bench = await openBench(simkl, 'TRACKB', { plugin, manifest }, config, { settings, capabilities, clock })
  return {
    ...bench,
    simkl,
    accounts,
    get kit() {
      return kit()
    },
    post: (path: string, payload?: object) => bench.call('POST', path, payload),
    /** Advances the clock, so that the next change has a later time and is read again. */
    later() {
      simkl.advance(2_000)
      kit().session('default').activities.drop()
    },
    /** Method and path of the requests since the last call. */
    asked: () => bench.since().map(({ method, path }) => `${method} ${path}`),
  }
}

/** A work of the stand-in as an item of another provider. */
export function itemOf(work: Work, more: Partial<Item> = {}): Item {
  const { mal: _mal, anidb: _anidb, ...ids } = work.ids
  const isFilm = work.part === 'movies' || work.animeType === 'movie'
  return { type: isFilm ? 'movie' : 'show', ids: ids as Item['ids'], ...more }
}

/** An episode identified by its show and its numbers. */
export function episodeOf(work: Work, season: number, episode: number, more: Partial<Item> = {}): Item {
  return { type: 'episode', ids: {}, show_ids: itemOf(work).ids, season, episode, ...more }
}
