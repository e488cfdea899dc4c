// Kodi: an exported video library, as one file (videodb.xml) or as an .nfo file beside each video, in a ZIP archive
// (https://kodi.wiki/view/Import-export_library/Video, https://kodi.wiki/view/NFO_files). Times are local times without a zone.
import { defined, type Item } from '@playhead/sdk'
import type { Ids } from '@playhead/sdk/items'
import {
  defineImporter,
  idCells,
  type ImportedRow,
  type ImportFile,
  type ImportResult,
  partItem,
  playRow,
  ratingCell,
  ratingRow,
  textCell,
  timeCell,
  wholeCell,
  xmlChildren,
  type XmlElement,
  xmlElement,
  xmlText,
  yearCell,
} from '@playhead/sdk/importer'

const SCHEMES = ['imdb', 'tmdb', 'tvdb'] as const
/** The first element, after the declaration and comments. */
const ROOT = /^\s*(?:<\?(?:(?!\?>)[\s\S])*\?>\s*|<!--(?:(?!-->)[\s\S])*-->\s*|<!DOCTYPE[^>]*>\s*)*<([A-Za-z]+)/
const OF_A_VIDEO = ['movie', 'tvshow', 'episodedetails']
/** Times of titles that were never played. */
const NEVER = /^(?:0000|1601|1970-01-01)/

interface Show {
  readonly title: string | undefined
  readonly year: number | undefined
  readonly ids: Ids
}

export default defineImporter({
  format: 'kodi',
  label: 'Kodi library',
  hint: 'In Kodi: Settings, Media, Library, Export library. Upload videodb.xml, or a ZIP archive of the folder with the .nfo files.',
  features: ['history', 'ratings', 'progress'],
  elements: OF_A_VIDEO,
  recognise({ files }) {
    const whole = files.filter((file) => rootName(file) === 'videodb')
    if (whole.length > 0) return whole
    const single = files.filter((file) => file.name.endsWith('.nfo') && OF_A_VIDEO.includes(rootName(file) ?? ''))
    // Shows first, because episodes get their ids from them.
    const isShow = (file: ImportFile) => rootName(file) === 'tvshow'
    return single.length === 0 ? null : [...single.filter(isShow), ...single.filter((file) => !isShow(file))]
  },
  // Each profile of Kodi has a library. Folders of .nfo files are those of the videos.
  owner: (file) => (rootName(file) === 'videodb' ? folderOf(file.path) : ''),
  open() {
    const shows = new Map<string, Show>()
    return {
      read({ file, value }) {
        const element = xmlElement(value)
        if (element === undefined) return [{ skipped: 'invalid_value' }]
        if (element.name === 'movie') return movieRows(element)
        if (element.name === 'episodedetails') return episodeRows(element, showAbove(shows, file.path))
        if (element.name !== 'tvshow') return [{ skipped: 'unsupported_type' }]
        const show = showOf(element)
        shows.set(folderOf(file.path), show)
        const episodes = xmlChildren(element, 'episodedetails').flatMap((one) => episodeRows(one, show))
        return [...showRows(element, show), ...episodes]
      },
    }
  },
})

function rootName({ kind, head }: ImportFile): string | undefined {
  return kind === 'xml' ? ROOT.exec(head)?.[1]?.toLowerCase() : undefined
}

const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** The show whose file is in this folder, or in the nearest one above it. */
function showAbove(shows: ReadonlyMap<string, Show>, path: string): Show | undefined {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    const show = shows.get(folder)
    if (show !== undefined || folder === '') return show
  }
}

function idsOf(element: XmlElement): Ids {
  const found: Partial<Record<(typeof SCHEMES)[number], string>> = {}
  for (const one of xmlChildren(element, 'uniqueid')) {
    const type = String(one.attributes?.['type'] ?? '').toLowerCase()
    const scheme = SCHEMES.find((name) => name === type)
    if (scheme !== undefined) found[scheme] ??= one.text
  }
  // Old exports have one id without a kind; only one of IMDb is certain.
  const plain = xmlText(element, 'id')
  if (plain !== undefined && /^tt\d+$/.test(plain)) found.imdb ??= plain
  return idCells(found)
}

function showOf(element: XmlElement): Show {
  return {
    title: textCell(xmlText(element, 'title')) ?? textCell(xmlText(element, 'showtitle')),
    year: yearOf(element),
    ids: idsOf(element),
  }
}

function yearOf(element: XmlElement): number | undefined {
  return yearCell(xmlText(element, 'year')) ?? yearCell(xmlText(element, 'premiered')?.slice(0, 4))
}

function movieRows(element: XmlElement): ImportResult {
  const ids = idsOf(element)
  const title = textCell(xmlText(element, 'title'))
  if (title === undefined && Object.keys(ids).length === 0) return [{ skipped: 'missing_title' }]
  return rowsOf(element, defined({ type: 'movie', ids, title, year: yearOf(element) }))
}

function showRows(element: XmlElement, { title, year, ids }: Show): ImportResult {
  const rating = ratingOf(element)
  if (rating === undefined) return []
  if (title === undefined && Object.keys(ids).length === 0) return [{ skipped: 'missing_title' }]
  return [ratingRow(defined({ type: 'show', ids, title, year }), rating)]
}

function episodeRows(element: XmlElement, show: Show | undefined): ImportResult {
  const seriesTitle = show?.title ?? textCell(xmlText(element, 'showtitle'))
  const item = partItem({
    type: 'episode',
    ids: idsOf(element),
    show_ids: show?.ids ?? {},
    season: xmlText(element, 'season'),
    episode: xmlText(element, 'episode'),
    ...defined({ title: textCell(xmlText(element, 'title')), series_title: seriesTitle, series_year: show?.year }),
  })
  if (item === undefined) return [{ skipped: 'invalid_value' }]
  const isKnown = Object.keys(item.ids).length > 0 || Object.keys(item.show_ids ?? {}).length > 0
  if (!isKnown && seriesTitle === undefined) return [{ skipped: 'missing_title' }]
  return rowsOf(element, item)
}

function ratingOf(element: XmlElement): number | undefined {
  const text = xmlText(element, 'userrating')
  return text === undefined || Number(text) === 0 ? undefined : ratingCell(text)
}

/** The play, the position and the rating of a video. */
function rowsOf(element: XmlElement, item: Item): ImportResult {
  const isWatched =
    (wholeCell(xmlText(element, 'playcount')) ?? 0) > 0 || xmlText(element, 'watched')?.toLowerCase() === 'true'
  const position = positionOf(element)
  // One time for both marks: which of them it belongs to is not known.
  const at = isWatched && position !== undefined ? undefined : dayOf(element)
  const rows: ImportedRow[] = []
  if (isWatched) rows.push(playRow(item, at))
  if (position !== undefined)
    rows.push({ feature: 'progress', item: defined({ ...item, ...position, progress_at: at }) })
  const rating = ratingOf(element)
  if (rating !== undefined) rows.push(ratingRow(item, rating))
  return rows.length > 0 ? rows : [{ skipped: 'not_watched' }]
}

function dayOf(element: XmlElement): string | undefined {
  const text = xmlText(element, 'lastplayed')
  return text === undefined || NEVER.test(text) ? undefined : timeCell(text.slice(0, 10))
}

function positionOf(element: XmlElement): Pick<Item, 'progress_ms' | 'duration_ms'> | undefined {
  const [resume] = xmlChildren(element, 'resume')
  if (resume === undefined) return undefined
  const seconds = (name: string) => {
    const text = xmlText(resume, name)
    return text !== undefined && /^\d{1,6}(?:\.\d+)?$/.test(text) ? Number(text) : 0
  }
  const [position, total] = [seconds('position'), seconds('total')]
  if (position === 0) return undefined
  const progressMs = Math.round(position * 1_000)
  return total > position
    ? { progress_ms: progressMs, duration_ms: Math.round(total * 1_000) }
    : { progress_ms: progressMs }
}
