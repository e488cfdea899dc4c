// Simulated people at players: short films, one after the other. At real speed a player reports every few seconds and pauses
// once; a fast one only reports.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Trakt } from '../upstreams/trakt.ts'
import type { DemoWorld } from './world.ts'

export interface Film {
  readonly title: string
  /** The key of the entry at Trakt. */
  readonly key: string
  start(): Promise<Player>
}

interface Player {
  at(positionMs: number): Promise<void>
  pause(): Promise<void>
  resume(): Promise<void>
  finish(): Promise<void>
}

const LENGTH_MS = 240_000
const REPORT_MS = 5_000
const PAUSE_AT = 0.4
const PAUSE_MS = 15_000
const BREAK_MS = 20_000
/** Step of a fast player between reports; a larger step would count as a jump. */
const HURRY_MS = 7_000
const HURRIED_REPORT_MS = 150

/** Unwatched films of the server, shortened. */
export function filmsOnJellyfin({ jellyfin, trakt }: DemoWorld): readonly Film[] {
  const films = jellyfin.items('Movie').flatMap((item) => {
    const key = keyAt(trakt, item.providerIds)
    if (key === undefined || jellyfin.actions.userData('sam', item.id)?.played === true) return []
    const start = () => {
      Object.assign(item, { runtimeTicks: LENGTH_MS * 10_000 })
      return jellyfin.playback.start({ userId: 'sam', item, deviceId: 'bedroom', deviceName: 'Bedroom' })
    }
    return [{ title: titleOf(item.name, item.year), key, start }]
  })
  return unwatched(trakt, films)
}

export function filmsOnPlex({ plex, trakt }: DemoWorld): readonly Film[] {
  const movies = [...plex.state.items.values()].filter(({ type }) => type === 'movie')
  const films = movies.flatMap((item) => {
    const key = keyAt(trakt, Object.fromEntries(item.guids.map((guid) => guid.split('://') as [string, string])))
    if (key === undefined) return []
    const start = () => {
      Object.assign(item, { durationMs: LENGTH_MS })
      return plex.playback.start({ userId: 'owner', item, deviceId: 'garden', deviceName: 'Garden' })
    }
    return [{ title: titleOf(item.title, item.year), key, start }]
  })
  return unwatched(trakt, films)
}

/** Runs until the signal aborts. */
export async function watchOneAfterAnother(films: readonly Film[], signal: AbortSignal, afterMs = 0): Promise<void> {
  try {
    await sleep(afterMs, undefined, { signal })
    for (const film of films) {
      const player = await film.start()
      let isPaused = false
      for (let positionMs = 0; positionMs < LENGTH_MS; positionMs += REPORT_MS) {
        await sleep(REPORT_MS, undefined, { signal })
        await player.at(positionMs)
        if (isPaused || positionMs < PAUSE_AT * LENGTH_MS) continue
        isPaused = true
        await player.pause()
        await sleep(PAUSE_MS, undefined, { signal })
        await player.resume()
      }
      await player.finish()
      await sleep(BREAK_MS, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

export async function watchInAHurry(film: Film): Promise<void> {
  const player = await film.start()
  for (let positionMs = 0; positionMs < LENGTH_MS; positionMs += HURRY_MS) {
    await sleep(HURRIED_REPORT_MS)
    await player.at(positionMs)
  }
  await player.finish()
}

function unwatched(trakt: Trakt, films: readonly Film[]): readonly Film[] {
  const watched = new Set(trakt.user.plays().map(({ key }) => key))
  return films.filter(({ key }) => !watched.has(key))
}

function keyAt(trakt: Trakt, ids: Readonly<Record<string, string>>): string | undefined {
  const known = Object.entries(ids).map(([scheme, id]) => [scheme.toLowerCase(), id])
  return trakt.catalogue.find('movie', Object.fromEntries(known))?.key
}

function titleOf(title: string, year: number | undefined): string {
  return year === undefined ? title : `${title} (${year})`
}
