// Completes playback reports with ids, numbers, libraries and files of the items. All lookups are cached; failed lookups leave
// the data out.
import { defined, isPlayheadError, type KeyedCache, type PlayFiles, type WatchOptions } from '@playhead/sdk'
import { type Series, seriesOf } from '../items.ts'
import type { Session } from '../session.ts'
import type { Row } from '../wire.ts'

export interface Wanted {
  readonly row: Row
  /** Whether the report has the ids of the show. */
  readonly series?: Series
  /** The version of the file that is played. */
  readonly mediaSourceId?: string
}

export interface LookedUp {
  /** Adds ids and numbers of the server where the report has none. */
  readonly row: Row
  readonly series: Series | undefined
  readonly libraries?: readonly string[]
  readonly files?: PlayFiles
}

/** For callers that repeat the same lookups every few seconds. */
export const PAUSE_MS = 30_000

/**
 * Results in the order of `wanted`. Throws only when the signal aborts, and for errors of this plugin. `pauseMs`: failed lookups are
 * not repeated for this time.
 */
export async function lookUp(
  session: Session,
  wanted: readonly Wanted[],
  options: WatchOptions,
  signal: AbortSignal,
  pauseMs = 0,
): Promise<readonly LookedUp[]> {
  const of = <Fact>(cache: KeyedCache<Fact>, ids: readonly (string | null | undefined)[], what: string) =>
    readSoftly(session, cache, ids, what, pauseMs, signal)
  const facts = await of(
    session.facts,
    wanted.flatMap(({ row, series }) => [isIncomplete(row) ? row.Id : '', series === undefined ? row.SeriesId : '']),
    'ids',
  )
  const rows = wanted.map(({ row }) => completed(row, isIncomplete(row) ? facts.get(row.Id) : undefined))
  const shows = await of(
    session.facts,
    rows.map(({ SeriesId }, index) => (wanted[index]?.series === undefined ? SeriesId : '')),
    'ids',
  )
  const libraries = options.libraries === true ? await librariesOf() : new Map<string, readonly string[]>()
  const files =
    options.files === true
      ? await of(
          session.files,
          rows.map(({ Id }) => Id),
          'files',
        )
      : new Map<string, Row>()

  async function librariesOf(): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = await of(
      session.librariesOf,
      rows.map(({ Id }) => Id),
      'libraries',
    )
    // A deleted file has no parents any more, whereas its show has.
    const orphans = rows.filter(({ Id }) => !found.has(Id))
    const byShow = await of(
      session.librariesOf,
      orphans.map(({ SeriesId }) => SeriesId),
      'libraries',
    )
    return new Map([
      ...found,
      ...orphans.flatMap(({ Id, SeriesId }): [string, readonly string[]][] => {
        const some = byShow.get(SeriesId ?? '')
        return some === undefined ? [] : [[Id, some]]
      }),
    ])
  }

  return rows.map((row, index): LookedUp => {
    const { series, mediaSourceId } = wanted[index]!
    const show = shows.get(row.SeriesId ?? '')
    const found = libraries.get(row.Id)
    const paths = options.files === true ? filesOf(files.get(row.Id), mediaSourceId) : undefined
    return {
      row,
      series: series ?? (show === undefined ? undefined : seriesOf(show)),
      ...defined({ libraries: found, files: paths }),
    }
  })
}

async function readSoftly<Fact>(
  { log }: Session,
  cache: KeyedCache<Fact>,
  ids: readonly (string | null | undefined)[],
  what: string,
  pauseMs: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Fact>> {
  const paused = failures.getOrInsertComputed(cache, () => new Map<string, number>())
  const needed = ids.filter((id): id is string => id != null && ID.test(id) && !(Date.now() < (paused.get(id) ?? 0)))
  if (needed.length === 0) return new Map()
  try {
    return await cache.get(needed, signal)
  } catch (error) {
    if (signal.aborted || !isPlayheadError(error)) throw error
    if (paused.size > MAX_PAUSED) paused.clear()
    for (const id of needed) paused.set(id, Date.now() + pauseMs)
    log.debug({ code: error.code, what }, 'facts of the playing items could not be read')
    return new Map()
  }
}

/** For each cache: ids whose lookup failed, and the time of the next attempt, epoch milliseconds. */
const failures = new WeakMap<object, Map<string, number>>()
const MAX_PAUSED = 1_000

/** Id formats of both products. Other values in a webhook are not sent to the server. */
const ID = /^[\w-]{1,64}$/

function isIncomplete(row: Row): boolean {
  if (!hasIds(row)) return true
  const { Type: type, SeriesId: seriesId, ParentIndexNumber: season, IndexNumber: episode } = row
  return type?.toLowerCase() === 'episode' && (seriesId == null || season == null || episode == null)
}

function hasIds({ ProviderIds: ids }: Row): boolean {
  return ids != null && Object.values(ids).some((id) => id !== '' && id != null)
}

/** Fields of the report, completed with those of the server. */
function completed(row: Row, known: Row | undefined): Row {
  if (known === undefined || known.Type?.toLowerCase() !== row.Type?.toLowerCase()) return row
  const reported = Object.fromEntries(Object.entries(row).filter(([, value]) => value != null)) as Row
  return { ...known, ...reported, ...(hasIds(row) ? {} : { ProviderIds: known.ProviderIds }) }
}

function filesOf(row: Row | undefined, mediaSourceId: string | undefined): PlayFiles | undefined {
  if (row === undefined) return undefined
  const all = row.MediaSources ?? []
  const playing = all.filter(({ Id }) => Id != null && Id === mediaSourceId)
  const sources = playing.length > 0 ? playing : all
  const paths = present([...(playing.length > 0 ? [] : [row.Path]), ...sources.map(({ Path }) => Path)])
  const editions = present(sources.map(({ Name }) => Name))
  return paths.length === 0 && editions.length === 0 ? undefined : { paths, editions, trusted: true }
}

function present(texts: readonly (string | null | undefined)[]): readonly string[] {
  return [...new Set(texts.filter((text): text is string => text != null && text !== ''))]
}
