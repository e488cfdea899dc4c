// Resolves the works of plays: rows only have the server's key, so the ids of works are requested once and stored.
import type { KeyValueStore } from '@playhead/sdk'
import { collectIds, type Ids } from '@playhead/sdk/items'
import { ask, type Command } from './api.ts'
import { type Details, Metadata, type Row, textOf } from './wire.ts'

/** Works in memory; others are in the store. */
const MAX_IN_MEMORY = 500
const STORE_MS = 30 * 24 * 3_600_000
const SHARED = ['tmdb', 'imdb', 'tvdb'] as const

export type Work = { readonly ids: Ids; readonly showIds?: Ids } | { readonly reason: 'ids_unknown' | 'item_changed' }

export interface Works {
  workOf(row: Row): Promise<Work>
}

interface StoredWork {
  readonly type: string
  readonly title: string
  readonly guid: string
  readonly ids: Ids
  readonly showIds: Ids
}

/** @param serverId keys are only unique per server */
export function createWorks(command: Command, serverId: string): Works {
  const { store } = command.account
  const recent = new Map<string, Promise<StoredWork | undefined>>()

  function stored(ratingKey: string, isMeant: (item: StoredWork) => boolean): Promise<StoredWork | undefined> {
    const known = recent.get(ratingKey) ?? lookUp(command, store, `ids/${serverId}/${ratingKey}`, ratingKey, isMeant)
    // LRU order, because episodes of a show are adjacent.
    recent.delete(ratingKey)
    recent.set(ratingKey, known)
    if (recent.size > MAX_IN_MEMORY) recent.delete(recent.keys().next().value as string)
    return known
  }

  async function movie(row: Row): Promise<Work> {
    const { ids } = collectIds({ guid: row.guid })
    if (hasShared(ids)) return { ids: shared(ids) }
    return byKey(
      row.rating_key,
      (item) => item.type === 'movie' && isSame(item.guid, row.guid),
      (item) => item.ids,
    )
  }

  async function episode(row: Row): Promise<Work> {
    const { showIds } = collectIds({ guid: row.guid })
    if (hasShared(showIds)) return { ids: {}, showIds: shared(showIds) }
    const title = textOf(row.grandparent_title)
    const show = await byKey(
      row.grandparent_rating_key,
      (item) => item.type === 'show' && item.title === title,
      (item) => item.ids,
    )
    if ('ids' in show) return { ids: {}, showIds: show.ids }
    // The show was renamed or its key was reused: the episode knows its show.
    const own = await byKey(
      row.rating_key,
      (item) => item.type === 'episode' && isSame(item.guid, row.guid),
      (item) => item.showIds,
    )
    return 'ids' in own ? { ids: {}, showIds: own.ids } : own
  }

  async function byKey(
    key: unknown,
    isMeant: (item: StoredWork) => boolean,
    idsOf: (item: StoredWork) => Ids,
  ): Promise<Work> {
    const ratingKey = textOf(key)
    const item = ratingKey === undefined ? undefined : await stored(ratingKey, isMeant)
    if (item === undefined) return { reason: 'ids_unknown' }
    if (!isMeant(item)) return { reason: 'item_changed' }
    return hasShared(idsOf(item)) ? { ids: idsOf(item) } : { reason: 'ids_unknown' }
  }

  return { workOf: (row) => (row.media_type === 'movie' ? movie(row) : episode(row)) }
}

async function lookUp(
  command: Command,
  store: KeyValueStore,
  name: string,
  ratingKey: string,
  isMeant: (item: StoredWork) => boolean,
): Promise<StoredWork | undefined> {
  const known = await store.get<StoredWork>(name)
  if (known !== undefined && isMeant(known)) return known
  const details = await ask(command, 'get_metadata', { rating_key: ratingKey }, Metadata)
  const item = toStored(details)
  // A work that is unknown now may be added later.
  if (item !== undefined && (hasShared(item.ids) || hasShared(item.showIds))) await store.set(name, item, STORE_MS)
  return item
}

function toStored(details: Details): StoredWork | undefined {
  const { media_type: type, title, guid, guids, grandparent_guid: showGuid, grandparent_guids: showGuids } = details
  const kind = textOf(type)
  if (kind === undefined) return undefined
  return {
    type: kind,
    title: textOf(title) ?? '',
    guid: textOf(guid) ?? '',
    ids: shared(collectIds({ guid, guids }).ids),
    showIds: shared(collectIds({ guid: showGuid, guids: showGuids }).ids),
  }
}

/** Rows of old versions have no guid. */
function isSame(guid: string, ofRow: unknown): boolean {
  const text = textOf(ofRow)
  return text === undefined || text === guid
}

function shared(ids: Ids): Ids {
  return Object.fromEntries(SHARED.flatMap((scheme) => (ids[scheme] === undefined ? [] : [[scheme, ids[scheme]]])))
}

function hasShared(ids: Ids): boolean {
  return SHARED.some((scheme) => ids[scheme] !== undefined)
}
