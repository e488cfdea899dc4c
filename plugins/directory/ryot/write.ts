// Writing one feature. Plays and the watchlist are changed by jobs of Ryot, so their effect is awaited; ratings and removals of
// plays at once. The data of the user are read before.
import { type Item, pause, Type, type WriteItem, type WriteRequest, type WriteResult } from '@playhead/sdk'
import {
  type ItemOutcome,
  outcomeOfError,
  playTime,
  ratingFields,
  writeInTurn,
  writeResult,
} from '@playhead/sdk/provider'
import { REPORTED_PLAY_MS } from '@playhead/sdk/items'
import { findTitle } from './find.ts'
import { isPlay, ownRatings, ratingOf } from './read.ts'
import type { Session } from './session.ts'
import { type PartName, readTitles, type Review, type Seen, type Title } from './titles.ts'

const APPLIED: ItemOutcome = { outcome: 'applied' }
const ALREADY: ItemOutcome = { outcome: 'already' }
const NOT_FOUND: ItemOutcome = { outcome: 'not_found', reason: 'not_found' }
/** The job was accepted, and its effect did not show in time. */
const NOT_CONFIRMED: ItemOutcome = { outcome: 'unknown', reason: 'not_confirmed' }
/** An accepted job may wait behind others for hours. After this time it is taken for lost, and sent again. */
const JOB_MS = 24 * 3_600_000
/** A job that takes longer shows its effect in the next run. */
const WAITS_MS = [50, 150, 300, 500, 1_000, 2_000, 4_000]

const Yes = Type.Object({}, { additionalProperties: true })

interface Asked extends WriteItem {
  readonly id: string
}

/** Items by the titles of Ryot; those that it does not find get their outcome. */
async function found(
  session: Session,
  items: readonly WriteItem[],
  outcomes: Map<string, ItemOutcome>,
  signal: AbortSignal,
): Promise<readonly Asked[]> {
  const all: Asked[] = []
  for (const one of items) {
    const id = await findTitle(session, one, signal)
    if (id === undefined) outcomes.set(one.key, NOT_FOUND)
    else all.push({ ...one, id })
  }
  return all
}

async function titlesOf<Part extends PartName>(
  { ask, account }: Session,
  all: readonly Asked[],
  part: Part,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Title<Part>>> {
  const ids = [...new Set(all.map(({ id }) => id))]
  const { page_size: size } = account.profile
  const titles: Title<Part>[] = []
  for (let from = 0; from < ids.length; from += size)
    titles.push(...(await readTitles(ask, ids.slice(from, from + size), part, signal)))
  return new Map(titles.map((title) => [title.facts.id, title]))
}

/**
 * Sends one job for all items that need it, and waits until each shows its effect. A failure is the outcome of the items
 * without one.
 */
async function byJob<Part extends PartName>(
  session: Session,
  items: readonly WriteItem[],
  signal: AbortSignal,
  job: {
    readonly part: Part
    /** The outcome of an item that needs no change. */
    readonly before: (asked: Asked, title: Title<Part>) => ItemOutcome | undefined
    readonly isDone: (asked: Asked, title: Title<Part>) => boolean
    readonly send: (all: readonly Asked[]) => Promise<unknown>
    /** Names the effect of a job that would take effect twice if it were sent twice. */
    readonly effectOf?: (asked: Asked) => string
  },
): Promise<WriteResult> {
  const outcomes = new Map<string, ItemOutcome>()
  try {
    const all = await found(session, items, outcomes, signal)
    const sent = await sentJobs(session, all, job.effectOf, signal)
    const before = await titlesOf(session, all, job.part, signal)
    let open: readonly Asked[] = all.filter((asked) => {
      const outcome = job.before(asked, before.get(asked.id)!)
      if (outcome !== undefined) outcomes.set(asked.key, outcome)
      return outcome === undefined
    })
    await sent.forget(all.filter((asked) => outcomes.get(asked.key) === ALREADY))
    for (const { key } of open.filter(sent.has)) outcomes.set(key, NOT_CONFIRMED)
    open = open.filter((asked) => !sent.has(asked))
    if (open.length > 0) await sent.during(open, () => job.send(open))
    for (const waitMs of WAITS_MS) {
      if (open.length === 0) break
      await pause(waitMs, signal)
      const now = await titlesOf(session, open, job.part, signal).catch(() => undefined)
      open = open.filter((asked) => {
        const isDone = now !== undefined && job.isDone(asked, now.get(asked.id)!)
        if (isDone) outcomes.set(asked.key, APPLIED)
        return !isDone
      })
    }
    await sent.forget(all.filter((asked) => outcomes.get(asked.key) === APPLIED))
    for (const { key } of open) outcomes.set(key, NOT_CONFIRMED)
    return writeResult(items, outcomes)
  } catch (error) {
    const outcome = outcomeOfError(error)
    if (outcome === undefined) throw error
    for (const { key } of items) if (!outcomes.has(key)) outcomes.set(key, outcome)
    const retryAfterMs = (error as { readonly retryAfterMs?: number }).retryAfterMs
    return writeResult(items, outcomes, retryAfterMs)
  }
}

/** Jobs of earlier requests that did not show their effect yet, also after a restart. */
async function sentJobs(
  { account: { store }, known }: Session,
  all: readonly Asked[],
  effectOf: ((asked: Asked) => string) | undefined,
  signal: AbortSignal,
) {
  const { account } = await known.get(signal)
  const names = new Map(all.map((asked) => [asked.key, effectOf && `job/${account}/${effectOf(asked)}`]))
  const noted = new Set<string>()
  for (const name of names.values()) if (name !== undefined && (await store.has(name))) noted.add(name)
  const namesOf = (some: readonly Asked[]) => some.flatMap(({ key }) => names.get(key) ?? [])

  async function forget(some: readonly Asked[]): Promise<void> {
    for (const name of namesOf(some)) if (noted.delete(name)) await store.delete(name)
  }

  return {
    has: ({ key }: Asked) => noted.has(names.get(key) ?? ''),
    forget,
    /** Notes them before they are sent, because the answer may get lost. */
    async during(some: readonly Asked[], send: () => Promise<unknown>): Promise<void> {
      const fresh = namesOf(some)
      if (fresh.length > 0) await store.setMany(new Map(fresh.map((name) => [name, true])), JOB_MS)
      for (const name of fresh) noted.add(name)
      try {
        await send()
      } catch (error) {
        const outcome = outcomeOfError(error)?.outcome
        if (outcome !== undefined && outcome !== 'unknown') await forget(some)
        throw error
      }
    },
  }
}

const isPartOf = ({ season, episode }: Item, { showExtraInformation: numbers }: Pick<Seen, 'showExtraInformation'>) =>
  (numbers?.season ?? undefined) === season && (numbers?.episode ?? undefined) === episode

/** Plays of the item at this time; without a time all. */
function playsAt({ item }: Pick<Asked, 'item'>, { own }: Title<'history'>, atMs: number | undefined): readonly Seen[] {
  return own.history.filter(
    (seen) =>
      isPlay(seen) &&
      isPartOf(item, seen) &&
      (atMs === undefined || Math.abs(Date.parse(seen.finishedOn ?? '') - atMs) <= REPORTED_PLAY_MS),
  )
}

const numbersFor = ({ season, episode }: Item) =>
  season === undefined
    ? {}
    : { showSeasonNumber: season, ...(episode === undefined ? {} : { showEpisodeNumber: episode }) }

export function writeHistory(session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  return request.op === 'remove' ? removePlays(session, request, signal) : addPlays(session, request, signal)
}

function addPlays(session: Session, { items, plays }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const nowMs = Date.now()
  // A play without a time stays one without a time.
  const timeOf = (item: Item) => (item.watched_at === undefined ? undefined : playTime(item, nowMs))
  const msOf = (item: Item) => {
    const time = timeOf(item)
    return time !== undefined && 'atMs' in time ? time.atMs : undefined
  }
  return byJob(session, items, signal, {
    part: 'history',
    before(asked, title) {
      const time = timeOf(asked.item)
      if (time !== undefined && 'refused' in time) return time.refused
      const atMs = msOf(asked.item)
      if (playsAt(asked, title, atMs).length > 0) return ALREADY
      const isLater = playsAt(asked, title, undefined).some(
        ({ finishedOn }) => Date.parse(finishedOn ?? '') >= (atMs ?? NaN),
      )
      return plays !== true && isLater ? ALREADY : undefined
    },
    isDone: (asked, title) => playsAt(asked, title, msOf(asked.item)).length > 0,
    effectOf: ({ id, item }) => JSON.stringify([id, item.season, item.episode, msOf(item)]),
    send: (all) =>
      session.ask(
        {
          query:
            'mutation($input: [MetadataProgressUpdateInput!]!) { deployBulkMetadataProgressUpdate(input: $input) }',
          variables: {
            input: all.map(({ id, item }) => {
              const atMs = msOf(item)
              const numbers = numbersFor(item)
              const completed =
                atMs === undefined
                  ? { withoutDates: numbers }
                  : { finishedOnDate: { ...numbers, timestamp: new Date(atMs).toISOString() } }
              return { metadataId: id, change: { createNewCompleted: completed } }
            }),
          },
        },
        Yes,
        { signal, repeat: false },
      ),
  })
}

function removePlays(session: Session, { items, plays }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  return writeInTurn(
    items,
    async (one) => {
      const event = one.item.native?.event_id ?? one.current?.native?.event_id
      if (plays === true && event === undefined) return { outcome: 'rejected', reason: 'exact_play_unknown' }
      const id = await findTitle(session, one, signal)
      if (id === undefined) return ALREADY
      const [title] = await readTitles(session.ask, [id], 'history', signal)
      const left = playsAt(one as Asked, title!, undefined).filter((seen) => plays !== true || seen.id === event)
      for (const seen of left)
        await session.ask(
          {
            query: 'mutation($seenId: String!) { deleteSeenItem(seenId: $seenId) { id } }',
            variables: { seenId: seen.id },
          },
          Yes,
          { signal, repeat: false },
        )
      return left.length > 0 ? APPLIED : ALREADY
    },
    { log: session.account.log, atOnce: 1 },
  )
}

export async function writeWatchlist(
  session: Session,
  { items, op }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  let collection: string | undefined
  let user = ''
  try {
    collection = await session.watchlist.get(signal)
    user = (await session.known.get(signal)).user.id
  } catch (error) {
    const outcome = outcomeOfError(error)
    if (outcome === undefined) throw error
    return writeResult(items, new Map(items.map(({ key }) => [key, outcome])))
  }
  const isIn = ({ own }: Title<'collections'>) =>
    own.collections.some(({ details }) => details.collectionId === collection)
  const wanted = op !== 'remove'
  const name = wanted ? 'deployAddEntitiesToCollectionJob' : 'deployRemoveEntitiesFromCollectionJob'
  return byJob(session, items, signal, {
    part: 'collections',
    before: (_, title) =>
      collection === undefined
        ? { outcome: 'rejected', reason: 'watchlist_missing' }
        : isIn(title) === wanted
          ? ALREADY
          : undefined,
    isDone: (_, title) => isIn(title) === wanted,
    send: (all) =>
      session.ask(
        {
          query: `mutation($input: ChangeCollectionToEntitiesInput!) { ${name}(input: $input) }`,
          variables: {
            input: {
              collectionName: 'Watchlist',
              creatorUserId: user,
              entities: all.map(({ id }) => ({ entityId: id, entityLot: 'METADATA' })),
            },
          },
        },
        Yes,
        // Adding and removing an entry twice changes nothing.
        { signal },
      ),
  })
}

/** Ratings are sent in the scale that the user sees. */
const DIVISORS: Readonly<Record<string, number>> = {
  OUT_OF_HUNDRED: 1,
  OUT_OF_TEN: 10,
  OUT_OF_FIVE: 20,
  THREE_POINT_SMILEY: 1,
}

export function writeRatings(session: Session, { items, op }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  return writeInTurn(
    items,
    async (one) => {
      const { user } = await session.known.get(signal)
      const id = await findTitle(session, one, signal)
      if (id === undefined) return op === 'remove' ? ALREADY : NOT_FOUND
      const [title] = await readTitles(session.ask, [id], 'reviews', signal)
      const { item } = one
      const key = `${item.season ?? ''}x${item.episode ?? ''}`
      const own = ownRatings(title!.own.reviews, user.id).get(key) ?? []
      const write = (input: object) =>
        saveReview(session, { entityId: id, entityLot: 'METADATA', ...numbersFor(item), ...input }, signal)
      if (op === 'remove') return removeRatings(session, own, write, signal)
      const fields = ratingFields(item)
      if ('refused' in fields) return fields.refused
      const [newest] = own
      if (newest !== undefined && ratingOf(newest.rating) === fields.rating) return ALREADY
      const divisor = DIVISORS[user.preferences.general.reviewScale]
      // Of a later version of Ryot.
      if (divisor === undefined) return { outcome: 'rejected', reason: 'unknown_scale' }
      const rating = String((fields.rating * 10) / divisor)
      const time = fields.rated_at === undefined ? {} : { date: fields.rated_at }
      if (newest === undefined) await write({ rating, ...time })
      else if (isPlain(newest)) await write({ rating, ...time, reviewId: newest.id })
      // A changed review loses the comments of others, so one with a text is left alone. Ryot dates the new one later.
      else await write({ rating })
      return APPLIED
    },
    { log: session.account.log, atOnce: 1 },
  )
}

const isPlain = ({ textOriginal: text, comments }: Review) => (text ?? '') === '' && comments.length === 0

async function removeRatings(
  session: Session,
  own: readonly Review[],
  write: (input: object) => Promise<unknown>,
  signal: AbortSignal,
): Promise<ItemOutcome> {
  if (own.length === 0) return ALREADY
  if (own.some(({ comments }) => comments.length > 0)) return { outcome: 'rejected', reason: 'has_comments' }
  for (const review of own) {
    const { id, textOriginal: text, isSpoiler, visibility } = review
    if (isPlain(review))
      await session.ask(
        { query: 'mutation($reviewId: String!) { deleteReview(reviewId: $reviewId) }', variables: { reviewId: id } },
        Yes,
        { signal, repeat: false },
      )
    // The text stays.
    else await write({ reviewId: id, text, isSpoiler, visibility })
  }
  return APPLIED
}

function saveReview({ ask }: Session, input: object, signal: AbortSignal): Promise<unknown> {
  return ask(
    {
      query: 'mutation($input: CreateOrUpdateReviewInput!) { createOrUpdateReview(input: $input) { id } }',
      variables: { input },
    },
    Yes,
    { signal, repeat: false },
  )
}
