// A stand: the stand-in of a product with fresh accounts, which sign in, are filled and are read in the stand-in's
// memory, never through the plugin.
import type { Feature, Item } from '@playhead/sdk'
import type { Upstream } from '../upstreams/base/index.ts'
import type { CatalogueShow } from '../upstreams/base/index.ts'
import type { Flow } from './flows.ts'
import type { Names, WorkName } from './works.ts'

/** A row of an account, in a form that all services share. */
export interface Mark {
  readonly work: WorkName
  /** Absent: the service has no time. Whole minutes are kept by every service. */
  readonly atMs?: number | undefined
  /** 1 to 10. */
  readonly rating?: number | undefined
  /** Whole per cents are kept by every service. */
  readonly percent?: number | undefined
}

export type Settings = Readonly<Record<string, unknown>>
type Maybe<T> = T | Promise<T>

export interface Account {
  /** Settings of a profile that is signed in to this account. Each call is another sign-in. */
  signIn(): Maybe<Settings>
  put(feature: Feature, mark: Mark): Maybe<void>
  /** Absent: the account can only be added to. */
  remove?(feature: Feature, work: WorkName): Maybe<void>
  /** All rows of the feature; copies are listed twice. */
  marks(feature: Feature): Maybe<readonly Mark[]>
  /** Whether the account as it is now takes such a mark of the work. Default: it does. */
  takes?(feature: Feature, work: WorkName): boolean
  /** The person drops a show, or resumes it. */
  drop?(show: WorkName, isDropped: boolean): void
  /** Access tokens end now; they can be refreshed. */
  expire?(): void
  /** All credentials end now. */
  revoke?(): void
}

export interface StandOptions {
  /** Works that the service knows. Default: those of `SIZE`. */
  readonly movies?: number
  readonly shows?: number
  /** Further shows, behind those of the catalogue. */
  readonly moreShows?: readonly CatalogueShow[]
  readonly latencyMs?: number
  /** The service limits requests. Default false. */
  readonly limits?: boolean
  /** Clock of the service, where it has one. Default: a minute behind, so that what happened is over. */
  readonly nowMs?: () => number
}

/** @typeParam Server the stand-in */
export interface Stand<Server = unknown> extends AsyncDisposable {
  readonly server: Server
  /** `TRACKA` */
  readonly provider: string
  /** Key of the provider's section in the settings. */
  readonly section: string
  /** Every server of it, for requests and faults. */
  readonly upstreams: readonly Upstream[]
  /** Settings of a profile before any sign-in, without limits of the plugin's own. */
  readonly settings: Settings
  readonly flows?: readonly Flow[]
  /** A new account. */
  account(): Maybe<Account>
  /** The work as the service names it; undefined: it does not know the work. */
  itemOf(work: WorkName): Item | undefined
  /** Whether progress includes the length of the work. */
  readonly tellsDuration: boolean
  isWrite(request: { readonly method: string; readonly path: string; readonly query: URLSearchParams }): boolean
  isRefresh?(request: { readonly path: string }): boolean
  /** Requests so far that change something, where their addresses do not say it. */
  writes?(): number
  /** Advances the time, so that later actions have later times. */
  later?(): void
}

export const USERNAMES: readonly string[] = Array.from({ length: 60 }, (_, index) => `person-${index}`)
export const MINUTE_BEHIND = (): number => Date.now() - 60_000
/** Settings of a plugin without limits of its own. */
export const FREE_OF_LIMITS = { get_per_sec: 0, post_per_sec: 0 } as const

/** Requests that change something, of a service where every method but GET does. */
export const isPlainWrite = ({ method }: { readonly method: string }): boolean => method !== 'GET' && method !== 'HEAD'

/** Unused names. */
export function freshNames(): () => string {
  let used = 0
  return () => USERNAMES[used++]!
}

/** Requests so far. */
export const countOf = ({ upstreams }: Stand): number => upstreams.reduce((sum, one) => sum + one.count(), 0)

/** Requests so far that ask the service to change something. */
export function writesOf({ upstreams, isWrite, writes }: Stand): number {
  return writes?.() ?? upstreams.reduce((sum, one) => sum + one.count(isWrite), 0)
}

/** The ids by which the service names a work. Of an episode, the ids of its show are as good as its own. */
export function namesOf({ itemOf }: Pick<Stand, 'itemOf'>, work: WorkName): Names | undefined {
  const item = itemOf(work)
  return item === undefined ? undefined : ((item.show_ids ?? item.ids) as Names)
}

export function lineOf(feature: Feature, { work, atMs = 0, rating, percent }: Mark): string {
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

/** The item with the value of a mark. @param durationMs absent: the service has positions in per cent */
export function withMark(
  feature: Feature,
  item: Item,
  { atMs, rating, percent = 0 }: Omit<Mark, 'work'>,
  durationMs?: number,
): Item {
  const at = (name: 'added_at' | 'watched_at' | 'rated_at' | 'progress_at') =>
    atMs === undefined ? {} : { [name]: new Date(atMs).toISOString() }
  switch (feature) {
    case 'history':
      return { ...item, watched: true, ...at('watched_at') }
    case 'ratings':
      return { ...item, ...(rating === undefined ? {} : { rating }), ...at('rated_at') }
    case 'progress':
      return {
        ...item,
        ...(durationMs === undefined
          ? { progress_percent: percent }
          : { progress_ms: Math.round((durationMs * percent) / 100), duration_ms: durationMs }),
        ...at('progress_at'),
      }
    default:
      return { ...item, ...at('added_at') }
  }
}
