// History of services that count: an entry says "7 of 12 watched", and its episodes are watched in order. The count is neither a
// time nor a position.
import { defined } from '../defined.ts'
import type { Ids } from '../items/id-schemes.ts'
import type { Item } from '../items/item.ts'
import type { ReadItem } from './reads/read-end.ts'
import { unreadableRow } from './reads/read-item.ts'
import type { ItemOutcome } from './writes/write-in-turn.ts'

/** No series has as many; a broken count of billions would fill the memory. */
const MOST_EPISODES = 20_000

/** An entry that counts its episodes from 1. */
export interface CountedEntry {
  /** Ids of the entry. */
  readonly ids: Ids
  readonly title?: string | undefined
  readonly year?: number | undefined
  /** Watched episodes: all up to this one. */
  readonly count: number
  /** The id of the entry's row at the account; the episodes are `<id>/<number>`. */
  readonly native: string
}

/** The episodes of one entry that a write is about. */
export interface CountWrite {
  readonly op: 'add' | 'remove'
  /** The count at the service now. */
  readonly count: number
  /** Episodes of the entry. Undefined: unknown. */
  readonly total?: number | undefined
  /** Numbers within the entry, in any order; repeated ones have one outcome. */
  readonly episodes: readonly number[]
}

export interface CountChange {
  /** The count to write; unchanged if nothing has to be written. */
  readonly count: number
  /** `applied` once the count is written. */
  readonly outcomes: ReadonlyMap<number, ItemOutcome>
}

/**
 * History rows of an entry: the episodes 1 to `count` of season 1, without times. One unreadable row for a count that cannot be.
 *
 * @example
 * countedEpisodes({ ids: { mal: '1' }, title: 'Bebop', count: 2, native: '1' }) // rows of episodes 1 and 2
 */
export function countedEpisodes(entry: CountedEntry): ReadItem[] {
  const { title, count } = entry
  if (count > MOST_EPISODES) return [unreadableRow('not_understood', title)]
  return Array.from({ length: count }, (_, index) => ({ item: episodeOf(entry, index + 1) }))
}

function episodeOf({ ids, title, year, native }: CountedEntry, episode: number): Item {
  return defined({
    type: 'episode' as const,
    ids: {},
    show_ids: ids,
    season: 1,
    episode,
    series_title: title,
    series_year: year,
    watched: true,
    native: { item_id: `${native}/${episode}` },
  })
}

/**
 * The count after a write. It marks and unmarks no episode that was not asked for: an episode behind a gap is `rejected`
 * (`episode_missing`), and so is the removal of one before others (`counts_as_watched`).
 *
 * @example
 * countAfter({ op: 'add', count: 7, episodes: [9, 8, 11] }).count // 9; episode 11 is rejected
 */
export function countAfter({ op, count, total = Infinity, episodes }: CountWrite): CountChange {
  const outcomes = new Map<number, ItemOutcome>()
  let after = count
  for (const episode of episodes.toSorted((a, b) => (op === 'add' ? a - b : b - a))) {
    if (outcomes.has(episode)) continue
    if (op === 'add' ? episode <= count : episode > count) outcomes.set(episode, { outcome: 'already' })
    else if (op === 'add' ? episode === after + 1 && episode <= total : episode === after) {
      outcomes.set(episode, { outcome: 'applied' })
      after += op === 'add' ? 1 : -1
    } else {
      const reason = op === 'add' ? 'episode_missing' : 'counts_as_watched'
      outcomes.set(episode, { outcome: 'rejected', reason })
    }
  }
  return { count: after, outcomes }
}
