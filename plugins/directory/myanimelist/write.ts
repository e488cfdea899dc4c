// Writing one feature: each title is looked up just before, changed with single fields, and compared with the answer.
import { isPlayheadError, type WriteRequest, type WriteResult } from '@playhead/sdk'
import { parseTime, workOf } from '@playhead/sdk/items'
import { type FoundTitle, type NotSent, type TitleChange, type TitleEntry, writeTitles } from '@playhead/sdk/provider'
import { COMPLETED, countOf, isWatchedAgain, kindOfAnime, PLANNED, WATCHING } from './items.ts'
import type { Session } from './session.ts'
import { Found, FOUND_FIELDS, ListStatus } from './wire.ts'

type Feature = 'watchlist' | 'history' | 'ratings'

interface Title extends FoundTitle {
  readonly anime: Found
}

const STATUSES = { planned: PLANNED, watching: WATCHING, completed: COMPLETED } as const

export function writeFeature(feature: Feature) {
  return (session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> =>
    writeTitles<Title>(request, {
      log: session.account.log,
      titleOf: (item) => workOf(item.item).ids.mal ?? { refused: { outcome: 'unsupported', reason: 'missing_ids' } },
      lookUp: (id) => lookUp(session, id, signal),
      async send({ anime }, change) {
        try {
          if (change === 'remove') return await remove(session, anime, signal)
          return await save(session, anime, change, { idempotent: feature === 'ratings', signal })
        } finally {
          session.collection.drop()
        }
      },
    })
}

async function lookUp(session: Session, id: string, signal: AbortSignal): Promise<Title | NotSent> {
  const anime = await session.upstream.json({ path: `anime/${id}`, query: { fields: FOUND_FIELDS }, signal }, Found)
  if (anime.media_type === 'unknown') return { refused: { outcome: 'rejected', reason: 'unknown_type' } }
  const { num_episodes: total, my_list_status: status } = anime
  const title = { anime, kind: kindOfAnime(anime), ...(total === 0 ? {} : { total }) }
  if (status !== undefined) return { ...title, entry: entryOf(anime, status) }
  // The list has to agree that there is no entry: a new one would take the place of that of the person.
  const { entries, flaw } = await session.collection.get(signal)
  return flaw === undefined && !entries.some(({ node }) => node.id === anime.id)
    ? title
    : { refused: { outcome: 'failed', reason: 'lookup_incomplete' } }
}

function entryOf(anime: Found, status: ListStatus): TitleEntry {
  const { status: name, score, start_date: start, finish_date: finish, tags = [], comments = '' } = status
  const { priority = 0, rewatch_value: value = 0 } = status
  return {
    id: String(anime.id),
    status: name === PLANNED ? 'planned' : name === WATCHING || name === COMPLETED ? name : 'other',
    count: countOf(anime, status),
    watchedAgain: isWatchedAgain(status),
    ...(score === 0 ? {} : { rating: score }),
    holdsMore: Boolean(start ?? finish) || tags.length > 0 || comments !== '' || priority > 0 || value > 0,
  }
}

async function save(
  { upstream }: Session,
  anime: Found,
  change: TitleChange,
  how: { readonly idempotent: boolean; readonly signal: AbortSignal },
): Promise<boolean> {
  const { status, count, rating } = change
  const fields: Record<string, string> = {}
  if (status !== undefined) fields['status'] = STATUSES[status]
  if (count !== undefined) fields['num_watched_episodes'] = String(countToSend(anime, count))
  if (rating !== undefined) fields['score'] = String(rating ?? 0)
  const answer = await upstream.json(
    { method: 'PATCH', path: pathOf(anime), form: { ...fields, ...datesOf(anime, change) }, ...how },
    ListStatus,
  )
  return (
    (status === undefined || answer.status === STATUSES[status]) &&
    (count === undefined || answer.num_episodes_watched === countToSend(anime, count)) &&
    (rating === undefined || answer.score === (rating ?? 0))
  )
}

/** A film in several parts is watched as a whole. */
function countToSend(anime: Found, count: number): number {
  return kindOfAnime(anime) === 'movie' && count > 0 ? Math.max(1, anime.num_episodes) : count
}

/** A finish date of a title that was not completed is that of an earlier time. */
function datesOf({ my_list_status: entry }: Found, { startedAt, finishedAt }: TitleChange): Record<string, string> {
  const dates: Record<string, string> = {}
  if (startedAt !== undefined && entry?.start_date === undefined) dates['start_date'] = dayOf(startedAt)
  if (finishedAt !== undefined) dates['finish_date'] = dayOf(finishedAt)
  return dates
}

/** The day of a play where Playhead runs (`TZ`), as for services that have instants only. */
function dayOf(text: string): string {
  const time = parseTime(text)
  if (time === undefined || time.precision === 'date') return text.slice(0, 10)
  const local = Temporal.Instant.fromEpochMilliseconds(time.atMs).toZonedDateTimeISO(Temporal.Now.timeZoneId())
  return local.toPlainDate().toString()
}

/** Never repeated: the person may have added the title again. */
async function remove({ upstream }: Session, anime: Found, signal: AbortSignal): Promise<boolean> {
  try {
    await upstream.request({ method: 'DELETE', path: pathOf(anime), signal })
  } catch (error) {
    if (!isPlayheadError(error, 'PLH_NOT_FOUND')) throw error
  }
  return true
}

function pathOf({ id }: Found): string {
  return `anime/${id}/my_list_status`
}
