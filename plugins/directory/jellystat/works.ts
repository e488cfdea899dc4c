// The works of plays: the log has ids of the media server alone, which is asked for theirs in large requests. What it answered once
// is kept, so that plays of a title that left the server later still have ids.
import { type KeyValueStore, MAX_SET_MANY, type UpstreamAccount } from '@playhead/sdk'
import { type Ids, readIds } from '@playhead/sdk/items'
import { isWholeNumber } from '@playhead/sdk/provider'
import { type ServerItem, ServerItems, textOf } from './wire.ts'

const IDS_AT_ONCE = 100
/** A match may be corrected at the server. */
const FRESH_MS = 7 * 86_400_000
const TICKS_A_MS = 10_000
const SHARED = ['Tmdb', 'Imdb', 'Tvdb']

export interface Work {
  readonly type: 'movie' | 'show' | 'episode' | 'other'
  readonly title?: string
  readonly year?: number
  readonly ids: Ids
  readonly lengthMs?: number
  /** Of an episode. */
  readonly series?: string
  readonly seriesTitle?: string
  readonly season?: number
  readonly episode?: number
  readonly lastEpisode?: number
}

interface Kept {
  readonly work: Work
  readonly atMs: number
}

const TYPES: Readonly<Record<string, Work['type']>> = { Movie: 'movie', Series: 'show', Episode: 'episode' }

/**
 * The works with these ids, as far as they are known.
 *
 * @param serverId ids are those of one server
 */
export async function worksOf(
  {
    media,
    store,
    serverId,
  }: { readonly media: UpstreamAccount; readonly store: KeyValueStore; readonly serverId: string },
  wanted: Iterable<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Work>> {
  const nowMs = Date.now()
  const keyOf = (id: string) => `work/${serverId}/${id}`
  const works = new Map<string, Work>()
  const asked: string[] = []
  for (const id of new Set(wanted)) {
    const kept = await store.get<Kept>(keyOf(id))
    if (kept !== undefined) works.set(id, kept.work)
    if (kept === undefined || Math.abs(nowMs - kept.atMs) > FRESH_MS) asked.push(id)
  }
  const found = new Map<string, Kept>()
  for (let from = 0; from < asked.length; from += IDS_AT_ONCE) {
    const ids = asked.slice(from, from + IDS_AT_ONCE)
    const query = { Ids: ids.join(','), Fields: 'ProviderIds', EnableUserData: false, EnableImages: false }
    const { Items } = await media.json({ path: 'Items', query, signal }, ServerItems)
    for (const item of Items) {
      // Jellyfin and Emby write the same id with and without dashes.
      const id = ids.find((one) => plain(one) === plain(item.Id))
      if (id === undefined) continue
      const work = workOf(item)
      works.set(id, work)
      found.set(keyOf(id), { work, atMs: nowMs })
    }
  }
  const entries = [...found]
  for (let from = 0; from < entries.length; from += MAX_SET_MANY)
    await store.setMany(new Map(entries.slice(from, from + MAX_SET_MANY)))
  return works
}

const plain = (id: string) => id.replaceAll('-', '').toLowerCase()

function workOf(item: ServerItem): Work {
  const title = textOf(item.Name)
  const series = textOf(item.SeriesId)
  const seriesTitle = textOf(item.SeriesName)
  const { RunTimeTicks: ticks, ProductionYear: year } = item
  return {
    type: TYPES[textOf(item.Type) ?? ''] ?? 'other',
    ids: readIds(item.ProviderIds, SHARED),
    ...(title === undefined ? {} : { title }),
    ...(isWholeNumber(year, 1) && year <= 9_999 ? { year } : {}),
    ...(typeof ticks === 'number' && ticks > 0 ? { lengthMs: Math.round(ticks / TICKS_A_MS) } : {}),
    ...(series === undefined ? {} : { series }),
    ...(seriesTitle === undefined ? {} : { seriesTitle }),
    ...(isWholeNumber(item.ParentIndexNumber, 0) ? { season: item.ParentIndexNumber } : {}),
    ...(isWholeNumber(item.IndexNumber, 1) ? { episode: item.IndexNumber } : {}),
    ...(isWholeNumber(item.IndexNumberEnd, 1) ? { lastEpisode: item.IndexNumberEnd } : {}),
  }
}
