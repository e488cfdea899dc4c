// Which rows of an item are shown together, and the newest of all, of which only some are held.
import type { KeyedMark, Mark } from './sightings.ts'

/** Rows that are one in the list of the newest. */
export interface Cluster {
  readonly atMs: number
  /** The one that speaks first. */
  readonly marks: readonly [Mark, ...Mark[]]
}

export interface KeyedCluster extends Cluster {
  readonly marks: readonly [KeyedMark, ...KeyedMark[]]
}

const PLAY_MS = 300_000
const DAY_MS = 86_400_000

/** Plays of one item: those within five minutes are one. Where only the day is known, a play of that day is meant. */
export function playsOf(marks: readonly Mark[]): Cluster[] {
  const sorted = marks.toSorted((a, b) => a.atMs - b.atMs)
  const plays: [Mark, ...Mark[]][] = []
  for (const mark of sorted) {
    if (mark.isDate) continue
    const last = plays.at(-1)
    if (last !== undefined && mark.atMs - last[0].atMs <= PLAY_MS) last.push(mark)
    else plays.push([mark])
  }
  const days = new Map<number, [Mark, ...Mark[]]>()
  for (const mark of sorted) {
    if (!mark.isDate) continue
    const meant =
      plays.findLast(([first]) => first.atMs >= mark.atMs && first.atMs < mark.atMs + DAY_MS) ?? days.get(mark.atMs)
    if (meant === undefined) days.set(mark.atMs, [mark])
    else meant.push(mark)
  }
  return [...plays, ...days.values()].map((play) => {
    const newest = play.filter(({ isDate }) => !isDate).at(-1) ?? play[0]
    return clusterOf(newest, play)
  })
}

/**
 * The rating of an item. Of equal values the earliest counts, for later ones are echoes of a sync; of different ones
 * the newest; the tracker's own before any.
 */
export function ratingOf(marks: readonly Mark[], isTracker: (account: number) => boolean): Cluster | undefined {
  const own = marks.filter(({ account }) => isTracker(account))
  const earliest = new Map<number, Mark>()
  for (const mark of own.length > 0 ? own : marks) {
    const known = earliest.get(mark.rating as number)
    if (known === undefined || mark.atMs < known.atMs) earliest.set(mark.rating as number, mark)
  }
  const [first] = [...earliest.values()].sort((a, b) => b.atMs - a.atMs)
  return first === undefined ? undefined : clusterOf(first, marks)
}

/** Where somebody is in an item: the newest place. */
export function progressOf(marks: readonly Mark[]): Cluster | undefined {
  const [newest] = marks.toSorted((a, b) => b.atMs - a.atMs)
  return newest === undefined ? undefined : clusterOf(newest, marks)
}

function clusterOf(first: Mark, marks: readonly Mark[]): Cluster {
  return { atMs: first.atMs, marks: [first, ...marks.filter((mark) => mark !== first)] }
}

export interface Newest {
  offer(cluster: Cluster): void
  /** The newest first. */
  all(): readonly Cluster[]
}

/** Holds so many, whatever is offered. */
export function createNewest(size: number): Newest {
  const held: Cluster[] = []
  return {
    offer(cluster) {
      if (held.length === size && cluster.atMs <= (held.at(-1) as Cluster).atMs) return
      const at = held.findIndex(({ atMs }) => atMs < cluster.atMs)
      held.splice(at === -1 ? held.length : at, 0, cluster)
      if (held.length > size) held.pop()
    },
    all: () => held,
  }
}
