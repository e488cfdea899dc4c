// Entries of the catalogue that the stand-ins for Trakt and MDBList share, as works, and what a person does with them.
import type { Feature } from '@playhead/sdk'
import { type Catalogue, type Entry, episodeEntry, seasonEntry } from '../upstreams/trakt/catalogue.ts'
import type { Account, Mark } from './stand.ts'
import { episodeName, movieName, partsOf, seasonName, showName, type WorkName } from './works.ts'

export function entryOf(catalogue: Catalogue, work: WorkName): Entry {
  const { kind, season: number, number: episode, ids } = partsOf(work)
  const found = catalogue.find(kind === 'movie' ? 'movie' : 'show', ids)
  if (found === undefined) throw new RangeError(`the catalogue has no ${work}`)
  if (found.type !== 'show' || kind === 'show') return found
  const { show } = found
  const season = show.seasons.find((one) => one.number === number)!
  return kind === 'season'
    ? seasonEntry(show, season)
    : episodeEntry(show, season.episodes.find((one) => one.number === episode)!)
}

export function nameOf(entry: Entry): WorkName {
  if (entry.type === 'movie') return movieName(entry.movie.ids)
  if (entry.type === 'show') return showName(entry.show.ids)
  return entry.type === 'season'
    ? seasonName(entry.show.ids, entry.season.number)
    : episodeName(entry.show.ids, entry.episode.season, entry.episode.number)
}

interface EntryUser {
  addToWatchlist(entry: Entry, atMs?: number): void
  removeFromWatchlist(entry: Entry): void
  watch(entry: Entry, atMs?: number): unknown
  unwatch(entry: Entry): void
  rate(entry: Entry, rating: number | undefined, atMs?: number): void
  pause(entry: Entry, progress: number | undefined, atMs?: number): void
  drop(show: Entry, isDropped?: boolean): void
  expireTokens(): void
  revokeTokens(): void
}

export function entryAccount(catalogue: Catalogue, user: EntryUser): Omit<Account, 'signIn' | 'marks'> {
  return {
    put(feature, { work, atMs, rating, percent }) {
      const entry = entryOf(catalogue, work)
      if (feature === 'watchlist') user.addToWatchlist(entry, atMs)
      if (feature === 'history') user.watch(entry, atMs)
      if (feature === 'ratings') user.rate(entry, rating, atMs)
      if (feature === 'progress') user.pause(entry, percent, atMs)
    },
    remove(feature, work) {
      const entry = entryOf(catalogue, work)
      if (feature === 'watchlist') user.removeFromWatchlist(entry)
      if (feature === 'history') user.unwatch(entry)
      if (feature === 'ratings') user.rate(entry, undefined)
      if (feature === 'progress') user.pause(entry, undefined)
    },
    drop: (show, isDropped) => user.drop(entryOf(catalogue, show), isDropped),
    expire: () => user.expireTokens(),
    revoke: () => user.revokeTokens(),
  }
}

/** Rows that the two name differently. */
export interface EntryRows {
  readonly watchlist: Iterable<EntryRow>
  readonly history: Iterable<EntryRow>
  readonly ratings: Iterable<EntryRow>
  readonly progress: Iterable<EntryRow>
}

interface EntryRow extends Omit<Mark, 'work'> {
  readonly entry: Entry
}

export function entryMarks(rows: EntryRows, feature: Feature): readonly Mark[] {
  return [...rows[feature as keyof EntryRows]].map(({ entry, ...mark }) => ({ ...mark, work: nameOf(entry) }))
}
