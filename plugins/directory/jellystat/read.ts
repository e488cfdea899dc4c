// Reading plays: sittings of the log are joined into viewings, and works get the ids that the media server has.
import { type Item, type ReadPart, type ReadRequest, type Static, Type } from '@playhead/sdk'
import { formatTime, viewingsOf } from '@playhead/sdk/items'
import {
  createCheckpoints,
  createLatestPlays,
  readEnd,
  type ReadItem,
  rowParts,
  titleAt,
  unchangedEnd,
  unreadableRow,
  type Unreadable,
  wantedItems,
} from '@playhead/sdk/provider'
import { type LogSitting, pageOf, wholeLog } from './log.ts'
import { me, type Session } from './session.ts'
import { textOf } from './wire.ts'
import { type Work, worksOf } from './works.ts'

const MINUTE_MS = 60_000
const USUAL_MS = { movie: 100 * MINUTE_MS, episode: 45 * MINUTE_MS } as const

const Fields = Type.Object({
  rows: Type.Integer(),
  /** Id and time of the newest row. */
  newest: Type.String(),
  /** Settings that decide what a play is. */
  rules: Type.String(),
})
const checkpoints = createCheckpoints(Fields)

export async function* readHistory(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const before = await me(session, signal)
  const { account } = before
  const { least_percent: percent, least_minutes: minutes } = session.account.profile
  const state: Static<typeof Fields> = {
    rows: before.rows,
    newest: await newestOf(session, before.id, signal),
    rules: `${percent}% ${minutes}`,
  }
  const since = checkpoints.decode(request.since, { account, nowMs: Date.now() })
  if (
    since !== undefined &&
    request.since !== undefined &&
    since.rows === state.rows &&
    since.newest === state.newest &&
    since.rules === state.rules
  ) {
    yield unchangedEnd(account, request.since)
    return
  }
  const { sittings, broken, flaw } = await wholeLog(session, before, signal)
  const ids = sittings.flatMap(({ item, series }) => [item, series].filter((id) => id !== undefined))
  const { account: of, media, serverId } = session
  const source = { media, store: of.store, serverId: await serverId.get(signal) }
  const works = await worksOf(source, ids, signal)
  const unreadable: Unreadable[] = broken.map((title) => unreadableRow('fields_missing', title).unreadable)
  const plays = wantedItems(playsOf(session, sittings, works), request, unreadable)
  yield* rowParts(request.plays === true ? plays : latestOf(plays))
  const isWhole = unreadable.length === 0
  yield readEnd({
    account,
    reason: flaw,
    unreadable,
    // With rows that could not be read the next read looks again.
    checkpoint: isWhole ? checkpoints.encode({ account, fullAtMs: Date.now(), ...state }) : undefined,
  })
}

/** The newest row changes with each play, and with each sitting that Jellystat joins to one. */
async function newestOf(session: Session, userId: string, signal: AbortSignal): Promise<string> {
  const [row] = (await pageOf(session, userId, 1, 1, signal)).results
  return row === undefined ? '' : `${row.Id} ${textOf(row.ActivityDateInserted) ?? ''}`
}

function* playsOf(
  { account: { profile } }: Session,
  sittings: readonly LogSitting[],
  works: ReadonlyMap<string, Work>,
): Generator<ReadItem> {
  const leastMs = profile.least_minutes * MINUTE_MS
  for (const [id, own] of Map.groupBy(sittings, ({ item }) => item)) {
    const work = id === undefined ? undefined : works.get(id)
    if (work?.type === 'other') continue
    const isEpisode = work === undefined ? own[0]!.series !== undefined : work.type === 'episode'
    const viewings = viewingsOf(own, {
      lengthMs: work?.lengthMs,
      usualMs: USUAL_MS[isEpisode ? 'episode' : 'movie'],
      leastMs,
      leastPart: profile.least_percent / 100,
    })
    for (const viewing of viewings) yield* playOf(viewing.sittings, work, works)
  }
}

function* playOf(
  sittings: readonly [LogSitting, ...LogSitting[]],
  work: Work | undefined,
  works: ReadonlyMap<string, Work>,
): Generator<ReadItem> {
  const [first] = sittings
  const last = sittings.at(-1) ?? first
  const watched = {
    watched: true,
    watched_at: formatTime({
      atMs: last.isImported ? last.startMs : last.endMs,
      precision: last.isImported ? 'date' : 'second',
    }),
  }
  if (work === undefined) {
    yield unreadableRow('ids_unknown', last.title)
    return
  }
  const { ids, title, year } = work
  if (work.type === 'movie') {
    if (Object.keys(ids).length === 0) yield unreadableRow('missing_ids', title)
    else
      yield {
        item: {
          type: 'movie',
          ids,
          ...titleAt('title', title),
          ...(year === undefined ? {} : { year }),
          ...watched,
          native: { event_id: first.id },
        },
      }
    return
  }
  const show = works.get(work.series ?? last.series ?? '')
  const { season, episode, lastEpisode = episode } = work
  const showIds = show?.ids ?? {}
  if (work.type !== 'episode' || (Object.keys(ids).length === 0 && Object.keys(showIds).length === 0)) {
    yield unreadableRow('missing_ids', title)
    return
  }
  if (season === undefined || episode === undefined || lastEpisode === undefined) {
    yield unreadableRow('episode_missing', title)
    return
  }
  // A file of several episodes: the ids are those of the first.
  for (let number = episode; number <= Math.max(episode, lastEpisode); number += 1) {
    const isFirst = number === episode
    yield {
      item: {
        type: 'episode',
        ids: isFirst ? ids : {},
        ...(Object.keys(showIds).length === 0 ? {} : { show_ids: showIds }),
        season,
        episode: number,
        ...(isFirst ? titleAt('title', title) : {}),
        ...titleAt('series_title', show?.title ?? work.seriesTitle),
        ...(show?.year === undefined ? {} : { series_year: show.year }),
        ...watched,
        native: { event_id: isFirst ? first.id : `${first.id}/${number}` },
      },
    }
  }
}

function latestOf(plays: readonly Item[]): readonly Item[] {
  const latest = createLatestPlays()
  for (const play of plays) latest.add(play)
  return latest.items()
}
