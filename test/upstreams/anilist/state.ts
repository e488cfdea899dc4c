// What the stand-in for AniList remembers: the application, who signed in, and every account's entries.
import type { FuzzyDate, Media } from './catalogue.ts'

export const STATUSES = ['CURRENT', 'PLANNING', 'COMPLETED', 'DROPPED', 'PAUSED', 'REPEATING'] as const
export type Status = (typeof STATUSES)[number]
export const SCORE_FORMATS = ['POINT_100', 'POINT_10_DECIMAL', 'POINT_10', 'POINT_5', 'POINT_3'] as const
export type ScoreFormat = (typeof SCORE_FORMATS)[number]

export interface Entry {
  readonly id: number
  readonly media: Media
  status: Status
  /** 0 to 100; 0 is none. */
  scoreRaw: number
  progress: number
  repeat: number
  notes: string | null
  /** Names of a person's own lists that it is in. */
  customLists: readonly string[]
  hiddenFromStatusLists: boolean
  startedAt: FuzzyDate
  completedAt: FuzzyDate
  readonly createdAtMs: number
  updatedAtMs: number
}

export interface Account {
  readonly id: number
  readonly name: string
  scoreFormat: ScoreFormat
  /** Nobody else sees the lists. */
  isPrivate: boolean
  /** Finished films and series in lists of their own. */
  splitCompleted: boolean
  /** Names of the person's own lists, also of those with nothing in them. */
  customLists: readonly string[]
  /** By entry id, in the order in which they were made. */
  readonly entries: Map<number, Entry>
}

export interface State {
  readonly clientId: string
  readonly clientSecret: string
  readonly catalogue: readonly Media[]
  readonly tokenLifetimeS: number
  /** Tokens say nothing about themselves. */
  readonly opaqueTokens: boolean
  readonly nowMs: () => number
  readonly accounts: Account[]
  readonly tokens: Map<string, { readonly account: Account; readonly expiresAtMs: number }>
  /** Codes that wait for their exchange. */
  readonly codes: Map<string, { readonly account: Account; readonly redirectUri: string; readonly expiresAtMs: number }>
  /** The whole interface is switched off. */
  isInMaintenance: boolean
  lastEntryId: number
}

export const NO_DATE: FuzzyDate = { year: null, month: null, day: null }

export interface EntryChange {
  readonly status?: Status | undefined
  readonly scoreRaw?: number | undefined
  readonly progress?: number | undefined
  readonly repeat?: number | undefined
  readonly notes?: string | null | undefined
  readonly customLists?: readonly string[] | undefined
  readonly hiddenFromStatusLists?: boolean | undefined
  readonly startedAt?: FuzzyDate | undefined
}

export function entryOf(account: Account, mediaId: number): Entry | undefined {
  return [...account.entries.values()].find(({ media }) => media.id === mediaId)
}

/** What is not named any more is gone, and entries are not in it. */
export function nameLists(account: Account, names: readonly string[]): void {
  account.customLists = [...new Set(names)]
  for (const entry of account.entries.values())
    entry.customLists = entry.customLists.filter((name) => names.includes(name))
}

/** Makes the entry where there is none; what is not named keeps its value. */
export function saveEntry(
  state: State,
  account: Account,
  media: Media,
  change: EntryChange,
  atMs = state.nowMs(),
): Entry {
  const entry = entryOf(account, media.id) ?? created(state, account, media, change.status ?? 'CURRENT', atMs)
  for (const name of [
    'status',
    'scoreRaw',
    'progress',
    'repeat',
    'notes',
    'customLists',
    'hiddenFromStatusLists',
    'startedAt',
  ] as const) {
    if (change[name] !== undefined) Object.assign(entry, { [name]: change[name] })
  }
  entry.customLists = entry.customLists.filter((name) => account.customLists.includes(name))
  if (change.status === 'COMPLETED') {
    const now = new Date(atMs)
    entry.progress = media.episodes ?? entry.progress
    entry.completedAt = { year: now.getUTCFullYear(), month: now.getUTCMonth() + 1, day: now.getUTCDate() }
  }
  entry.updatedAtMs = atMs
  return entry
}

function created(state: State, account: Account, media: Media, status: Status, atMs: number): Entry {
  state.lastEntryId += 1
  const entry: Entry = {
    id: state.lastEntryId,
    media,
    status,
    scoreRaw: 0,
    progress: 0,
    repeat: 0,
    notes: null,
    customLists: [],
    hiddenFromStatusLists: false,
    startedAt: NO_DATE,
    completedAt: NO_DATE,
    createdAtMs: atMs,
    updatedAtMs: atMs,
  }
  account.entries.set(entry.id, entry)
  return entry
}
