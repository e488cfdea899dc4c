// Reads positions. Their ids may exceed the safe integer range.
import { defined, parseJson, PlayheadError } from '@playhead/sdk'
import { type Ids, isRecord, type Item, progressOf } from '@playhead/sdk/items'
import {
  isWanted,
  isWholeNumber,
  readEnd,
  readWhole,
  type ReadPart,
  type ReadRequest,
  rowParts,
  timeAt,
  titleAt,
  unchangedEnd,
  unreadableRow,
  yearAt,
} from '@playhead/sdk/provider'
import { areSettled, checkpoints, isSame, stampsOf } from './activities.ts'
import { idsOf } from './entries.ts'
import type { Session } from '../session.ts'
import type { Paused, Work } from '../wire.ts'

/** Maximum number of rows of the service. */
const MAX_ROWS = 10_000

export interface PausedItem {
  readonly id: string
  readonly item: Item
}

export async function* readProgress(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const { account } = await session.facts.get()
  const stamps = stampsOf(await session.activities.get(), (_group, name) => name === 'playback')
  const since = checkpoints.decode(request.since, { account, nowMs: session.now() })
  if (since !== undefined && isSame(since.stamps, stamps)) {
    yield unchangedEnd(account, checkpoints.encode(since))
    return
  }
  const { items, unreadable, count } = await readPaused(session, signal)
  yield* rowParts(items.map(({ item }) => item).filter((item) => isWanted(item, request)))
  yield readEnd({
    account,
    reason: count < MAX_ROWS ? undefined : 'truncated',
    checkpoint: areSettled(stamps) ? checkpoints.encode({ account, stamps, fullAtMs: session.now() }) : undefined,
    unreadable: Array.from({ length: unreadable }, () => unreadableRow('no_identity').unreadable),
  })
}

/** All current positions. */
export async function readPaused({ upstream }: Session, signal: AbortSignal) {
  const request = { path: '/sync/playback', query: { limit: MAX_ROWS }, signal }
  const text = await readWhole(upstream, request, (answer) => answer.text())
  const rows = rowsOf(parseExactly(text))
  const items: PausedItem[] = []
  for (const row of rows) {
    const item = itemOf(row)
    if (item !== undefined) items.push(item)
  }
  return { items, count: rows.length, unreadable: Math.min(200, rows.length - items.length) }
}

function itemOf(row: Paused): PausedItem | undefined {
  const id = typeof row.id === 'string' || typeof row.id === 'number' ? String(row.id) : ''
  const work = [row.movie, row.show, row.anime].find(isRecord) as Work | undefined
  const position = typeof row.progress === 'number' ? { progress_percent: row.progress } : {}
  const { percent } = progressOf({ type: 'movie', ids: {}, ...position })
  if (!/^\d+$/.test(id) || work === undefined || percent === undefined || percent < 0 || percent > 100) return undefined
  const of = row.type === 'movie' ? filmOf(work) : row.type === 'episode' ? episodeOf(row, work) : undefined
  if (of === undefined) return undefined
  return {
    id,
    item: { ...of, progress_percent: percent, ...timeAt('progress_at', row.paused_at), native: { item_id: id } },
  }
}

function filmOf(work: Work): Item | undefined {
  const { tvdb: _ofShows, ...ids } = idsOf(work)
  if (Object.keys(ids).length === 0) return undefined
  return { type: 'movie', ids, ...titleAt('title', work.title), ...yearAt('year', work.year) }
}

function episodeOf({ anime, episode }: Paused, work: Work): Item | undefined {
  if (!isRecord(episode)) return undefined
  const ids = idsOf(work)
  const isAnime = isRecord(anime) || ids.mal !== undefined || ids.anidb !== undefined
  const place = isAnime
    ? placeOfAnime(episode, ids)
    : { season: episode.season, number: episode.episode ?? episode.number, ids }
  if (!isWholeNumber(place.season, 0) || !isWholeNumber(place.number, 1) || Object.keys(place.ids).length === 0)
    return undefined
  return {
    type: 'episode',
    ids: {},
    show_ids: place.ids,
    season: place.season,
    episode: place.number,
    ...titleAt('series_title', work.title),
    ...yearAt('series_year', work.year),
  }
}

/** Episode numbers of an anime entry do not match the ids of the whole show. */
function placeOfAnime(episode: NonNullable<Paused['episode']>, { imdb, tmdb, tvdb, ...ofEntry }: Ids) {
  const ofShow: Ids = { ...defined({ imdb, tmdb, tvdb }) }
  const isPlaced =
    isWholeNumber(episode.tvdb_season, 0) && isWholeNumber(episode.tvdb_number, 1) && Object.keys(ofShow).length > 0
  return isPlaced
    ? { season: episode.tvdb_season, number: episode.tvdb_number, ids: ofShow }
    : { season: episode.season ?? 1, number: episode.episode ?? episode.number, ids: ofEntry }
}

/** `null` and `{}` both mean empty. Rows are validated one by one. */
function rowsOf(answer: unknown): readonly Paused[] {
  if (answer === null || (isRecord(answer) && Object.keys(answer).length === 0)) return []
  if (Array.isArray(answer) && answer.every(isRecord)) return answer
  throw new PlayheadError('PLH_UPSTREAM_INVALID', 'SIMKL: the positions could not be read.')
}

/** Keeps integers as text when they are too large to be exact. */
function parseExactly(text: string): unknown {
  try {
    return parseJson(text, (_name: string, value: unknown, context?: { readonly source?: string }) =>
      typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? context?.source : value,
    )
  } catch (error) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'SIMKL: the positions could not be read.', { cause: error })
  }
}
