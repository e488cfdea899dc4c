// Parses a request without querying any account.
import { defined, PlayheadError } from '@playhead/sdk'
import { collectIds, type Ids, isRating, type Item, parseType, readIds } from '@playhead/sdk/items'
import { itemToWrite } from '@playhead/sdk/sync'
import { type Action, ACTIONS, type Body, DATE_MODES } from './body.ts'
import { nowOf, readWatchedOn, type When } from './dates.ts'

export interface TargetName {
  readonly provider: string
  readonly instance: string
}

export interface Order {
  /** A movie, show, season or episode with ids that are shared by several accounts; without values. */
  readonly item: Work
  readonly targets: readonly TargetName[]
  readonly actions: readonly Action[]
  /** `release`: each title has its own date. Undefined unless a title is marked as watched. */
  readonly when: When | 'release' | undefined
  readonly rating: number | undefined
  readonly confirmShow: boolean
}

export type Work = Item & { readonly type: 'movie' | 'show' | 'season' | 'episode' }

/** Throws `PLH_INVALID` with the code of the error. */
export function readOrder(body: Body, nowMs: number): Order {
  const actions = readActions(body)
  const item = readWork(body.item)
  const targets = readTargets(body)
  const rating = readRating(body, actions)
  return {
    item,
    targets,
    actions,
    when: readWhen(body, actions, nowMs),
    rating,
    confirmShow: body.confirm_show === true,
  }
}

function refuse(code: string, text: string): never {
  throw new PlayheadError('PLH_INVALID', text, { wire: code })
}

function readActions({ actions }: Body): readonly Action[] {
  const wanted = ACTIONS.filter((action) => actions?.[action] ?? action === 'history')
  if (wanted.length === 0) refuse('missing_actions', 'Send what to do: history, watchlist, rating or remove_watchlist.')
  if (wanted.includes('watchlist') && wanted.includes('remove_watchlist'))
    refuse('conflicting_actions', 'A title cannot be added to the watchlist and removed from it at the same time.')
  return wanted
}

function readWork(row: Body['item']): Work {
  const type = parseType(row.type ?? row.media_type)
  if (!type.ok || type.value === 'anime') refuse('unsupported_type', 'The type must be movie, show, season or episode.')
  const kind = (type as { readonly value: Work['type'] }).value
  const { ids, showIds } = collectIds(row)
  const isPart = kind === 'season' || kind === 'episode'
  const shows = { ...showIds, ...readIds(row.show_ids) }
  const title = textOf(row.title) ?? textOf(row.name)
  const series = textOf(row.series_title)
  const year = row.year == null || row.year === 0 ? undefined : row.year
  const item = itemToWrite(
    {
      type: kind,
      ids,
      ...defined({ title, year }),
      ...(isPart ? { show_ids: shows } : {}),
      ...(isPart && series !== undefined ? { series_title: series } : {}),
      ...(isPart && row.season != null ? { season: row.season } : {}),
      ...(kind === 'episode' && row.episode != null ? { episode: row.episode } : {}),
    },
    [],
  ) as Work
  if (!hasIds(isPart ? item.show_ids : item.ids))
    refuse(
      'missing_ids',
      isPart
        ? 'A season or an episode needs ids of its show (show_ids). A title alone may be another one.'
        : 'An ID is required, for example from TMDB, IMDb or TVDB. A title alone can be ambiguous.',
    )
  if (isPart && (item.season === undefined || (kind === 'episode' && !((item.episode ?? 0) > 0))))
    refuse('missing_episode_numbers', 'A season needs its number, an episode those of its season and its own.')
  return item
}

function readTargets({ providers }: Body): readonly TargetName[] {
  const named = (providers ?? []).map(({ provider, instance, provider_instance: alias }) => ({
    provider: provider.trim().toUpperCase(),
    instance: instanceOf(textOf(instance) ?? textOf(alias)),
  }))
  if (named.length === 0) refuse('missing_providers', 'Choose at least one account.')
  return [...new Map(named.map((name) => [`${name.provider}@${name.instance.toLowerCase()}`, name])).values()]
}

function instanceOf(text: string | undefined): string {
  return text === undefined || text.toLowerCase() === 'default' ? 'default' : text
}

function readRating({ rating }: Body, actions: readonly Action[]): number | undefined {
  if (rating != null && !isRating(rating)) refuse('invalid_rating', 'A rating must be a whole number from 1 to 10.')
  if (rating == null && actions.includes('rating')) refuse('missing_rating', 'The rating is missing.')
  return rating ?? undefined
}

function readWhen(body: Body, actions: readonly Action[], nowMs: number): Order['when'] {
  const mode = (body.date_mode ?? 'today').trim().toLowerCase()
  if (!(DATE_MODES as readonly string[]).includes(mode))
    refuse('invalid_date_mode', `date_mode is one of: ${DATE_MODES.join(', ')}.`)
  if (!actions.includes('history')) return undefined
  if (mode === 'custom') return readWatchedOn(body.watched_on, nowMs)
  return mode === 'release' ? 'release' : nowOf(nowMs)
}

function hasIds(ids: Ids | undefined): boolean {
  return Object.keys(ids ?? {}).length > 0
}

function textOf(text: string | null | undefined): string | undefined {
  const trimmed = text?.trim() ?? ''
  return trimmed === '' ? undefined : trimmed
}
