// The work of a session or a webhook: a movie or an episode with its ids, its files, and whether it is live television.
import { defined, isPlayheadError, type Item, type KeyedCache, type PlayFiles } from '@playhead/sdk'
import { describedItem, idsOf, isUnreadable, type Kind, type ShowFacts } from '../items.ts'
import type { Metadata } from '../wire.ts'
import { idOf, type Row, rowsOf, textOf, wholeNumberOf } from './values.ts'

/** Guids of the live television guide identify a broadcast, not a work. */
const BROADCAST = 'tv.plex.xmltv'
const EXTRAS: ReadonlySet<unknown> = new Set([
  'trailer',
  'preroll',
  'behindTheScenes',
  'deletedScene',
  'sceneOrSample',
  'interview',
  'featurette',
  'short',
])
const MAX_FILES = 50

/** The fields of a report that describe its item, in the types of the library. */
export function workRow(row: Row): Metadata {
  const texts = ['type', 'title', 'guid', 'grandparentTitle', 'grandparentGuid', 'parentGuid', 'subtype']
  const ids = ['ratingKey', 'grandparentRatingKey', 'librarySectionID']
  const numbers = ['year', 'index', 'parentIndex', 'duration', 'viewOffset']
  const read = (names: readonly string[], reader: (value: unknown) => unknown) =>
    names.flatMap((name) => {
      const value = reader(row[name])
      return value === undefined ? [] : [[name, value] as const]
    })
  const guids = rowsOf(row['Guid']).flatMap(({ id }) => textOf(id) ?? [])
  return Object.fromEntries([
    ...read(texts, textOf),
    ...read(ids, idOf),
    ...read(numbers, wholeNumberOf),
    ...(guids.length === 0 ? [] : [['Guid', guids.map((id) => ({ id }))]]),
  ]) as Metadata
}

/** Trailers and other extras, including those of type movie. */
export function isPlayable({ type }: Metadata, row: Row, kinds: readonly Kind[] = ['movie', 'episode']): boolean {
  return kinds.includes(type as Kind) && row['extraType'] === undefined && !EXTRAS.has(row['subtype'])
}

export function isLive({ guid, grandparentGuid, parentGuid, Guid = [] }: Metadata, { live }: Row): boolean {
  const guids = [guid, grandparentGuid, parentGuid, ...Guid.map(({ id }) => id)]
  return live === true || live === 1 || live === '1' || guids.some((one) => one?.includes(BROADCAST) === true)
}

/** The row of a report, completed from the library; undefined if it is unreadable. */
export function toPlayedItem(
  row: Metadata,
  detail: Metadata | undefined,
  show: Metadata | undefined,
): Item | undefined {
  const both = { ...row, ...(isSameWork(row, detail) ? ownFields(detail) : {}) }
  const { guid, Guid, grandparentGuid, ...rest } = both
  const item = describedItem(
    {
      ...rest,
      ...(guid === undefined || guid.includes(BROADCAST) ? {} : { guid }),
      ...defined({ Guid: Guid?.filter(({ id }) => !id.includes(BROADCAST)) }),
    },
    factsOf(grandparentGuid, isShowOf(row, show) ? show : undefined),
  )
  return isUnreadable(item) ? undefined : item
}

/** Keys of library items are reused after a deletion, so a cached row may belong to another work. */
export function isSameWork(row: Metadata, detail: Metadata | undefined): detail is Metadata {
  if (detail === undefined || detail.type !== row.type) return false
  return row.guid === undefined || detail.guid === undefined || row.guid === detail.guid
}

function isShowOf({ grandparentGuid }: Metadata, show: Metadata | undefined): show is Metadata {
  if (show === undefined || show.type !== 'show') return false
  return grandparentGuid === undefined || show.guid === undefined || grandparentGuid === show.guid
}

function ownFields({ viewOffset: _offset, ...detail }: Metadata): Metadata {
  return detail
}

function factsOf(grandparentGuid: string | undefined, show: Metadata | undefined): ShowFacts {
  const guid = grandparentGuid?.includes(BROADCAST) === true ? undefined : grandparentGuid
  const ids = guid === undefined ? {} : idsOf({ guid })
  return show === undefined ? { ids } : { ids: { ...ids, ...idsOf(show) }, title: show.title, year: show.year }
}

/** Files and editions of a row; undefined if it lists none. */
export function filesOf(row: object | undefined, trusted: boolean): PlayFiles | undefined {
  const own = rowsOf(row)
  const media = own.flatMap((one) => rowsOf(one['Media']))
  const paths = media.flatMap((one) => rowsOf(one['Part']).flatMap(({ file }) => textOf(file) ?? []))
  const editions = [...own, ...media].flatMap((one) => textOf(one['editionTitle']) ?? [])
  const versions = media.flatMap((one) => textOf(one['title']) ?? [])
  if (paths.length === 0) return undefined
  const unique = (texts: readonly string[]) => [...new Set(texts)].slice(0, MAX_FILES)
  return { paths: unique(paths), editions: unique([...editions, ...versions]), trusted }
}

/** Rows of the library by key. Invalid keys are not requested. */
export async function rowsByKey(
  details: KeyedCache<Metadata>,
  keys: readonly (string | undefined)[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Metadata>> {
  const known = keys.flatMap((key) => (key !== undefined && /^\d{1,15}$/.test(key) ? [key] : []))
  return known.length === 0 ? new Map() : details.get(known, signal)
}

/** The rows, or undefined if the library fails. */
export async function tryRowsByKey(
  ...[details, keys, signal]: Parameters<typeof rowsByKey>
): Promise<ReadonlyMap<string, Metadata> | undefined> {
  try {
    return await rowsByKey(details, keys, signal)
  } catch (error) {
    if (!isPlayheadError(error) && !signal.aborted) throw error
    return undefined
  }
}
