// The state of the AniList stand-in: the application, the sessions, and the entries of every account.
import type { FuzzyDate, Media } from './catalogue.ts'

export const STATUSES = ['CURRENT', 'PLANNING', 'COMPLETED', 'DROPPED', 'PAUSED', 'REPEATING'] as const
export type Status = (typeof STATUSES)[number]
export const SCORE_FORMATS = ['POINT_100', 'POINT_10_DECIMAL', 'POINT_10', 'POINT_5', 'POINT_3'] as const
export type ScoreFormat = (typeof SCORE_FORMATS)[number]

export interface Entry {
  readonly id: number
  readonly media: Media
  status: Status
  /** 0 to 100; 0 means no score. */
  scoreRaw: number
  progress: number
  repeat: number
  notes: string | null
  /** Names of the custom lists that contain the entry. */
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
  /** The lists are visible only to their owner. */
  isPrivate: boolean
  /** Completed films and series have separate lists. */
  splitCompleted: boolean
  /** Names of the custom lists, including empty ones. */
  customLists: readonly string[]
  /** By entry id, in order of creation. */
  readonly entries: Map<number, Entry>
}

export interface State {
  readonly clientId: string
  readonly clientSecret: string
  readonly catalogue: readonly Media[]
  readonly tokenLifetimeS: number
  /** Tokens are not JSON web tokens. */
  readonly opaqueTokens: boolean
  readonly nowMs: () => number
  readonly accounts: Account[]
  readonly tokens: Map<string, { readonly account: Account; readonly expiresAtMs: number }>
  /** Codes that are not exchanged yet. */
  readonly codes: Map<string, { readonly account: Account; readonly redirectUri: string; readonly expiresAtMs: number }>
  /** The whole API is in maintenance mode. */
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

/** Lists that are no longer named are deleted, and entries leave them. */
export function nameLists(account: Account, names: readonly string[]): void {
  account.customLists = [...new Set(names)]
  for (const entry of account.entries.values())
    entry.customLists = entry.customLists.filter((name) => names.includes(name))
}

/** Creates the entry if needed; omitted fields keep their values. */
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
