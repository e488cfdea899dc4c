// What the tests of whole runs need of any service: fresh accounts of its stand-in, filled as a person fills them and
// looked at in the stand-in's own memory, never through the plugin that is tested.
import type { Feature } from '@playhead/sdk'
import type { WorkName } from './works.ts'

/** Something in an account, in words that all stand-ins share. */
export interface Mark {
  readonly work: WorkName
  /** Whole minutes, which every service keeps. */
  readonly atMs: number
  /** 1 to 10. */
  readonly rating?: number
  /** Whole per cents. */
  readonly percent?: number
}

/** The ids by which a service names a work, by scheme. */
export type Names = Readonly<Record<string, string>>

export interface Account {
  /** Settings of the profile that is signed in to this account. */
  readonly settings: Readonly<Record<string, unknown>>
  put(feature: Feature, mark: Mark): void | Promise<void>
  /** All that the account holds of the feature, as lines of `lineOf`; what is there twice is told twice. */
  holds(feature: Feature): readonly string[] | Promise<readonly string[]>
  /** Requests so far that ask the stand-in to change something. */
  writes(): number
  /** Undefined: the service does not know the work. Of an episode, the ids of its show are as good as its own. */
  namesOf(work: WorkName): Names | undefined
  /** Whether the account as it is now takes such a mark of the work. Default: it does. */
  takes?(feature: Feature, work: WorkName): boolean
  /** Whether positions come with the length of the work. */
  readonly tellsDuration: boolean
}

export interface StandOptions {
  /** Works that the service knows. Default: those of `SIZE`. */
  readonly movies?: number
  readonly latencyMs?: number
  /** The service turns away who asks too much of it. Default false. */
  readonly limits?: boolean
}

export interface Stand extends AsyncDisposable {
  /** `TRACKA` */
  readonly provider: string
  /** Key of the provider's section in the settings. */
  readonly section: string
  /** An account that nobody used before. */
  account(): Account | Promise<Account>
  /** Requests so far. */
  count(): number
  /** Time goes by, so that what happens next has another time than what was before. */
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

/** Requests that change something, of a service where every method but GET does. */
export const isPlainWrite = ({ method }: { readonly method: string }): boolean => method !== 'GET' && method !== 'HEAD'
