// Converts a row of an account to the form of the list, its filters and the actions. Values of services are validated here once. A
// row without a position, or of another kind, is not an entry.
import {
  foldText,
  formatKey,
  type Item,
  isAnime,
  keyOf,
  kindOf,
  parseItem,
  parseTime,
  progressOf,
  titleTokenOf,
  tokensOf,
} from '@playhead/sdk/items'

type MediaType = 'movie' | 'episode' | 'anime_episode'

export interface Entry {
  /** The account's id of the row; unique within the account. */
  readonly remoteId: string
  readonly item: Item
  /** Key with the kind, for plans. */
  readonly key: string
  /** `tmdb:123`, `tmdb:456#s02e03`, `episode:tvdb:789`. */
  readonly canonicalKey: string
  /** Names under which the same title is found in other accounts. */
  readonly tokens: readonly string[]
  readonly titleToken: string | undefined
  readonly mediaType: MediaType
  /** 0 to 100, three decimals; null if unknown. */
  readonly percent: number | null
  readonly durationMs: number | null
  /** When the position was reached, epoch milliseconds; null if the service does not report it. */
  readonly progressAtMs: number | null
  /** As `progressAtMs`, or when the position was first seen. */
  readonly updatedAtMs: number | null
  /** 1 to 10: the person's own rating. */
  readonly rating: number | null
  /** Title for sorting. */
  readonly sortTitle: string
}

/** Undefined for a row that is not the position of a movie or an episode. */
export function entryOf(row: unknown): Entry | undefined {
  if (typeof row !== 'object' || row === null) return undefined
  const parsed = parseItem(row as Readonly<Record<string, unknown>>)
  if (!parsed.ok) return undefined
  const item = parsed.value
  const kind = kindOf(item)
  if (kind !== 'movie' && kind !== 'episode') return undefined
  const progress = progressOf(item)
  if ((progress.positionMs ?? progress.percent ?? 0) <= 0) return undefined
  const remoteId = remoteIdOf(item)
  if (remoteId === undefined) return undefined
  const key = keyOf(item)
  const keyText = key.ok ? formatKey(key.value) : `${kind}:${remoteId}`
  const updatedAtMs = parseTime(item.progress_at)?.atMs ?? null
  return {
    remoteId,
    item,
    key: keyText,
    canonicalKey: canonical(keyText),
    tokens: tokensOf(item),
    titleToken: titleTokenOf(item),
    mediaType: kind === 'movie' ? 'movie' : isAnime(item) ? 'anime_episode' : 'episode',
    percent: progress.percent ?? null,
    durationMs: progress.durationMs ?? null,
    progressAtMs: item.progress_at_source === undefined ? updatedAtMs : null,
    updatedAtMs,
    rating: item.rating ?? null,
    sortTitle: foldText(titleOf(item) ?? ''),
  }
}

/** The account's own id of a row, or its key; undefined without both. */
export function remoteIdOf(item: Item): string | undefined {
  const { item_id: itemId, event_id: eventId, list_item_id: listItemId } = item.native ?? {}
  const own = itemId ?? eventId ?? listItemId
  if (own !== undefined) return own
  const key = keyOf(item)
  return key.ok ? formatKey(key.value) : undefined
}

/** The title for display; for an episode, the title of its show. */
export function titleOf(item: Item): string | undefined {
  return (kindOf(item) === 'episode' ? item.series_title : undefined) ?? item.title ?? undefined
}

/** The id for pictures; for an episode, the id of its show. */
export function artIdOf(item: Item): { readonly kind: 'movie' | 'tv'; readonly tmdb: string } | undefined {
  const isEpisode = kindOf(item) === 'episode'
  const tmdb = isEpisode ? item.show_ids?.tmdb : item.ids.tmdb
  return tmdb === undefined ? undefined : { kind: isEpisode ? 'tv' : 'movie', tmdb }
}

// An episode without ids of its show keeps its kind: its number may equal that of a movie.
function canonical(key: string): string {
  return key.startsWith('episode:') ? key : key.replace(/^(?:movie|show):/, '')
}
