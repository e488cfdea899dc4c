import { titledChoice, Type } from '@playhead/sdk'
import { type ItemKind, parseTime, parseType } from '@playhead/sdk/items'
import { AnimeOptions, type FeatureOptions, LibraryChoice, readFeatureOptions } from '@playhead/sdk/sync'

const RATED_TYPES = ['movies', 'shows', 'seasons', 'episodes'] as const
type RatedType = (typeof RATED_TYPES)[number]

const MODES = ['only_new', 'from_date', 'all'] as const
const KINDS = { movies: 'movie', shows: 'show', seasons: 'season', episodes: 'episode' } as const satisfies Record<
  RatedType,
  ItemKind
>
const DEFAULT_TYPES: readonly RatedType[] = ['movies', 'shows']

export const RatingsOptions = Type.Object({
  types: Type.Array(
    titledChoice({ movies: 'Movies', shows: 'Shows', seasons: 'Seasons', episodes: 'Episodes' } satisfies Record<
      RatedType,
      string
    >),
    {
      title: 'Types',
      default: [...DEFAULT_TYPES],
      uniqueItems: true,
      description: 'Ratings of other types are not changed.',
    },
  ),
  mode: titledChoice(
    { only_new: 'Only changes from now on', from_date: 'Rated since a date', all: 'All ratings' } satisfies Record<
      (typeof MODES)[number],
      string
    >,
    {
      title: 'Which ratings',
      default: 'only_new',
      description: 'Choose whether ratings that exist at the first run are synced.',
    },
  ),
  from_date: Type.String({
    title: 'Since (date)',
    default: '',
    description: 'For example 2026-07-01. Used only if ratings since a date are synced.',
  }),
  keep_newer_target: Type.Boolean({
    title: 'Keep newer ratings of the target (one-way)',
    default: false,
    description: 'A later rating on the target is not replaced.',
  }),
  source_always_wins: Type.Boolean({
    title: 'The source always wins (one-way)',
    default: false,
    description: 'Ratings that changed only on the target are also replaced.',
  }),
  libraries: Type.Optional(LibraryChoice),
  ...AnimeOptions,
})

/** @param nowMs a start date after it is invalid */
export function normalizeRatings(options: unknown, nowMs: number): FeatureOptions {
  const normal = readFeatureOptions(RatingsOptions, options, {
    types: readTypes,
    from_date: (value) => readDay(value, nowMs),
  })
  const day = normal['mode'] === 'from_date' ? normal['from_date'] : ''
  // Without a valid day, fall back to the mode that syncs less.
  const mode = normal['mode'] === 'from_date' && day === '' ? 'only_new' : normal['mode']
  return { ...normal, mode, from_date: day }
}

/** Undefined when every kind is synced. */
export function kindsOf(options: FeatureOptions): readonly ItemKind[] | undefined {
  const types = readTypes(options['types'])
  return types.length === RATED_TYPES.length ? undefined : types.map((type) => KINDS[type])
}

/** Start of the first day whose ratings are synced, epoch milliseconds; undefined for all ratings. */
export function fromMs(options: FeatureOptions): number | undefined {
  return options['mode'] === 'from_date' ? parseTime(options['from_date'])?.atMs : undefined
}

/** The day as a date; empty if it is unreadable or in the future. */
function readDay(value: unknown, nowMs: number): string {
  const day = parseTime(value)
  return day === undefined || day.atMs > nowMs ? '' : new Date(day.atMs).toISOString().slice(0, 10)
}

function readTypes(value: unknown): readonly RatedType[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  const names = list.map((name) => String(name).trim().toLowerCase())
  if (names.includes('all')) return RATED_TYPES
  const kinds = names.map((name) => parseType(name)).flatMap((type) => (type.ok ? [type.value] : []))
  const types = RATED_TYPES.filter((type) => kinds.some((kind) => kind === KINDS[type]))
  return types.length === 0 ? DEFAULT_TYPES : types
}
