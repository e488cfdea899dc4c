// The options of a pair's ratings.
import {
  asOptions, type FeatureOptions, type ItemKind, type OptionReader, parseTime, parseType, readAnime, readLibraries, readOptions,
  readSwitches, Type,
} from '@playhead/sdk'

const RATED_TYPES = ['movies', 'shows', 'seasons', 'episodes'] as const
type RatedType = (typeof RATED_TYPES)[number]

const MODES = ['only_new', 'from_date', 'all'] as const
const KINDS = { movies: 'movie', shows: 'show', seasons: 'season', episodes: 'episode' } as const satisfies Record<RatedType, ItemKind>
const DEFAULT_TYPES: readonly RatedType[] = ['movies', 'shows']

export const RatingsOptions = Type.Object({
  types: Type.Array(Type.Union(RATED_TYPES.map((type) => Type.Literal(type))), {
    default: [...DEFAULT_TYPES],
    description: 'What is synced; everything else is left alone on both sides.',
  }),
  mode: Type.Union(MODES.map((mode) => Type.Literal(mode)), {
    default: 'only_new',
    description: 'only_new: what both sides have at the first run stays as it is, and changes from then on are synced. '
      + 'from_date: only ratings given since from_date. all: every rating.',
  }),
  from_date: Type.String({ default: '', description: 'A day as 2026-07-01, not in the future; only with the mode from_date.' }),
  keep_newer_target: Type.Boolean({ default: false, description: 'One-way: never replace a rating of the target that was given later.' }),
  source_always_wins: Type.Boolean({ default: false, description: 'One-way: also replace a rating that was changed at the target only.' }),
  libraries: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()), { description: 'Library ids by provider.' })),
  use_anime_mapping: Type.Optional(Type.Boolean({ description: 'Match anime by mapping data. Kept, and without effect: there is no mapping data yet.' })),
  anime_only_sync: Type.Optional(Type.Boolean({ description: 'Sync anime and nothing else. Kept, and without effect: there is no mapping data yet.' })),
})

/** @param nowMs decides what lies in the future */
export function normalizeRatings(options: unknown, nowMs: number): FeatureOptions {
  const reader = readOptions(asOptions(options))
  const normal = {
    ...readSwitches(reader),
    types: readTypes(reader.raw('types')),
    ...readMode(reader, nowMs),
    keep_newer_target: reader.flag('keep_newer_target', false),
    source_always_wins: reader.flag('source_always_wins', false),
    ...readLibraries(reader),
    ...readAnime(reader),
  }
  reader.finish()
  return normal
}

/** The kinds that are synced; undefined when every kind is. */
export function kindsOf(options: FeatureOptions): readonly ItemKind[] | undefined {
  const types = readTypes(options['types'])
  return types.length === RATED_TYPES.length ? undefined : types.map((type) => KINDS[type])
}

/** The first moment of the day from which ratings count, epoch milliseconds; undefined when all do. */
export function fromMs(options: FeatureOptions): number | undefined {
  return options['mode'] === 'from_date' ? parseTime(options['from_date'])?.atMs : undefined
}

function readMode(reader: OptionReader, nowMs: number): { readonly mode: (typeof MODES)[number]; readonly from_date: string } {
  const mode = reader.oneOf('mode', MODES, 'only_new')
  if (mode !== 'from_date') return { mode, from_date: '' }
  const day = parseTime(reader.raw('from_date'))
  // Without a usable day the careful mode is taken, not the one that sends everything.
  return day === undefined || day.atMs > nowMs
    ? { mode: 'only_new', from_date: '' }
    : { mode, from_date: new Date(day.atMs).toISOString().slice(0, 10) }
}

function readTypes(value: unknown): readonly RatedType[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  const names = list.map((name) => String(name).trim().toLowerCase())
  if (names.includes('all')) return RATED_TYPES
  const kinds = names.map((name) => parseType(name)).flatMap((type) => type.ok ? [type.value] : [])
  const types = RATED_TYPES.filter((type) => kinds.some((kind) => kind === KINDS[type]))
  return types.length === 0 ? DEFAULT_TYPES : types
}
