// The state of the Plex stand-in: accounts with their tokens, one media server with its library, each account's play state, and
// the watchlists in the cloud. Plain data, so that tests can inspect it.
import { createHash } from 'node:crypto'

export type ItemType = 'movie' | 'show' | 'season' | 'episode'

export interface Account {
  /** Id in the cloud. */
  readonly id: number
  /** Id on the media server: 1 for the owner, the cloud id for everyone else. */
  readonly localId: number
  readonly uuid: string
  readonly role: 'owner' | 'managed' | 'friend'
  /** A managed user has only a title. */
  readonly username: string | null
  readonly title: string
  readonly email: string | null
  /** Required to switch to this home user. */
  readonly pin?: string
  /** Library sections of the media server that this account may see. */
  readonly sections: readonly string[]
}

export interface Token {
  readonly value: string
  readonly accountId: number
  /** An account token opens the cloud, a server token the media server. */
  readonly host: 'cloud' | 'server'
  expired: boolean
}

export interface Pin {
  readonly id: number
  readonly code: string
  readonly clientIdentifier: string
  readonly product: string
  readonly createdAtMs: number
  expiresAtMs: number
  authToken: string | null
}

export interface Section {
  readonly key: string
  readonly type: 'movie' | 'show'
  readonly title: string
  readonly uuid: string
}

export interface Item {
  readonly ratingKey: string
  readonly type: ItemType
  readonly sectionKey: string
  readonly guid: string
  /** External ids such as `imdb://tt1`; empty if the server found none. */
  readonly guids: readonly string[]
  readonly title: string
  readonly year?: number
  readonly durationMs?: number
  readonly premieredAtMs?: number
  readonly addedAtMs: number
  /** Number of a season or of an episode. */
  readonly index?: number
  /** The season of an episode, the show of a season. */
  readonly parentKey?: string
  /** Default: derived from the title. */
  readonly file?: string
  readonly edition?: string
}

/** One account's state of a film or episode. */
export interface PlayState {
  viewCount: number
  lastViewedAtMs?: number
  viewOffsetMs?: number
  userRating?: number
  lastRatedAtMs?: number
}

/** A row of the play log. It survives the deletion of its item. */
export interface Play {
  readonly id: number
  readonly accountId: number
  readonly ratingKey: string
  readonly viewedAtMs: number
  readonly sectionKey: string
  readonly type: ItemType
  readonly title: string
  readonly grandparentTitle?: string
  readonly parentIndex?: number
  readonly index?: number
  readonly premieredAtMs?: number
}

export interface Session {
  readonly sessionKey: string
  readonly accountId: number
  readonly ratingKey: string
  readonly clientIdentifier: string
  readonly device?: string
  /** A person whom the cloud does not list. */
  readonly guest?: Account
  /** Overrides fields of its row. */
  readonly row?: Readonly<Record<string, unknown>>
  state: string
  /** undefined: the player has not reported it. */
  viewOffsetMs?: number
  /** A session beyond the threshold counts as one play, regardless of the number of reports. */
  counted: boolean
}

export interface Playlist {
  readonly ratingKey: string
  readonly accountId: number
  title: string
  summary: string
  readonly smart: boolean
  readonly addedAtMs: number
  updatedAtMs: number
  /** The same item can occur twice: an entry has its own id. */
  entries: { readonly id: number; readonly ratingKey: string }[]
}

export interface Collection {
  readonly ratingKey: string
  readonly sectionKey: string
  readonly title: string
  readonly smart: boolean
  readonly addedAtMs: number
  updatedAtMs: number
  /** Rating keys. */
  items: string[]
}

/** A film or show of the cloud, independent of any server. */
export interface CloudItem {
  readonly hex: string
  readonly type: 'movie' | 'show'
  readonly title: string
  readonly year: number
  readonly premieredAtMs: number
  readonly guids: readonly string[]
  /** Some list rows have no external ids; the single item always has them. */
  readonly bareInLists: boolean
}

export interface PlexState {
  readonly machineIdentifier: string
  readonly now: () => number
  readonly stampsReports: boolean
  /** Address of the media server, set when it listens. */
  serverUrl: string
  readonly accounts: readonly Account[]
  readonly tokens: Map<string, Token>
  readonly pins: Map<number, Pin>
  readonly sections: readonly Section[]
  readonly items: Map<string, Item>
  readonly plays: Play[]
  /** By account id, then by rating key. */
  readonly playStates: Map<number, Map<string, PlayState>>
  readonly sessions: Map<string, Session>
  readonly playlists: Map<string, Playlist>
  readonly collections: Map<string, Collection>
  readonly cloud: Map<string, CloudItem>
  /** By account id: time of the addition; null if the service does not report it. */
  readonly watchlists: Map<number, Map<string, number | null>>
  /** Number of requests to refuse, and the retry time to send. */
  readonly throttle: { requests: number; retryAfterS: number | undefined }
  /** One counter for all ids, which are never reused. */
  nextId: number
}

export function takeId(state: PlexState): number {
  state.nextId += 1
  return state.nextId
}

export function issueToken(state: PlexState, account: Account, host: Token['host']): Token {
  const value = digest(`${host} ${account.id} ${takeId(state)} ${state.machineIdentifier}`).slice(0, 20)
  const token = { value, accountId: account.id, host, expired: false }
  state.tokens.set(value, token)
  return token
}

/** The token of this account for the media server: the same one until it expires. */
export function serverToken(state: PlexState, account: Account): Token {
  for (const token of state.tokens.values()) {
    if (token.accountId === account.id && token.host === 'server' && !token.expired) return token
  }
  return issueToken(state, account, 'server')
}

/** Reads an account's state of an item. Only `changePlayState` writes. */
export function playStateOf(state: PlexState, account: Account, ratingKey: string): Readonly<PlayState> {
  return state.playStates.get(account.id)?.get(ratingKey) ?? { viewCount: 0 }
}

export function changePlayState(state: PlexState, account: Account, ratingKey: string): PlayState {
  const ofAccount = state.playStates.getOrInsertComputed(account.id, () => new Map<string, PlayState>())
  return ofAccount.getOrInsertComputed(ratingKey, () => ({ viewCount: 0 }))
}

export function watchlistOf(state: PlexState, account: Account): Map<string, number | null> {
  return state.watchlists.getOrInsertComputed(account.id, () => new Map<string, number | null>())
}

/** Films and episodes below an item, in order; a film or an episode is its own leaf. */
export function leavesOf(state: PlexState, item: Item): Item[] {
  if (item.type === 'movie' || item.type === 'episode') return [item]
  return childrenOf(state, item.ratingKey).flatMap((child) => leavesOf(state, child))
}

export function childrenOf(state: PlexState, ratingKey: string): Item[] {
  return [...state.items.values()]
    .filter((item) => item.parentKey === ratingKey)
    .sort((a, b) => (a.index ?? 0) - (b.index ?? 0))
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').replaceAll('-', 'x').replaceAll('_', 'y')
}
