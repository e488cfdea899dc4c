// Writing one feature: each title is looked up just before, changed with single attributes, and compared with the answer. Kitsu itself
// changes the status and stamps dates when a count or status changes; what was not asked for is set back.
import { type IdScheme, isPlayheadError, type WriteItem, type WriteRequest, type WriteResult } from '@playhead/sdk'
import { parseTime, ratingFrom, ratingTo, workOf } from '@playhead/sdk/items'
import { type FoundTitle, type NotSent, type TitleChange, type TitleEntry, writeTitles } from '@playhead/sdk/provider'
import { COMPLETED, countOf, CURRENT, isWatchedAgain, PLANNED, SCALE } from './items.ts'
import { entriesOf, SITE_OF, type Title, titleOf, WITH_ANIME, WITH_MAPPINGS } from './library.ts'
import type { Session } from './session.ts'
import { type EntryAttributes, EntryPage, Mappings, OneAnime, OneEntry } from './wire.ts'

type Feature = 'watchlist' | 'history' | 'ratings'
type Attributes = Readonly<Partial<Record<keyof EntryAttributes, string | number | null>>>

/** Ids that lead to a title, the best first. */
export const SCHEMES: readonly IdScheme[] = ['kitsu', ...SITE_OF.keys()]
const STATUSES = { planned: PLANNED, watching: CURRENT, completed: COMPLETED } as const
const TYPE = 'libraryEntries'

interface Found extends FoundTitle {
  readonly title: Title
  readonly own: (EntryAttributes & { readonly id: string }) | undefined
}

export function writeFeature(feature: Feature) {
  return (session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> =>
    writeTitles<Found>(request, {
      log: session.account.log,
      titleOf: (item) => nameOf(item) ?? { refused: { outcome: 'unsupported', reason: 'missing_ids' } },
      lookUp: (name) => lookUp(session, name, signal),
      async send(found, change) {
        try {
          return change === 'remove'
            ? await remove(session, found, signal)
            : await save(session, found, change, { idempotent: feature === 'ratings', signal })
        } finally {
          session.library.drop()
        }
      },
    })
}

function nameOf({ item }: WriteItem): string | undefined {
  const { ids } = workOf(item)
  const scheme = SCHEMES.find((one) => ids[one] !== undefined)
  return scheme === undefined ? undefined : `${scheme} ${ids[scheme]}`
}

async function lookUp({ api, user }: Session, name: string, signal: AbortSignal): Promise<Found | NotSent> {
  const [scheme = '', id = ''] = name.split(' ')
  const { id: userId } = await user.get(signal)
  const animeId = scheme === 'kitsu' ? id : await animeOf(api, scheme, id, signal)
  if (typeof animeId !== 'string') return animeId
  const query = { 'filter[userId]': userId, 'filter[animeId]': animeId, ...WITH_ANIME }
  const page = await api.get('library-entries', query, EntryPage, signal)
  const [entry, ...others] = entriesOf(page)
  if (others.length > 0 || page.meta.count !== page.data.length || (entry !== undefined && entry.anime.id !== animeId))
    return { refused: { outcome: 'failed', reason: 'lookup_incomplete' } }
  const title = entry?.anime ?? (await titleWith(api, animeId, signal))
  const { kind, total } = title
  if (kind === undefined) return { refused: { outcome: 'rejected', reason: 'unknown_type' } }
  return { title, kind, total, own: entry, entry: entry === undefined ? undefined : entryOf(title, entry) }
}

/** A mapping leads to one anime; several could be any of them. */
async function animeOf(
  api: Session['api'],
  scheme: string,
  id: string,
  signal: AbortSignal,
): Promise<string | NotSent> {
  const site = SITE_OF.get(scheme as 'mal') ?? ''
  const query = { 'filter[externalSite]': site, 'filter[externalId]': id, include: 'item' }
  const { data, meta } = await api.get('mappings', query, Mappings, signal)
  const items = data.flatMap(({ relationships: { item } }) => (item.data?.type === 'anime' ? [item.data.id] : []))
  const [found, ...others] = new Set(items)
  if (others.length > 0 || meta.count !== data.length)
    return { refused: { outcome: 'rejected', reason: 'ambiguous_ids' } }
  return found ?? { refused: { outcome: 'not_found', reason: 'not_found' } }
}

async function titleWith(api: Session['api'], animeId: string, signal: AbortSignal): Promise<Title> {
  const { data, included } = await api.get(`anime/${animeId}`, WITH_MAPPINGS, OneAnime, signal)
  return titleOf(data, included)
}

function entryOf(title: Title, entry: EntryAttributes & { readonly id: string }): TitleEntry {
  const { id, status, notes, startedAt, finishedAt } = entry
  return {
    id,
    status: status === PLANNED ? 'planned' : status === CURRENT ? 'watching' : status === COMPLETED ? status : 'other',
    count: countOf(title, entry),
    watchedAgain: isWatchedAgain(entry),
    rating: ratingFrom(entry.ratingTwenty, SCALE),
    holdsMore: Boolean(notes) || startedAt != null || finishedAt != null,
  }
}

async function save(
  { api, user }: Session,
  { title, own, kind }: Found,
  change: TitleChange,
  how: { readonly idempotent: boolean; readonly signal: AbortSignal },
): Promise<boolean> {
  const wanted = attributesOf(title, kind, change, own)
  const relationships = own === undefined ? relate((await user.get(how.signal)).id, title.id) : undefined
  const { data } = await api.send(
    own === undefined ? 'POST' : 'PATCH',
    own === undefined ? 'library-entries' : `library-entries/${own.id}`,
    { type: TYPE, ...(own === undefined ? { relationships } : { id: own.id }), attributes: wanted },
    OneEntry,
    how,
  )
  return setBack(api, data, { ...keptOf(own), ...wanted }, how.signal)
}

/** Repairs a status or date that Kitsu set by itself. */
async function setBack(
  api: Session['api'],
  { id, attributes }: { readonly id: string; readonly attributes: EntryAttributes },
  should: Attributes,
  signal: AbortSignal,
): Promise<boolean> {
  const repair = differences(attributes, should)
  if (Object.keys(repair).length === 0) return true
  const document = { type: TYPE, id, attributes: repair }
  try {
    const { data } = await api.send('PATCH', `library-entries/${id}`, document, OneEntry, { idempotent: true, signal })
    return Object.keys(differences(data.attributes, should)).length === 0
  } catch (error) {
    // The first change is done, even if the second fails.
    if (isPlayheadError(error)) return false
    throw error
  }
}

function attributesOf(
  { total = 1 }: Title,
  kind: 'movie' | 'show',
  { status, count, rating, startedAt, finishedAt }: TitleChange,
  own: Found['own'],
): Attributes {
  const wanted: { -readonly [name in keyof Attributes]: Attributes[name] } = {}
  if (status !== undefined) wanted.status = STATUSES[status]
  // A film in several parts is watched as a whole.
  if (count !== undefined) wanted.progress = kind === 'movie' && count > 0 ? total : count
  if (rating !== undefined) wanted.ratingTwenty = rating === null ? null : ratingTo(rating, SCALE)
  if (startedAt !== undefined && own?.startedAt == null) wanted.startedAt = instantOf(startedAt)
  if (finishedAt !== undefined) wanted.finishedAt = instantOf(finishedAt)
  // Otherwise the next play would seem to be of that time.
  if (own?.status === COMPLETED && status === 'watching') wanted.finishedAt = null
  if (count === 0) wanted.startedAt = null
  return wanted
}

/** A day is its midnight, as Kitsu's own imports store it. */
function instantOf(text: string): string {
  return new Date(parseTime(text)?.atMs ?? text).toISOString()
}

/** The values that stay as they were. Without an entry there are no dates. */
function keptOf(own: Found['own']): Attributes {
  const { status, startedAt = null, finishedAt = null } = own ?? {}
  return { ...(status === undefined ? {} : { status }), startedAt, finishedAt }
}

function differences(is: EntryAttributes, should: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(should).filter(([name, value]) => !isSame(is[name as keyof EntryAttributes] ?? null, value ?? null)),
  )
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  const isText = typeof one === 'string' && typeof other === 'string'
  return isText && Number.isFinite(Date.parse(one)) && Date.parse(one) === Date.parse(other)
}

function relate(userId: string, animeId: string): object {
  return { user: { data: { type: 'users', id: userId } }, anime: { data: { type: 'anime', id: animeId } } }
}

/** Never repeated: the person may have added the title again. */
async function remove({ api }: Session, { own }: Found, signal: AbortSignal): Promise<boolean> {
  try {
    await api.remove(`library-entries/${own?.id}`, signal)
  } catch (error) {
    if (!isPlayheadError(error, 'PLH_NOT_FOUND')) throw error
  }
  return true
}
