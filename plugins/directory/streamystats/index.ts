// Streamystats: the backup of a server, with a session for each sitting of everybody
// (https://github.com/fredrikburmester/streamystats: apps/nextjs-app/app/api/export, packages/database/src/schema.ts). Its API has
// searches and lists, and no plays. Sessions have ids of the media server alone, and an episode has no number.
import { parseTime, type Sitting, viewingsOf } from '@playhead/sdk/items'
import {
  defineImporter,
  type ImportedRow,
  type ImportFile,
  type ImportResult,
  playRow,
  recordAt,
  textCell,
  timeCell,
  wholeCell,
} from '@playhead/sdk/importer'

const TICKS_A_MS = 10_000
const MINUTE_MS = 60_000
/** Music has no type in the file either. */
const SHORTEST_FILM_MS = 20 * MINUTE_MS
const USUAL_MS = { film: 100 * MINUTE_MS, episode: 45 * MINUTE_MS } as const
const LEAST = { leastMs: 5 * MINUTE_MS, leastPart: 0.8 } as const

interface Session extends Sitting {
  readonly endedAt: string
  readonly lengthMs: number | undefined
}

interface Work {
  readonly person: string
  readonly title: string
  /** Of an episode. */
  readonly series: string | undefined
  readonly sessions: Session[]
}

export default defineImporter({
  format: 'streamystats',
  label: 'Streamystats',
  hint: 'In Streamystats, as an administrator: Settings, Backup & Import, Export. Upload the file streamystats-backup-….json.',
  features: ['history'],
  recognise({ files }) {
    const found = files.filter(isBackup)
    return found.length === 0 ? null : found
  },
  // Backups of one server repeat its sessions.
  owner: () => '',
  open() {
    const works = new Map<string, Work>()
    return {
      read({ table, value }) {
        if (table !== 'sessions') return []
        const row = recordAt(value)
        // Marks of the server that Streamystats turned into sessions, with times that are not those of plays.
        if (row['isInferred'] === true) return [{ skipped: 'not_watched' }]
        const title = textCell(row['itemName'])
        const session = sessionOf(row)
        if (title === undefined) return [{ skipped: 'missing_title' }]
        if (session === undefined) return [{ skipped: 'invalid_value' }]
        const series = textCell(row['seriesName'])
        if (series === undefined && (session.lengthMs ?? Infinity) < SHORTEST_FILM_MS)
          return [{ skipped: 'unsupported_type' }]
        const person = textCell(row['userName']) ?? ''
        const key = JSON.stringify([person, textCell(row['itemId']) ?? [series, title]])
        const work = works.get(key) ?? { person, title, series, sessions: [] }
        work.sessions.push(session)
        works.set(key, work)
        return []
      },
      end: () => [...works.values()].flatMap(playsOf),
    }
  },
})

function isBackup({ kind, tables, head }: ImportFile): boolean {
  const isNamed = /"exportInfo"\s*:\s*\{[^}]*"version"\s*:\s*"streamystats"/.test(head)
  return kind === 'json' && isNamed && (tables === null || tables.includes('sessions'))
}

function sessionOf(row: Readonly<Record<string, unknown>>): Session | undefined {
  const seconds = wholeCell(row['playDuration'])
  const [begun, ended] = [parseTime(row['startTime']), parseTime(row['endTime'])]
  const endedAt = timeCell(row['endTime']) ?? timeCell(row['startTime'])
  const playedMs = (seconds ?? 0) * 1_000
  const startMs = begun?.atMs ?? (ended === undefined ? undefined : ended.atMs - playedMs)
  if (seconds === undefined || startMs === undefined || endedAt === undefined) return undefined
  const ticks = Number(row['runtimeTicks'])
  return { startMs, playedMs, endedAt, lengthMs: ticks > 0 ? Math.round(ticks / TICKS_A_MS) : undefined }
}

function playsOf({ person, title, series, sessions }: Work): ImportResult {
  const lengthMs = sessions.find((one) => one.lengthMs !== undefined)?.lengthMs
  const usualMs = USUAL_MS[series === undefined ? 'film' : 'episode']
  const viewings = viewingsOf(sessions, { lengthMs, usualMs, ...LEAST })
  const joined = viewings.reduce((sum, { sittings }) => sum + sittings.length, 0)
  const plays = viewings.map(({ sittings }): ImportedRow => {
    const { endedAt } = sittings.at(-1)!
    const own = person === '' ? {} : { person }
    if (series === undefined) {
      // A film, or a video without a show.
      const row = playRow({ type: 'movie', ids: {}, title }, endedAt)
      return { ...row, about: { type: 'unknown', title }, ...own }
    }
    const row = playRow({ type: 'episode', ids: {}, show_ids: {}, series_title: series, title }, endedAt)
    return { ...row, about: { type: 'show', title: series }, episodeTitle: title, ...own }
  })
  return [
    ...plays,
    ...Array.from({ length: Math.max(0, sessions.length - joined) }, () => ({ skipped: 'not_watched' as const })),
  ]
}
