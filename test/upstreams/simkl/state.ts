// The state of the SIMKL stand-in: sessions, and the data of every account.
import type { Part, Work, Works } from './works.ts'

export type Status = 'plantowatch' | 'watching' | 'completed' | 'hold' | 'dropped'
export type Plan = 'free' | 'pro' | 'vip'

export interface Entry {
  readonly work: Work
  status: Status
  addedAtMs: number
  /** For films. */
  watchedAtMs: number | undefined
  /** For episodes, by `season/number`. */
  readonly watched: Map<string, number>
  rating: number | undefined
  ratedAtMs: number | undefined
}

export interface Paused {
  readonly id: bigint
  readonly work: Work
  readonly episode: { readonly season: number; readonly number: number } | undefined
  readonly progress: number
  readonly pausedAtMs: number
}

export interface Account {
  readonly id: number
  name: string
  plan: Plan
  /** By SIMKL id. */
  readonly library: Map<number, Entry>
  /** One per work. */
  readonly paused: Map<number, Paused>
  /** Times of the last change, `group.name` to epoch milliseconds. */
  readonly stamps: Map<string, number>
  /** By the key of the play. */
  readonly completedAtMs: Map<string, number>
  /** Every recorded play, including repeated ones, although the library keeps one time per title. */
  readonly plays: { readonly key: string; readonly watchedAtMs: number }[]
  /** Key of the item that is being watched. */
  watching: string | undefined
  /** Full library reads since activities were last read. */
  unaskedReads: number
}

export interface Token {
  readonly access: string
  /** Empty for AUTH V1. */
  readonly refresh: string
  readonly account: Account
  readonly scopes: readonly string[]
  /** The application of the token. */
  readonly clientId: string
  expiresAtMs: number
  readonly refreshEndsAtMs: number
}

export interface State {
  /** Application of AUTH V2. */
  readonly clientId: string
  /** Empty: a public application. */
  readonly clientSecret: string
  /** Application of AUTH V1. */
  readonly v1ClientId: string
  readonly v1ClientSecret: string
  /** Undocumented: each refresh issues another refresh token. */
  rotates: boolean
  /** The format of the scope in token responses. */
  scopeAs: (scopes: readonly string[]) => { readonly scope?: string }
  readonly works: Works
  readonly nowMs: () => number
  readonly accounts: readonly Account[]
  /** By access token. */
  readonly tokens: Map<string, Token>
  /** By user code. */
  readonly pins: Map<
    string,
    {
      readonly deviceCode: string
      readonly clientId: string
      readonly scopes: readonly string[]
      expiresAtMs: number
      lastAskedAtMs: number
      approvedBy: Account | undefined
      isDenied: boolean
    }
  >
  /** Codes of the browser sign-in. */
  readonly codes: Map<
    string,
    {
      readonly account: Account
      readonly clientId: string
      readonly redirectUri: string
      readonly scopes: readonly string[]
      readonly challenge: string | null
    }
  >
  lastPausedId: bigint
  readonly suspends: boolean
  isSuspended: boolean
  /** Requests in the current second, and the end of a write block. */
  readonly windows: { second: number; reads: number; writes: number; blockedUntilMs: number }
}

export const GROUPS: Readonly<Record<Part, string>> = { movies: 'movies', shows: 'tv_shows', anime: 'anime' }

export function createAccount(id: number, name: string, plan: Plan): Account {
  return {
    id,
    name,
    plan,
    library: new Map(),
    paused: new Map(),
    stamps: new Map(),
    completedAtMs: new Map(),
    plays: [],
    watching: undefined,
    unaskedReads: 0,
  }
}

export function touch(account: Account, part: Part, name: string, nowMs: number): void {
  account.stamps.set(`${GROUPS[part]}.${name}`, nowMs)
  account.stamps.set(`${GROUPS[part]}.all`, nowMs)
}
