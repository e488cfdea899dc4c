// Yamtrack: `source` is mandatory, and an episode is rejected unless its show and its season precede it, so missing ones are
// inserted before it. Without a TMDB id Yamtrack searches by title, which does not work for parts of a show.
// Columns and rules: https://github.com/FuzzyGrim/Yamtrack/wiki/Yamtrack-CSV-Format
import { formatTime, type Item, kindOf, parseTime } from '@playhead/sdk/items'
import { defineExporter, exportTitle, type ExportRow, inZone, workIds, workTitle } from '@playhead/sdk/exporter'

const COLUMNS = [
  'media_id',
  'source',
  'media_type',
  'title',
  'image',
  'season_number',
  'episode_number',
  'score',
  'progress',
  'status',
  'start_date',
  'end_date',
  'notes',
  'progressed_at',
]
const TYPES = { movie: 'movie', show: 'tv', season: 'season', episode: 'episode' } as const

export default defineExporter({
  format: 'yamtrack',
  label: 'Yamtrack',
  features: ['watchlist', 'history', 'combined'],
  kinds: ['movie', 'show', 'season', 'episode'],
  order: 'works',
  columns: () => COLUMNS,
  refuse(row, { feature }) {
    if (feature === 'combined' && parseTime(row.item.watched_at) === undefined) return 'missing_watched_at'
    // Yamtrack counts every row of an episode as a play.
    if (feature === 'watchlist' && kindOf(row.item) === 'episode') return 'missing_watched_at'
    return isPart(row) && (workIds(row.item).tmdb === undefined || row.item.season === undefined)
      ? 'missing_required_id'
      : undefined
  },
  row(row, { previous, selection: { feature, timeZone } }) {
    const { item } = row
    const kind = kindOf(item)
    const isEpisode = kind === 'episode'
    const watched = feature === 'watchlist' ? '' : yamtrackTime(item.watched_at, timeZone)
    const own = {
      ...common(item),
      media_type: TYPES[kind],
      title: isPart(row) ? workTitle(item) : exportTitle(item),
      ...(isPart(row) ? { season_number: item.season } : {}),
      ...(isEpisode ? { episode_number: item.episode } : {}),
      score: isEpisode ? '' : item.rating,
      status: isEpisode ? '' : feature === 'watchlist' ? 'Planning' : 'Completed',
      end_date: watched,
      progressed_at: watched,
    }
    if (!isPart(row)) return own
    const hasShow = previous !== null && isSameShow(previous, row)
    const hasSeason = hasShow && previous.item.season === item.season
    const parent = { ...common(item), title: workTitle(item), status: 'In progress' }
    return [
      ...(hasShow ? [] : [{ ...parent, media_type: 'tv' }]),
      ...(hasSeason || !isEpisode ? [] : [{ ...parent, media_type: 'season', season_number: item.season }]),
      own,
    ]
  },
})

function common(item: Item) {
  return { media_id: workIds(item).tmdb, source: 'tmdb' }
}

function isPart({ item }: ExportRow): boolean {
  const kind = kindOf(item)
  return kind === 'season' || kind === 'episode'
}

function isSameShow(a: ExportRow, b: ExportRow): boolean {
  return kindOf(a.item) !== 'movie' && workIds(a.item).tmdb === workIds(b.item).tmdb
}

/** A date stays a date: `2026-07-01`. A time is in the person's time zone with its offset: `2026-07-01 22:15:00+02:00`. */
function yamtrackTime(value: string | undefined, timeZone = 'UTC'): string {
  const time = parseTime(value)
  if (time === undefined) return ''
  if (time.precision === 'date') return formatTime(time)
  // Rounded to whole minutes, because offsets before standard time included seconds.
  const offsetMinutes = Math.round(inZone(time.atMs, timeZone).offsetNanoseconds / 60e9)
  const text = new Date(time.atMs + offsetMinutes * 60_000).toISOString()
  const two = (number: number) => String(number).padStart(2, '0')
  const size = Math.abs(offsetMinutes)
  return `${text.slice(0, 10)} ${text.slice(11, 19)}${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}
