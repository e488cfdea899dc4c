// The XML export of MyAnimeList (myanimelist.net/panel.php?go=export), which other programs write too: one `anime` for each entry.
// Watched episodes are a count, dates are days, and `0000-00-00` is none.
import type { Item } from '@playhead/sdk/items'
import {
  defineImporter,
  idCells,
  type ImportedRow,
  type ImportFile,
  type ImportRecord,
  type ImportResult,
  type ImportSketch,
  playRow,
  ratingCell,
  ratingRow,
  textCell,
  timeCell,
  watchlistRow,
  wholeCell,
  workItem,
  type XmlElement,
  xmlElement,
  xmlText,
} from '@playhead/sdk/importer'

/** MyAnimeList names statuses; some programs write its numbers. */
const PLANNED = ['plantowatch', '6']
const COMPLETED = ['completed', '2']
/** The longest series has some thousand; a larger number is damaged. */
const MOST_EPISODES = 10_000
const ANIME = /<anime>/
const EXPORT = /<myanimelist[\s>]/
/** `user_export_type` 2. */
const MANGA = /<user_export_type>\s*2\s*</

export default defineImporter({
  format: 'mal-xml',
  label: 'MyAnimeList',
  hint: 'At myanimelist.net, open your list, then Tools, Export, Anime List. The file can stay packed (.xml.gz).',
  features: ['watchlist', 'history', 'ratings'],
  elements: ['myinfo', 'anime'],
  recognise: filesOf,
  explain: ({ files }) =>
    files.some(({ head }) => EXPORT.test(head) && MANGA.test(head))
      ? 'This is the manga list of MyAnimeList. Export the anime list.'
      : undefined,
  // An export belongs to one person.
  owner: ({ path }) => path,
  open: openReader,
})

function filesOf({ files }: ImportSketch): readonly ImportFile[] | null {
  const found = files.filter(
    ({ kind, head }) => kind === 'xml' && EXPORT.test(head) && (ANIME.test(head) || !MANGA.test(head)),
  )
  return found.length === 0 ? null : found
}

function openReader() {
  let first: string | undefined
  /** Of a further export that was appended to the file. */
  let person: string | undefined
  return {
    read({ value }: ImportRecord): ImportResult {
      const element = xmlElement(value)
      if (element === undefined) return []
      if (element.name !== 'myinfo')
        return readEntry(element).map((row) => ('skipped' in row || person === undefined ? row : { ...row, person }))
      const user = xmlText(element, 'user_name') ?? xmlText(element, 'user_id') ?? ''
      first ??= user
      person = user === first ? undefined : user
      return []
    },
  }
}

function readEntry(entry: XmlElement): ImportResult {
  const ids = idCells({ mal: xmlText(entry, 'series_animedb_id') })
  const title = textCell(xmlText(entry, 'series_title'))
  if (title === undefined && ids.mal === undefined) return [{ skipped: 'missing_title' }]
  const type = (xmlText(entry, 'series_type') ?? '').trim().toLowerCase()
  // A film and a series of a similar title are different works.
  if (type === '' || type === 'unknown') return [{ skipped: 'unsupported_type' }]
  const film = type === 'movie'
  const work: Item = { ...workItem({ type: 'anime', ids, title })!, ...(film ? { film } : {}) }
  const status = (xmlText(entry, 'my_status') ?? '').toLowerCase().replace(/[^a-z0-9]/g, '')
  const rating = ratingCell(xmlText(entry, 'my_score'))
  const rows = [
    ...(rating === undefined ? [] : [ratingRow(work, rating)]),
    ...(PLANNED.includes(status) ? [watchlistRow(work)] : []),
    ...playsOf(work, entry, COMPLETED.includes(status)),
  ]
  return rows.length > 0 ? rows : [{ skipped: 'unsupported_list' }]
}

/** A second watch counts apart. It does not say which episodes were seen then. */
function playsOf(work: Item, entry: XmlElement, isCompleted: boolean): ImportedRow[] {
  const count = (name: string) => wholeCell(xmlText(entry, name)) ?? 0
  const total = count('series_episodes')
  const isWhole = isCompleted || count('my_times_watched') > 0 || count('my_rewatching') > 0
  const seen = Math.max(count('my_watched_episodes'), isWhole ? total : 0)
  // The end of a series is the day of its last episode alone.
  const day = isCompleted ? timeCell(xmlText(entry, 'my_finish_date')) : undefined
  if (work.film === true) return seen > 0 || isCompleted ? [playRow(work, day)] : []
  const part = { type: 'episode', ids: work.ids, title: work.title ?? undefined, season: 1 } as const
  return Array.from({ length: Math.min(seen, MOST_EPISODES) }, (_, index) =>
    playRow(workItem({ ...part, episode: index + 1 })!, index + 1 === total ? day : undefined),
  )
}
