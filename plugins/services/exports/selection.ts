// The rows and the format of a request.
import {
  type AccountName,
  type Accounts,
  EXPORT_FEATURES,
  type ItemKind,
  namedProvider,
  PlayheadError,
  type ProviderDescription,
  type Remote,
} from '@playhead/sdk'
import { type Exporter, type ExporterDescription, type ExportSelection, inZone } from '@playhead/sdk/exporter'
import type { RowFilter } from './row-source.ts'

export interface Format {
  readonly exporter: Remote<Exporter>
  readonly description: ExporterDescription
}

/** The available choices. */
export interface Offered {
  /** All available formats, by label. */
  formats(): Promise<readonly Format[]>
  readonly accounts: Remote<Accounts>
  /** The time zone of the settings; empty if none was chosen. */
  timeZone(): string
}

export interface ExportQuery {
  readonly provider?: string
  readonly provider_instance?: string
  readonly feature?: string
  readonly format?: string
  readonly media_types?: string | readonly string[]
  readonly include_watched_date?: boolean
  readonly include_rewatches?: boolean
  readonly spreadsheet?: boolean
  readonly tz?: string
  readonly q?: string
  readonly ids?: string | readonly string[]
}

export interface Chosen {
  readonly format: Format
  /** The requested format; its rows may use the columns of another one. */
  readonly name: string
  readonly provider: ProviderDescription
  readonly accounts: readonly AccountName[]
  readonly selection: ExportSelection
  readonly kinds: readonly ItemKind[]
  readonly filter: RowFilter
  /** The provider supports single plays. */
  readonly rewatchesSupported: boolean
  readonly includeRewatches: boolean
}

export const KINDS: readonly ItemKind[] = ['movie', 'show', 'season', 'episode']
const MEDIA_TYPES: Readonly<Record<string, ItemKind>> = {
  movie: 'movie',
  movies: 'movie',
  film: 'movie',
  films: 'movie',
  show: 'show',
  shows: 'show',
  tv: 'show',
  series: 'show',
  season: 'season',
  seasons: 'season',
  episode: 'episode',
  episodes: 'episode',
}
const ALL = new Set(['all', 'any', '*'])

/**
 * Throws `PLH_INVALID` (422 `unknown_format`, `unknown_feature`, `unknown_media_type`, `unknown_time_zone`, `provider_required`; 400 `unsupported_feature`),
 * `PLH_NOT_FOUND` (`unknown_provider`, `unknown_instance`).
 */
export async function choose(parts: Offered, query: ExportQuery, nowMs: number): Promise<Chosen> {
  const { feature, format, name, provider } = await chooseFormat(parts, query)
  const instance = (query.provider_instance ?? '').trim() || 'all'
  const accounts = await chooseAccounts(parts, provider, instance)
  const rewatchesSupported = provider.features.history?.plays?.read === true
  const includeRewatches = query.include_rewatches !== false
  const kinds = mediaTypes(query.media_types)
  const keys = listOf(query.ids)
  return {
    format,
    name,
    provider,
    accounts,
    kinds,
    rewatchesSupported,
    includeRewatches,
    selection: {
      provider: provider.id,
      instance: accounts.length === 1 ? accounts[0]!.instance : 'all',
      feature,
      watchedDate: query.include_watched_date !== false,
      spreadsheet: query.spreadsheet === true,
      timeZone: chooseZone(parts, query.tz),
      exportedAtMs: nowMs,
    },
    filter: {
      kinds: kinds.filter((kind) => format.description.kinds.includes(kind)),
      search: keys.length > 0 ? '' : (query.q ?? ''),
      keys: keys.length > 0 ? keys : null,
      latestOnly: !includeRewatches,
      order: format.description.order,
    },
  }
}

async function chooseFormat(parts: Offered, query: ExportQuery) {
  const formats = await parts.formats()
  const formatName = (query.format ?? '').trim() || 'letterboxd'
  // Names of older clients.
  const name = formatName.toLowerCase() === 'tmdb' ? 'metaA' : formatName
  const asked = formats.find(({ description }) => description.id.toLowerCase() === name.toLowerCase())
  if (asked === undefined)
    throw malformed(
      'format',
      'unknown_format',
      `There is no format "${name}". There are ${formats.map((one) => one.description.id).join(', ')}.`,
    )
  const featureName = (query.feature ?? '').trim().toLowerCase() || 'watchlist'
  const feature = EXPORT_FEATURES.find((one) => one === featureName)
  if (feature === undefined)
    throw malformed(
      'feature',
      'unknown_feature',
      `There is no feature "${featureName}". There are ${EXPORT_FEATURES.join(', ')}.`,
    )
  const provider = await chooseProvider(parts, query.provider)
  const { label, dialects = {}, features } = asked.description
  if (!features.includes(feature))
    throw new PlayheadError('PLH_UNSUPPORTED', `${label} files hold ${features.join(', ')}, but no ${feature}.`, {
      wire: 'unsupported_feature',
    })
  const dialect = formats.find(({ description }) => description.id === dialects[provider.id])
  return { feature, name: asked.description.id, provider, format: dialect ?? asked }
}

async function chooseProvider({ accounts }: Offered, given = ''): Promise<ProviderDescription> {
  const name = given.trim()
  if (name === '') throw malformed('provider', 'provider_required', 'Name the service with "provider".')
  return namedProvider(await accounts.providers(), name)
}

async function chooseAccounts(
  { accounts }: Offered,
  { id, label }: ProviderDescription,
  instance: string,
): Promise<readonly AccountName[]> {
  const own = (await accounts.list()).filter(({ provider }) => provider === id)
  const isWanted = (one: string) => one.toLowerCase() === instance.toLowerCase()
  const chosen = ALL.has(instance.toLowerCase()) ? own : own.filter((one) => isWanted(one.instance))
  if (chosen.length === 0 && !ALL.has(instance.toLowerCase()))
    throw new PlayheadError('PLH_NOT_FOUND', `${label} has no such profile.`, { wire: 'unknown_instance' })
  return chosen.map((one) => ({ provider: one.provider, instance: one.instance }))
}

/** The time zone of the dates in the file: from the request, else from the settings, else of the server. */
function chooseZone({ timeZone }: Offered, given = ''): string {
  const name = given.trim()
  if (name !== '' && !isTimeZone(name))
    throw malformed('tz', 'unknown_time_zone', `"${name}" is no time zone; give a name such as Europe/Berlin.`)
  return [name, timeZone()].find((one) => isTimeZone(one)) ?? Temporal.Now.timeZoneId()
}

function isTimeZone(name: string): boolean {
  // Otherwise a full timestamp with a zone would be parsed as a zone.
  if (!/^[a-z+-][\w+/:-]*$/i.test(name)) return false
  try {
    inZone(0, name)
    return true
  } catch {
    return false
  }
}

/** All features unless some are named: a backup file must not lack data that the person did not exclude. */
function mediaTypes(given: string | readonly string[] | undefined): readonly ItemKind[] {
  const names = listOf(given).map((name) => name.toLowerCase())
  const unknown = names.find((name) => MEDIA_TYPES[name] === undefined && !ALL.has(name))
  if (unknown !== undefined)
    throw malformed(
      'media_types',
      'unknown_media_type',
      `There is no media type "${unknown}". There are ${KINDS.join(', ')}.`,
    )
  const chosen = new Set(names.map((name) => MEDIA_TYPES[name]))
  return names.length === 0 || names.some((name) => ALL.has(name)) ? KINDS : KINDS.filter((kind) => chosen.has(kind))
}

/** Accepts repeated values, and one with commas. Keys that contain a comma must be repeated values. */
function listOf(given: string | readonly string[] | undefined): readonly string[] {
  const values = typeof given === 'string' ? given.split(',') : (given ?? [])
  return [...new Set(values.map((value) => value.trim()).filter((value) => value !== ''))]
}

/** 422 in the form of schema errors, because the allowed values are known only at run time. */
function malformed(name: string, wire: string, message: string): PlayheadError {
  const detail = [{ loc: ['query', name], msg: message, type: 'value_error' }]
  return new PlayheadError('PLH_INVALID', message, { wire, status: 422, details: { detail } })
}
