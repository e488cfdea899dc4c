// The bodies of writes: groups of items identified by any id, with seasons and episodes optionally nested in shows.
import { type Catalogue, type Entry, episodeEntry, GROUPS, type Group, seasonEntry, type Show } from './catalogue.ts'
import { refuse } from './replies.ts'

type Sent = Readonly<Record<string, unknown>>

export interface Target {
  readonly entry: Entry
  /** The sent objects of the item and its parents, innermost first. */
  readonly sent: readonly Sent[]
  /** The item has no nested items: the item itself is meant. */
  readonly leaf: boolean
}

export interface Targets {
  readonly found: readonly Target[]
  /** Unknown items, as they were sent. */
  readonly notFound: Record<Group, unknown[]>
}

const NAMES = Object.keys(GROUPS) as Group[]

export function readTargets(catalogue: Catalogue, body: Sent): Targets {
  const found: Target[] = []
  const notFound: Record<Group, unknown[]> = { movies: [], shows: [], seasons: [], episodes: [] }

  function readShow(sent: Sent, show: Show): void {
    for (const sentSeason of list(sent['seasons'])) {
      const season = show.seasons.find(({ number }) => number === sentSeason['number'])
      if (season === undefined) {
        notFound.shows.push({ ids: sent['ids'], seasons: [sentSeason] })
        continue
      }
      const sentEpisodes = list(sentSeason['episodes'])
      found.push({ entry: seasonEntry(show, season), sent: [sentSeason, sent], leaf: sentEpisodes.length === 0 })
      for (const sentEpisode of sentEpisodes) {
        const episode = season.episodes.find(({ number }) => number === sentEpisode['number'])
        if (episode === undefined)
          notFound.shows.push({ ids: sent['ids'], seasons: [{ number: season.number, episodes: [sentEpisode] }] })
        else found.push({ entry: episodeEntry(show, episode), sent: [sentEpisode, sentSeason, sent], leaf: true })
      }
    }
  }

  for (const group of NAMES) {
    for (const sent of list(body[group])) {
      const entry = catalogue.find(GROUPS[group], sent['ids'])
      if (entry === undefined) {
        notFound[group].push(sent)
        continue
      }
      found.push({ entry, sent: [sent], leaf: entry.type !== 'show' || list(sent['seasons']).length === 0 })
      if (entry.type === 'show') readShow(sent, entry.show)
    }
  }
  return { found, notFound }
}

/** The first value of a field, from the item outwards. */
export function inherited({ sent }: Target, member: string): unknown {
  return sent.find((record) => record[member] !== undefined)?.[member]
}

/** A sent time; 422 if it is invalid. */
export function readMoment(value: unknown): number {
  const atMs = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(atMs) ? refuse(422, undefined, { error: 'invalid date' }) : atMs
}

export function countByGroup(entries: readonly Entry[]): Record<Group, number> {
  const counts: Record<Group, number> = { movies: 0, shows: 0, seasons: 0, episodes: 0 }
  for (const { type } of entries) counts[`${type}s`] += 1
  return counts
}

function list(value: unknown): Sent[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) refuse(422, undefined, { error: 'an array is expected' })
  return value.filter((item): item is Sent => typeof item === 'object' && item !== null)
}
