// An account's entries in chunks, grouped into lists: one per status, and custom lists. An entry can be in several lists.
import type { Account, Entry, Status } from './state.ts'

const MOST_PER_CHUNK = 500
const NAMES: Readonly<Record<Status, string>> = {
  CURRENT: 'Watching',
  PLANNING: 'Planning',
  COMPLETED: 'Completed',
  DROPPED: 'Dropped',
  PAUSED: 'Paused',
  REPEATING: 'Rewatching',
}

interface Group {
  readonly name: string
  readonly isCustomList: boolean
  readonly isSplitCompletedList: boolean
  readonly status: Status | null
  readonly entries: { readonly owner: Account; readonly entry: Entry }[]
}

export function collectionOf(
  owner: Account,
  args: Readonly<Record<string, unknown>>,
): { readonly hasNextChunk: boolean; readonly lists: readonly Group[] } {
  const all =
    args['type'] === 'MANGA'
      ? []
      : [...owner.entries.values()].filter(({ status }) => args['status'] === undefined || status === args['status'])
  const perChunk =
    args['chunk'] === undefined
      ? all.length
      : Math.min(MOST_PER_CHUNK, Math.max(1, Number(args['perChunk'] ?? MOST_PER_CHUNK)))
  const from = (Number(args['chunk'] ?? 1) - 1) * perChunk
  const groups = new Map<string, Group>()
  const put = (
    name: string,
    entry: Entry,
    more: Pick<Group, 'isCustomList' | 'isSplitCompletedList' | 'status'>,
  ): void => {
    // A custom list can have the same name as a status list.
    const key = `${more.isCustomList} ${name}`
    const group = groups.get(key) ?? { name, ...more, entries: [] }
    groups.set(key, group)
    group.entries.push({ owner, entry })
  }
  for (const entry of all.slice(from, from + perChunk)) {
    const { status, media } = entry
    const isSplit = status === 'COMPLETED' && owner.splitCompleted
    const name = isSplit ? `Completed ${media.format === 'MOVIE' ? 'Movie' : media.format}` : NAMES[status]
    if (!entry.hiddenFromStatusLists) put(name, entry, { isCustomList: false, isSplitCompletedList: isSplit, status })
    for (const own of entry.customLists)
      put(own, entry, { isCustomList: true, isSplitCompletedList: false, status: null })
  }
  return { hasNextChunk: from + perChunk < all.length, lists: [...groups.values()] }
}
