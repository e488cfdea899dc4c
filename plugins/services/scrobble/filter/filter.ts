// Decides which observations a lane accepts.
import { type Ids, type Item, kindOf, reaches, SCHEMES } from '@playhead/sdk/items'
import type { FilterReason, Filters, Lane, Observation } from '../contract.ts'
import { accountReason } from './account.ts'
import { fileReason } from './files.ts'

type Filtered = Pick<
  Observation,
  'item' | 'account' | 'server' | 'live' | 'libraries' | 'files' | 'markers' | 'durationMs'
>
type Filter = Pick<Lane, 'filters' | 'libraries'>

/** Why a lane ignores an observation; undefined if it passes. Pure. */
export function filterReason(observation: Filtered, { filters, libraries }: Filter): FilterReason {
  return (
    personReason(observation, { filters, libraries: [] }) ??
    kindReason(observation.item) ??
    (filters.ignore_live_tv_dvr && observation.live === true ? 'live_tv_dvr' : undefined) ??
    (observation.files === undefined ? undefined : fileReason(observation.files, filters, observation.markers)) ??
    libraryReason(observation.libraries, libraries) ??
    durationReason(observation.durationMs, filters) ??
    (hasUsableIds(observation.item) ? undefined : 'no_usable_ids')
  )
}

/** The filters that also apply to ratings: server, account and library. */
export function personReason(
  { account, server, libraries }: Pick<Observation, 'account' | 'server' | 'libraries'>,
  lane: Filter,
): FilterReason {
  return (
    serverReason(server, lane.filters) ??
    accountReason(account, lane.filters) ??
    libraryReason(libraries, lane.libraries)
  )
}

function serverReason(
  server: string | undefined,
  { server_uuid, server_uuid_whitelist, server_uuid_blacklist }: Filters,
): FilterReason {
  const own = serverKey(server ?? '')
  const isIn = (list: readonly string[]) => own !== '' && list.some((one) => serverKey(one) === own)
  if (isIn(server_uuid_blacklist)) return 'server_blocked'
  const allowed = [...server_uuid_whitelist, server_uuid].filter((one) => serverKey(one) !== '')
  return allowed.length === 0 || isIn(allowed) ? undefined : 'server_not_allowed'
}

function serverKey(server: string): string {
  return server.trim().toLowerCase()
}

function kindReason(item: Item): FilterReason {
  const kind = kindOf(item)
  return kind === 'movie' || kind === 'episode' ? undefined : 'unsupported_media_type'
}

function durationReason(durationMs: number | undefined, { min_duration_seconds: least }: Filters): FilterReason {
  return durationMs !== undefined && durationMs < least * 1_000 ? 'too_short' : undefined
}

// An unknown library does not match the selected ones.
function libraryReason(own: readonly string[] | undefined, chosen: readonly string[]): FilterReason {
  return chosen.length === 0 || own?.some((one) => chosen.includes(one)) === true ? undefined : 'library_not_allowed'
}

// A GUID identifies a file or an item of one product, and other ids of an account are not valid elsewhere.
const SHARED = SCHEMES.filter((scheme) => scheme !== 'guid' && reaches(scheme, 'provider'))

/** Shared ids of the item, or of its show with season and episode. Titles never identify an item. */
function hasUsableIds({ type, ids, show_ids: showIds, season, episode }: Item): boolean {
  const isNamed = (own: Ids | undefined) => SHARED.some((scheme) => (own?.[scheme] ?? '') !== '')
  return isNamed(ids) || (type === 'episode' && season !== undefined && episode !== undefined && isNamed(showIds))
}
