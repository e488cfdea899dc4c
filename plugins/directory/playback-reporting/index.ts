// Playback Reporting, a plugin of Jellyfin and of Emby: its backup is a row for each sitting, joined with tabs, without a header and
// without quotes (https://github.com/jellyfin/jellyfin-plugin-playbackreporting: Data/ActivityRepository.cs,
// EventMonitorEntryPoint.cs). Rows have ids of the server alone, names, local times without a zone, and seconds that were played.
import { type Sitting, viewingsOf } from '@playhead/sdk/items'
import {
  defineImporter,
  type ImportedRow,
  type ImportFile,
  type ImportRecord,
  type ImportResult,
  playRow,
  textCell,
  timeCell,
  wholeCell,
} from '@playhead/sdk/importer'

/** Emby adds up to three columns: pauses, address, reasons of transcoding. */
const [FEWEST, MOST] = [9, 12]
const [STARTED, USER, ITEM, TYPE, NAME, SECONDS] = ['1', '2', '3', '4', '5', '9'] as const
const FIRST_LINE =
  /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?Z?\t[0-9a-f-]{1,36}\t[^\t]*\t[A-Z][A-Za-z]+\t[^\t]*\t(?:[^\t]*\t){3}\d+(?:\t|\r?\n|$)/i
const LOCAL = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.\d+)?(Z?)$/
/** `The Wire - s01e02 - The Detail` */
const EPISODE = /^(.+?) - s(\d{2,4})e(\d{2,4}) - (.*)$/
/** Its name for an item that left the library. */
const NAMELESS = 'Not Known'

const MINUTE_MS = 60_000
/** The file does not say how long a work is. */
const RULES = {
  Movie: { usualMs: 100 * MINUTE_MS, leastMs: 15 * MINUTE_MS, leastPart: 0.6 },
  Episode: { usualMs: 45 * MINUTE_MS, leastMs: 5 * MINUTE_MS, leastPart: 0.6 },
} as const
type Type = keyof typeof RULES

interface Row extends Sitting {
  /** As an item has it: the day, because the zone of the server is not known. */
  readonly watchedAt: string | undefined
  readonly name: string
}

interface Work {
  readonly user: string
  readonly type: Type
  readonly rows: Row[]
}

export default defineImporter({
  format: 'playback-reporting',
  label: 'Playback Reporting',
  hint: 'In Jellyfin or Emby: Dashboard, Playback Reporting, Settings, Save Backup. Upload the file PlaybackReportingBackup-….tsv.',
  features: ['history'],
  recognise({ files }) {
    const found = files.filter(isBackup)
    return found.length === 0 ? null : found
  },
  // The backups of one server repeat its rows.
  owner: () => '',
  open() {
    const works = new Map<string, Work>()
    return {
      read(record) {
        const { cells } = record
        const type = cells[TYPE]
        if (type === 'Trailer') return [{ skipped: 'trailer' }]
        if (type !== 'Movie' && type !== 'Episode') return [{ skipped: 'unsupported_type' }]
        const user = textCell(cells[USER])
        const row = rowOf(cells)
        if (user === undefined || row === undefined) return [{ skipped: 'invalid_value' }]
        if (row.name === '' || row.name === NAMELESS) return [{ skipped: 'missing_title' }]
        const key = JSON.stringify([user, type, textCell(cells[ITEM]) ?? row.name])
        const work = works.get(key) ?? { user, type, rows: [] }
        work.rows.push(row)
        works.set(key, work)
        return []
      },
      end() {
        const nameOf = personNames([...works.values()])
        return [...works.values()].flatMap((work) => playsOf(work, nameOf))
      },
    }
  },
})

function isBackup({ kind, columns, head }: ImportFile): boolean {
  return kind === 'csv' && columns.length >= FEWEST && columns.length <= MOST && FIRST_LINE.test(head)
}

function rowOf(cells: ImportRecord['cells']): Row | undefined {
  const [, day, time, zone] = LOCAL.exec(cells[STARTED]?.trim() ?? '') ?? []
  const seconds = wholeCell(cells[SECONDS])
  const startMs = Date.parse(`${day}T${time}Z`)
  if (Number.isNaN(startMs) || seconds === undefined) return undefined
  return {
    startMs,
    playedMs: seconds * 1_000,
    watchedAt: timeCell(zone === 'Z' ? `${day}T${time}Z` : day),
    name: cells[NAME]?.trim() ?? '',
  }
}

function playsOf({ user, type, rows }: Work, nameOf: ReadonlyMap<string, string>): ImportResult {
  const viewings = viewingsOf(rows, RULES[type])
  const glances = rows.length - viewings.reduce((sum, { sittings }) => sum + sittings.length, 0)
  const results = viewings.map(({ sittings }) => {
    const last = sittings.at(-1)!
    const row = type === 'Movie' ? movieRow(last) : episodeRow(last)
    return 'skipped' in row ? row : { ...row, person: nameOf.get(user) ?? user }
  })
  return [...results, ...Array.from({ length: Math.max(0, glances) }, () => ({ skipped: 'not_watched' as const }))]
}

function movieRow({ name, watchedAt }: Row): ImportedRow {
  return { ...playRow({ type: 'movie', ids: {}, title: name }, watchedAt), about: { type: 'movie', title: name } }
}

function episodeRow({ name, watchedAt }: Row): ImportResult[number] {
  const [, series, seasonText, episodeText, title = ''] = EPISODE.exec(name) ?? []
  if (series === undefined) return { skipped: 'invalid_value' }
  // `00` is a special, and also a number that the library lacks: then the title decides within the show.
  const season = Number(seasonText) || undefined
  const episode = season === undefined ? undefined : Number(episodeText) || undefined
  if (episode === undefined && title.trim() === '') return { skipped: 'invalid_value' }
  const row = playRow(
    {
      type: 'episode',
      ids: {},
      show_ids: {},
      series_title: series,
      ...(title.trim() === '' ? {} : { title: title.trim() }),
      ...(season === undefined ? {} : { season }),
      ...(episode === undefined ? {} : { episode }),
    },
    watchedAt,
  )
  const about = { type: 'show', title: series } as const
  return episode === undefined ? { ...row, about, episodeTitle: title.trim() } : { ...row, about }
}

/** The file names people only by ids of the server: what they watched last tells them apart. */
function personNames(works: readonly Work[]): ReadonlyMap<string, string> {
  const byUser = Map.groupBy(works, ({ user }) => user)
  return new Map(
    [...byUser].map(([user, own]) => {
      const recent = own
        .flatMap(({ rows }) => rows)
        .toSorted((a, b) => b.startMs - a.startMs)
        .map(({ name }) => EPISODE.exec(name)?.[1] ?? name)
      const titles = [...new Set(recent)]
        .slice(0, 2)
        .map((title) => (title.length > 24 ? `${title.slice(0, 23)}…` : title))
      return [user, `${titles.join(', ')} (${user})`]
    }),
  )
}
