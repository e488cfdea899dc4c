// Maps between cloud ids and external ids. Results are stored, because ids of a title do not change.
import type { KeyValueStore } from '@playhead/sdk'
import { collectIds, contradicts, type Item, kindOf } from '@playhead/sdk/items'
import type { Cloud } from '../cloud.ts'
import type { Server } from '../session.ts'
import type { PlexProfile } from '../settings.ts'
import { type Metadata, Page, SearchAnswer } from '../wire.ts'

const DAY_MS = 24 * 60 * 60_000
const KNOWN_FOR_MS = 30 * DAY_MS
const UNKNOWN_FOR_MS = DAY_MS
/** Ids per request. */
const BATCH = 50
const SCHEMES = ['tmdb', 'imdb', 'tvdb'] as const

/** External ids (`imdb://tt1`) of rows that lack them, by cloud id. */
export async function hydrate(
  store: KeyValueStore,
  cloud: Cloud,
  rows: readonly Metadata[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>()
  const unknown: string[] = []
  for (const { ratingKey, Guid } of rows) {
    if (ratingKey === undefined || (Guid !== undefined && Guid.length > 0)) continue
    const kept = await store.get<string[]>(`hex/${ratingKey}`)
    if (kept === undefined) unknown.push(ratingKey)
    else found.set(ratingKey, kept)
  }
  for (let at = 0; at < unknown.length; at += BATCH) {
    const asked = unknown.slice(at, at + BATCH)
    const answers = await metadataOf(cloud, asked, signal)
    for (const hex of asked) {
      const guids = (answers.find(({ ratingKey }) => ratingKey === hex)?.Guid ?? []).map(({ id }) => id)
      found.set(hex, guids)
      await store.set(`hex/${hex}`, guids, guids.length === 0 ? UNKNOWN_FOR_MS : KNOWN_FOR_MS)
    }
  }
  return found
}

interface Resolver {
  readonly cloud: Cloud
  readonly store: KeyValueStore
  readonly profile: Readonly<PlexProfile>
  /** Knows the ids of library items without a request. */
  readonly server: Server | undefined
}

/** Cloud ids of films and shows, in the order of the items; undefined without a proven id. Titles are not used. */
export async function resolveHexes(
  resolver: Resolver,
  items: readonly Item[],
): Promise<(item: Item, signal?: AbortSignal) => Promise<string | undefined>> {
  const inLibrary = new Map<Item, string>()
  const found = (await resolver.server?.index.find(items)) ?? []
  for (const [at, item] of items.entries()) {
    const target = found[at]
    const hexes = new Set(
      target?.outcome === 'found'
        ? target.items.flatMap(({ guid }) => hexOf(guid ?? undefined, kindOf(item)) ?? [])
        : [],
    )
    if (hexes.size === 1) inLibrary.set(item, [...hexes][0] as string)
  }
  return async (item, signal) =>
    hexOf(item.ids.guid, kindOf(item)) ?? inLibrary.get(item) ?? lookUp(resolver, item, signal)
}

async function lookUp(resolver: Resolver, item: Item, signal?: AbortSignal): Promise<string | undefined> {
  const { store, profile } = resolver
  const order = [...SCHEMES].sort(
    (a, b) => rankIn(profile.watchlist_guid_priority, a) - rankIn(profile.watchlist_guid_priority, b),
  )
  const ids = order.flatMap((scheme) => (item.ids[scheme] === undefined ? [] : [[scheme, item.ids[scheme]] as const]))
  const [first] = ids
  if (first === undefined) return undefined
  const key = `id/${item.type}/${ids.map(([scheme, id]) => `${scheme}-${id}`).join('/')}`
  const kept = await store.get<string>(key)
  if (kept !== undefined) return kept === '' ? undefined : kept
  let hex: string | undefined
  if (profile.watchlist_use_metadata_match)
    for (const [scheme, id] of ids) hex ??= await byMatch(resolver, item, scheme, id, signal)
  if (profile.watchlist_title_query && item.title) hex ??= await bySearch(resolver, item, signal)
  await store.set(key, hex ?? '', hex === undefined ? UNKNOWN_FOR_MS : KNOWN_FOR_MS)
  return hex
}

// Unlisted schemes come last.
function rankIn(priority: readonly string[], scheme: string): number {
  const at = priority.indexOf(scheme)
  return at === -1 ? priority.length : at
}

async function byMatch(
  resolver: Resolver,
  item: Item,
  scheme: string,
  id: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const {
    MediaContainer: { Metadata: rows = [] },
  } = await resolver.cloud.metadata.json(
    {
      path: '/library/metadata/matches',
      query: { type: kindOf(item), title: `${scheme}-${id}`, ...(item.year ? { year: item.year } : {}) },
      signal,
    },
    Page,
  )
  return proven(resolver, item, rows, signal)
}

async function bySearch(resolver: Resolver, item: Item, signal?: AbortSignal): Promise<string | undefined> {
  const {
    MediaContainer: { SearchResults = [] },
  } = await resolver.cloud.discover.json(
    {
      path: '/library/search',
      query: {
        query: item.title as string,
        limit: resolver.profile.watchlist_query_limit,
        searchTypes: kindOf(item) === 'show' ? 'tv' : 'movies',
        searchProviders: 'discover',
        includeMetadata: 1,
      },
      signal,
    },
    SearchAnswer,
  )
  return proven(
    resolver,
    item,
    SearchResults.flatMap(({ SearchResult = [] }) => SearchResult.flatMap(({ Metadata }) => Metadata ?? [])),
    signal,
  )
}

/** The one row that has an id of the item and contradicts none. */
async function proven(
  { cloud, store }: Resolver,
  item: Item,
  rows: readonly Metadata[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const ofKind = rows.filter(({ type, ratingKey }) => type === kindOf(item) && ratingKey !== undefined)
  const bare = await hydrate(store, cloud, ofKind, signal)
  const hits = ofKind.filter((row) => {
    const { ids } = collectIds({
      Guid: [...(row.Guid ?? []), ...(bare.get(row.ratingKey as string) ?? []).map((id) => ({ id }))],
    })
    return (
      SCHEMES.some((scheme) => ids[scheme] !== undefined && ids[scheme] === item.ids[scheme]) &&
      !contradicts({ ...item, ids }, item)
    )
  })
  const hexes = new Set(hits.map(({ ratingKey }) => ratingKey as string))
  return hexes.size === 1 ? [...hexes][0] : undefined
}

async function metadataOf(cloud: Cloud, hexes: readonly string[], signal?: AbortSignal): Promise<readonly Metadata[]> {
  const path = `/library/metadata/${hexes.map(encodeURIComponent).join(',')}`
  // A 404 means that no id is known.
  const answer = await cloud.metadata.request({ path, query: { includeGuids: 1 }, accept: [404], signal })
  if (answer.status === 404) {
    await answer.text()
    return []
  }
  return (await answer.json(Page)).MediaContainer.Metadata ?? []
}

function hexOf(guid: string | undefined, kind: string): string | undefined {
  const match = /^plex:\/\/(movie|show)\/([0-9a-z]+)$/i.exec(guid ?? '')
  return match?.[1] === kind ? match[2] : undefined
}
