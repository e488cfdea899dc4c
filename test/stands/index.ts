// All stand-ins, by provider. The tracker has none: its accounts are in the database of the service.
import { anilistStand } from './anilist.ts'
import { mdblistStand } from './mdblist.ts'
import { embyStand, jellyfinStand } from './media-browser.ts'
import { nuvioStand } from './nuvio.ts'
import { plexStand } from './plex.ts'
import { publicmetadbStand } from './publicmetadb.ts'
import { simklStand } from './simkl.ts'
import type { Stand } from './stand.ts'
import { tautulliStand } from './tautulli.ts'
import { tmdbStand } from './tmdb.ts'
import { traktStand } from './trakt.ts'

export const STANDS = {
  MEDIAA: plexStand,
  MEDIAB: jellyfinStand,
  MEDIAC: embyStand,
  TRACKA: traktStand,
  TRACKB: simklStand,
  ANIMEA: anilistStand,
  METAA: tmdbStand,
  METAB: publicmetadbStand,
  LISTA: mdblistStand,
  TVA: nuvioStand,
  STATSA: tautulliStand,
} as const

export async function startStands(): Promise<ReadonlyMap<string, Stand> & AsyncDisposable> {
  const stands: readonly Stand[] = await Promise.all(Object.values(STANDS).map((start) => start()))
  return Object.assign(new Map(stands.map((stand) => [stand.provider, stand])), {
    async [Symbol.asyncDispose]() {
      await Promise.all(stands.map((stand) => stand[Symbol.asyncDispose]()))
    },
  })
}
