// The options of a way as form values. An empty number means the standard value.
import type { Overview, Route, Webhook } from './use-overview.ts'

export const WATCH_NUMBERS = ['pause_debounce_seconds', 'suppress_start_at'] as const
export const PLAY_NUMBERS = ['watched_at', 'force_stop_at', 'progress_step'] as const
export const HOOK_NUMBERS = [...WATCH_NUMBERS, 'guard_autoplay_seconds', 'start_guard_min_progress'] as const
export type NumberName = (typeof PLAY_NUMBERS)[number] | (typeof HOOK_NUMBERS)[number]
export type Who = 'me' | 'all' | 'some'

export interface Draft {
  readonly who: Who
  readonly names: readonly string[]
  readonly minutes: number | ''
  readonly liveTv: boolean
  readonly trailers: boolean
  readonly folders: readonly string[]
  readonly files: readonly string[]
  readonly editions: readonly string[]
  readonly numbers: Readonly<Partial<Record<NumberName, number | string>>>
  readonly removal: 'inherit' | 'on' | 'off'
  /** Ids of trackers that receive ratings. */
  readonly ratings: readonly string[]
}

interface Filters {
  readonly username_whitelist?: readonly string[]
  readonly min_duration_seconds?: number
  readonly ignore_live_tv_dvr?: boolean
  readonly ignore_placeholder_trailers?: boolean
  readonly ignored_path_prefixes?: readonly string[]
  readonly ignored_filename_patterns?: readonly string[]
  readonly ignored_editions?: readonly string[]
}

interface RouteOptions {
  readonly auto_remove_watchlist?: Draft['removal']
  readonly ratings?: { readonly mode?: string; readonly targets?: readonly string[] }
  readonly scrobble?: Draft['numbers']
  readonly watch?: Draft['numbers']
}

export const NEW_DRAFT: Draft = draftOf({}, { numbers: {}, removal: 'inherit', ratings: [] })

export function draftOfRoute({ filters, options }: Route): Draft {
  const { auto_remove_watchlist: removal = 'inherit', ratings, scrobble, watch } = options as RouteOptions
  return draftOf(filters as Filters, {
    numbers: { ...scrobble, ...watch },
    removal,
    ratings: ratings?.mode === 'custom' ? (ratings.targets ?? []) : [],
  })
}

export function draftOfWebhook({ explicit_settings: settings, provider, sink }: Webhook): Draft {
  const { filters } = settings as { readonly filters?: Filters }
  const numbers = Object.fromEntries(HOOK_NUMBERS.flatMap((name) => (name in settings ? [[name, settings[name]]] : [])))
  const isRated = settings[ratingToggle(settings, provider, sink)] === true
  return draftOf(filters ?? {}, { numbers, removal: 'inherit', ratings: isRated ? [sink] : [] })
}

function draftOf(filters: Filters, rest: Pick<Draft, 'numbers' | 'removal' | 'ratings'>): Draft {
  const { username_whitelist: names = [], min_duration_seconds: seconds = 0 } = filters
  return {
    who: names.includes('*') ? 'all' : names.length > 0 ? 'some' : 'me',
    names: names.filter((name) => name !== '*'),
    minutes: seconds === 0 ? '' : Math.round(seconds / 6) / 10,
    liveTv: filters.ignore_live_tv_dvr ?? false,
    trailers: filters.ignore_placeholder_trailers ?? false,
    folders: filters.ignored_path_prefixes ?? [],
    files: filters.ignored_filename_patterns ?? [],
    editions: filters.ignored_editions ?? [],
    ...rest,
  }
}

/** @param before filters that the form does not show and keeps */
export function filtersOf(draft: Draft, before: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const shown = {
    username_whitelist: draft.who === 'all' ? ['*'] : draft.who === 'some' ? draft.names : [],
    min_duration_seconds: draft.minutes === '' ? 0 : Math.round(draft.minutes * 60),
    ignore_live_tv_dvr: draft.liveTv,
    ignore_placeholder_trailers: draft.trailers,
    ignored_path_prefixes: draft.folders,
    ignored_filename_patterns: draft.files,
    ignored_editions: draft.editions,
  }
  const isSet = ([, value]: [string, unknown]) => (Array.isArray(value) ? value.length > 0 : Boolean(value))
  return Object.fromEntries(Object.entries({ ...before, ...shown }).filter(isSet))
}

export function optionsOf({ numbers, removal, ratings }: Draft): Record<string, unknown> {
  return {
    auto_remove_watchlist: removal,
    ratings: ratings.length === 0 ? { mode: 'off', targets: [] } : { mode: 'custom', targets: ratings },
    scrobble: given(numbers, PLAY_NUMBERS),
    watch: given(numbers, WATCH_NUMBERS),
  }
}

/** null resets an option to the standard value. */
export function webhookOptionsOf(
  { numbers, ratings }: Draft,
  webhook: Webhook,
  isRater: boolean,
): Record<string, unknown> {
  const { explicit_settings: settings, provider, sink } = webhook
  const values = HOOK_NUMBERS.map((name) => [name, numbers[name] === '' ? null : (numbers[name] ?? null)])
  return {
    ...Object.fromEntries(values),
    ...(isRater ? { [ratingToggle(settings, provider, sink)]: ratings.includes(sink) } : {}),
  }
}

/** The standard value of a number, if the overview has it. */
export function standardOf(overview: Overview, name: NumberName, isLive: boolean): number | undefined {
  const { watch_defaults: live, webhook_defaults: hook } = overview.source_state
  const values: Readonly<Partial<Record<NumberName, number>>> = isLive ? live : hook
  return values[name]
}

/** The name of the setting in its stored case. */
function ratingToggle(settings: object, provider: string, sink: string): string {
  const wanted = `${provider}_${sink}_ratings`.toLowerCase()
  return Object.keys(settings).find((name) => name.toLowerCase() === wanted) ?? wanted
}

function given(numbers: Draft['numbers'], names: readonly NumberName[]): Draft['numbers'] {
  return Object.fromEntries(
    names.flatMap((name) => (numbers[name] === undefined || numbers[name] === '' ? [] : [[name, numbers[name]]])),
  )
}
