// A library item as a row, seen by one account; missing values are omitted.
import { type Account, type Item, leavesOf, type PlayState, type PlexState, playStateOf } from './state.ts'
import { day, present, type Row, seconds } from './wire.ts'

export interface Summary extends Readonly<PlayState> {
  readonly watched: boolean
  readonly leafCount: number
  readonly viewedLeafCount: number
}

export function itemRow(state: PlexState, account: Account, item: Item, withGuids: boolean): Row {
  const section = state.sections.find(({ key }) => key === item.sectionKey)
  const key = `/library/metadata/${item.ratingKey}`
  return present({
    ratingKey: item.ratingKey,
    key: item.type === 'show' || item.type === 'season' ? `${key}/children` : key,
    guid: item.guid,
    type: item.type,
    title: item.title,
    year: item.year,
    index: item.index,
    ...ancestors(state, item),
    duration: item.durationMs,
    ...personal(state, account, item),
    addedAt: seconds(item.addedAtMs),
    updatedAt: seconds(item.addedAtMs),
    originallyAvailableAt: item.premieredAtMs === undefined ? undefined : day(item.premieredAtMs),
    librarySectionID: Number(item.sectionKey),
    librarySectionKey: `/library/sections/${item.sectionKey}`,
    librarySectionTitle: section?.title,
    Guid: withGuids && item.guids.length > 0 ? item.guids.map((id) => ({ id })) : undefined,
  })
}

/** The files of a film or an episode, as the single item lists them. */
export function mediaRows({ ratingKey, type, title, year, file, edition, durationMs }: Item): Row {
  if (type !== 'movie' && type !== 'episode') return {}
  const name = year === undefined ? title : `${title} (${year})`
  const part = { id: 1, key: `/library/parts/${ratingKey}/file.mkv`, file: file ?? `/media/${name}/${name}.mkv` }
  return present({ editionTitle: edition, Media: [present({ id: 1, duration: durationMs, Part: [part] })] })
}

/** An account's state of an item; a show or season aggregates its children, and has its own rating. */
export function summaryOf(state: PlexState, account: Account, item: Item): Summary {
  const own = playStateOf(state, account, item.ratingKey)
  if (item.type === 'movie' || item.type === 'episode') {
    return { ...own, watched: own.viewCount > 0, leafCount: 1, viewedLeafCount: own.viewCount > 0 ? 1 : 0 }
  }
  const leaves = leavesOf(state, item).map((leaf) => playStateOf(state, account, leaf.ratingKey))
  const viewedLeafCount = leaves.filter(({ viewCount }) => viewCount > 0).length
  const viewedAtMs = leaves.flatMap(({ lastViewedAtMs }) => lastViewedAtMs ?? [])
  return {
    ...own,
    viewCount: leaves.reduce((sum, { viewCount }) => sum + viewCount, 0),
    ...(viewedAtMs.length === 0 ? {} : { lastViewedAtMs: Math.max(...viewedAtMs) }),
    watched: leaves.length > 0 && viewedLeafCount === leaves.length,
    leafCount: leaves.length,
    viewedLeafCount,
  }
}

function personal(state: PlexState, account: Account, item: Item): Row {
  const { viewCount, lastViewedAtMs, viewOffsetMs, userRating, lastRatedAtMs, leafCount, viewedLeafCount } = summaryOf(
    state,
    account,
    item,
  )
  const folder = item.type === 'show' || item.type === 'season'
  return {
    viewCount: viewCount === 0 ? undefined : viewCount,
    lastViewedAt: lastViewedAtMs === undefined ? undefined : seconds(lastViewedAtMs),
    viewOffset: viewOffsetMs,
    userRating,
    lastRatedAt: lastRatedAtMs === undefined ? undefined : seconds(lastRatedAtMs),
    leafCount: folder ? leafCount : undefined,
    viewedLeafCount: folder ? viewedLeafCount : undefined,
  }
}

function ancestors(state: PlexState, item: Item): Row {
  const parent = state.items.get(item.parentKey ?? '')
  const grandparent = state.items.get(parent?.parentKey ?? '')
  return {
    parentRatingKey: parent?.ratingKey,
    parentTitle: parent?.title,
    parentGuid: parent?.guid,
    parentIndex: parent?.index,
    grandparentRatingKey: grandparent?.ratingKey,
    grandparentTitle: grandparent?.title,
    grandparentGuid: grandparent?.guid,
  }
}
