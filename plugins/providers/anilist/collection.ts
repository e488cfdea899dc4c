// Loads all entries of an account in chunks, each entry once.
import { defined, isPlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { ask } from './graphql.ts'
import { readViewer } from './viewer.ts'
import { CollectionAnswer, type Entry } from './wire.ts'

const ENTRIES_PER_CHUNK = 500
const MAX_CHUNKS = 200

// POINT_100 is the finest score format; all others are rounded.
const QUERY = `query ($userId: Int, $chunk: Int, $perChunk: Int) {
  Viewer { id name mediaListOptions { animeList { customLists } } }
  MediaListCollection(userId: $userId, type: ANIME, chunk: $chunk, perChunk: $perChunk) {
    hasNextChunk
    lists { name isCustomList entries {
      id mediaId status score(format: POINT_100) createdAt updatedAt
      media { id idMal format seasonYear startDate { year } title { romaji english native } }
    } }
  }
}`

export interface Collection {
  /** Account id. */
  readonly account: string
  readonly entries: readonly Entry[]
  /** Entry ids of each custom list, by its name. */
  readonly ownLists: ReadonlyMap<string, ReadonlySet<number>>
  /** Why the collection may be incomplete. */
  readonly flaw?: string
  /** Why the custom lists may be incomplete. */
  readonly listsFlaw?: string
}

/** @param knownUserId user id of the sign-in, or 0; entries of another user would prove nothing about this account */
export async function loadCollection(upstream: UpstreamAccount, knownUserId: number): Promise<Collection> {
  const known = knownUserId > 0 ? await tryFirst(upstream, knownUserId) : undefined
  if (known?.Viewer.id === knownUserId) return collect(upstream, knownUserId, known)
  const userId = known?.Viewer.id ?? (await readViewer(upstream)).id
  return collect(upstream, userId, await readChunk(upstream, userId, 1))
}

/** The user id in the settings may be outdated, so the token is checked. */
async function tryFirst(upstream: UpstreamAccount, userId: number): Promise<CollectionAnswer | undefined> {
  try {
    return await readChunk(upstream, userId, 1)
  } catch (error) {
    if (isPlayheadError(error, 'PLH_NOT_FOUND')) return undefined
    throw error
  }
}

async function collect(upstream: UpstreamAccount, userId: number, first: CollectionAnswer): Promise<Collection> {
  const account = String(userId)
  const entries = new Map<number, Entry>()
  const ownLists = new Map<string, Set<number>>()
  const seen = new Set<string>()
  let listsFlaw: string | undefined
  let answer = first
  for (let chunk = 1; ; chunk += 1) {
    const {
      Viewer: viewer,
      MediaListCollection: { lists, hasNextChunk },
    } = answer
    const rows = lists.flatMap((list) => list.entries)
    const flaw = viewer.id !== userId ? 'account_changed' : flawOf(rows)
    if (flaw !== undefined) return ended(flaw)
    // An entry is in its status list and in any number of custom lists.
    for (const row of rows) entries.set(row.id, row)
    for (const name of viewer.mediaListOptions.animeList.customLists ?? [])
      ownLists.set(name, ownLists.get(name) ?? new Set())
    for (const list of lists) takeOwn(list)
    if (!hasNextChunk) return ended()
    if (chunk >= MAX_CHUNKS) return ended('too_many_pages')
    answer = await readChunk(upstream, userId, chunk + 1)
  }

  function ended(flaw?: string): Collection {
    return { account, entries: [...entries.values()], ownLists, ...defined({ flaw, listsFlaw }) }
  }

  function takeOwn({
    name,
    isCustomList,
    entries: held,
  }: CollectionAnswer['MediaListCollection']['lists'][number]): void {
    if (isCustomList === false) return
    const own = isCustomList === true ? ownLists.get(name ?? '') : undefined
    if (own === undefined) listsFlaw ??= isCustomList === true ? 'changed_while_reading' : 'lists_unknown'
    else for (const { id } of held) own.add(id)
  }

  function flawOf(rows: readonly Entry[]): string | undefined {
    const print = rows.map(({ id }) => id).join(' ')
    if (seen.has(print)) return 'repeated_page'
    seen.add(print)
    const hasMoved = rows.some((row) => {
      const known = entries.get(row.id)
      return known !== undefined && (known.updatedAt !== row.updatedAt || known.status !== row.status)
    })
    return hasMoved ? 'changed_while_reading' : undefined
  }
}

function readChunk(upstream: UpstreamAccount, userId: number, chunk: number): Promise<CollectionAnswer> {
  return ask(upstream, { query: QUERY, variables: { userId, chunk, perChunk: ENTRIES_PER_CHUNK } }, CollectionAnswer)
}
