// Ryot: one JSON file, the `CompleteExport` of its documentation (https://docs.ryot.io/exporting). A title has its plays, reviews
// and collections. Movies and shows of TMDB and TVDB are read; books, games and others are skipped.
import { defined } from '@playhead/sdk'
import { isRecord, type Item, RATING_SCALES } from '@playhead/sdk/items'
import {
  defineImporter,
  idCells,
  type ImportedRow,
  type ImportFile,
  type ImportRecord,
  type ImportResult,
  type ImportSketch,
  listAt,
  playRow,
  ratingCell,
  ratingRow,
  recordAt,
  textCell,
  timeCell,
  watchlistRow,
  wholeCell,
  workItem,
} from '@playhead/sdk/importer'

type Fields = Readonly<Record<string, unknown>>
/** Further tables of an export. Those that a person has nothing in are null, and no tables. */
const OTHERS = [
  'metadata_groups',
  'people',
  'collections',
  'exercises',
  'measurements',
  'workouts',
  'workout_templates',
]
/** Fields of a title. */
const OWN = /"(?:seen_history|show_season_number|ended_on|collection_name|source_id)"/

export default defineImporter({
  format: 'ryot',
  label: 'Ryot',
  hint: 'In Ryot, open Settings, Imports and exports, Export, and download the JSON file.',
  features: ['watchlist', 'history', 'ratings', 'progress'],
  recognise: filesOf,
  open: () => ({ read: readTitle }),
})

function filesOf({ files }: ImportSketch): readonly ImportFile[] | null {
  const found = files.filter(
    ({ kind, tables, head }) =>
      kind === 'json' &&
      tables?.includes('metadata') === true &&
      (OWN.test(head) || OTHERS.filter((name) => tables.includes(name)).length >= 2),
  )
  return found.length === 0 ? null : found
}

function readTitle({ table, value }: ImportRecord): ImportResult {
  if (table !== 'metadata') return []
  const fields: Fields = isRecord(value) ? value : {}
  const { lot, source, identifier } = fields
  const type = lot === 'movie' ? 'movie' : lot === 'show' ? 'show' : undefined
  if (type === undefined) return [{ skipped: 'unsupported_type' }]
  // `source_id` is the title. Titles that people made themselves have ids of their own.
  const title = textCell(fields['source_id'])
  const ids = idCells({ tmdb: source === 'tmdb' ? identifier : '', tvdb: source === 'tvdb' ? identifier : '' })
  if (title === undefined && Object.keys(ids).length === 0) return [{ skipped: 'missing_title' }]
  const partOf = (season: unknown, episode: unknown): Item | undefined => {
    const [s, e] = [wholeCell(season), wholeCell(episode, 1)]
    if (type === 'movie' || (s === undefined && e === undefined)) return defined({ type, ids, title })
    return workItem({ type: e === undefined ? 'season' : 'episode', ids, title, season: s, episode: e })
  }
  const rows = [
    ...listAt(fields, 'seen_history').flatMap((seen) => readSeen(recordAt(seen), partOf)),
    ...listAt(fields, 'reviews').flatMap((review) => readReview(recordAt(review), partOf)),
    ...listAt(fields, 'collections').flatMap((entry) => {
      const { collection_name: name, created_on: since } = recordAt(entry)
      return name === 'Watchlist' ? [watchlistRow(defined({ type, ids, title }), timeCell(since))] : []
    }),
  ]
  return rows.length > 0 ? rows : [{ skipped: 'not_watched' }]
}

type PartOf = (season: unknown, episode: unknown) => Item | undefined

/** A missing state or progress means that it was completed. */
function readSeen(seen: Fields, partOf: PartOf): ImportResult {
  const item = partOf(seen['show_season_number'], seen['show_episode_number'])
  if (item === undefined) return [{ skipped: 'invalid_value' }]
  // A play of a show that names no episode.
  if (item.type === 'show' || item.type === 'season') return [{ skipped: 'missing_episodes' }]
  const state = seen['state'] ?? 'completed'
  if (state === 'completed') return [playRow(item, timeCell(seen['ended_on']))]
  const percent = Number(textCell(seen['progress']) ?? Number.NaN)
  if (state !== 'in_progress' || !(percent > 0 && percent < 100)) return [{ skipped: 'not_watched' }]
  const row: ImportedRow = { feature: 'progress', item: { ...item, progress_percent: percent } }
  return [row]
}

/** Ratings are 0 to 100, regardless of the scale that the person sees. */
function readReview(review: Fields, partOf: PartOf): ImportResult {
  const rating = ratingCell(review['rating'], RATING_SCALES.hundredPoints)
  const item = partOf(review['show_season_number'], review['show_episode_number'])
  // A review may be a text alone.
  if (rating === undefined) return []
  return item === undefined
    ? [{ skipped: 'invalid_value' }]
    : [ratingRow(item, rating, timeCell(recordAt(review, 'review')['date']))]
}
