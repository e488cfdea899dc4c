// The interface to each service for tests of complete runs: fresh accounts of its stand-in, filled and checked in the
// stand-in's memory, never through the plugin.
import type { Feature } from '@playhead/sdk'
import type { WorkName } from './works.ts'

/** A row of an account, in a format that all stand-ins share. */
export interface Mark {
  readonly work: WorkName
  /** Whole minutes, which every service can store. */
  readonly atMs: number
  /** 1 to 10. */
  readonly rating?: number
  /** Whole percent. */
  readonly percent?: number
}

/** The ids with which a service identifies a work, by scheme. */
export type Names = Readonly<Record<string, string>>

export interface Account {
  /** Settings of the profile that is signed in to this account. */
  readonly settings: Readonly<Record<string, unknown>>
  put(feature: Feature, mark: Mark): void | Promise<void>
  /** All rows of the feature as lines of `lineOf`; copies are listed twice. */
  holds(feature: Feature): readonly string[] | Promise<readonly string[]>
  /** Number of requests so far that change data. */
  writes(): number
  /** undefined: the service does not know the work. For an episode, the ids of its show are equivalent to its own. */
  namesOf(work: WorkName): Names | undefined
  /** Whether the account currently accepts such a mark of the work. Default: true. */
  takes?(feature: Feature, work: WorkName): boolean
  /** Whether progress includes the length of the work. */
  readonly tellsDuration: boolean
}

export interface StandOptions {
  /** Number of works that the service knows. Default: those of `SIZE`. */
  readonly movies?: number
  readonly latencyMs?: number
  /** The service limits requests. Default false. */
  readonly limits?: boolean
}

export interface Stand extends AsyncDisposable {
  /** `TRACKA` */
  readonly provider: string
  /** Key of the provider's section in the settings. */
  readonly section: string
  /** A new account. */
  account(): Account | Promise<Account>
  /** Requests so far. */
  count(): number
  /** Advances the time, so that later actions have later times. */
  later?(): void
}

export function lineOf(feature: Feature, { work, atMs, rating, percent }: Mark): string {
  switch (feature) {
    case 'history':
      return `${work} at ${new Date(Math.floor(atMs / 60_000) * 60_000).toISOString()}`
    case 'ratings':
      return `${work} rated ${rating}`
    case 'progress':
      return `${work} at ${Math.round(percent ?? Number.NaN)} %`
    default:
      return work
  }
}

/** Requests that change data, for a service where every method except GET does. */
export const isPlainWrite = ({ method }: { readonly method: string }): boolean => method !== 'GET' && method !== 'HEAD'
