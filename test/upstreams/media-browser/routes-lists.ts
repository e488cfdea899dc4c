// Playlists, which belong to a user, and collections, which every user sees.
import type { UpstreamReply } from '../base/index.ts'
import { type Call, isVisible, normalizeId, readObject, Refusal, requireItem, requireUser } from './call.ts'
import { itemDto, shapeOf } from './item-dto.ts'
import { page } from './item-query.ts'
import { playable } from './user-data.ts'
import type { Entry, Item, User, World } from './world.ts'

export interface NewList {
  readonly name: string
  readonly itemIds: readonly string[]
  readonly owner?: User
  readonly public?: boolean
}

export function createList(
  world: World,
  type: 'Playlist' | 'BoxSet',
  { name, itemIds, owner, public: shared }: NewList,
): Item {
  const nowMs = world.nowMs()
  const belongs = { ownerId: owner?.id, public: shared }
  const entries = itemIds.map((itemId) => ({ entryId: world.newItemId(), itemId }))
  return world.add({
    id: world.newItemId(),
    type,
    name,
    providerIds: {},
    entries,
    createdAtMs: nowMs,
    savedAtMs: nowMs,
    ...belongs,
  })
}

/** A new playlist from a JSON body. */
export async function createPlaylistFromBody(call: Call): Promise<UpstreamReply> {
  const body = await readObject(call)
  const field = (name: string): unknown => Object.entries(body).find(([key]) => key.toLowerCase() === name)?.[1]
  const name = field('name')
  const ids = field('ids')
  if (typeof name !== 'string' || name === '') throw new Refusal(400, 'The Name field is required.')
  const list = newPlaylist(call, name, Array.isArray(ids) ? ids.map(String) : [], field('ispublic') === true)
  return { status: 200, json: { Id: list.id } }
}

/** A new playlist from the query. */
export function createPlaylistFromQuery(call: Call): UpstreamReply {
  const name = call.query('Name')
  if (name === undefined) throw new Refusal(400, 'Value cannot be null. (Parameter Name)')
  const list = newPlaylist(call, name, call.list('Ids'), false)
  return { status: 200, json: { Id: list.id, Name: name, ItemAddedCount: list.entries?.length ?? 0 } }
}

function newPlaylist(call: Call, name: string, ids: readonly string[], shared: boolean): Item {
  const owner = requireUser(call)
  return createList(call.world, 'Playlist', { name, owner, public: shared, itemIds: expand(call, ids, owner) })
}

export function listPlaylistItems(call: Call): UpstreamReply {
  const user = requireUser(call)
  const { entries = [] } = requireList(call, 'Playlist', user)
  const shape = shapeOf(call)
  const rows = entries.map((entry) => ({ entry, item: call.world.items.get(entry.itemId) }))
  const visible = rows.filter(
    (row): row is { entry: Entry; item: Item } => row.item !== undefined && isVisible(call.world, row.item, user),
  )
  const { items, total, startIndex } = page(
    call,
    visible.map(({ item }) => item),
  )
  const shown = items.map((item, index) => {
    const entry = visible[startIndex + index]?.entry
    return { ...itemDto(call, item, user, shape), PlaylistItemId: entry?.entryId }
  })
  return { status: 200, json: { Items: shown, TotalRecordCount: total, StartIndex: startIndex } }
}

export function addPlaylistItems(call: Call): UpstreamReply {
  const user = requireUser(call)
  const list = ownPlaylist(call, user)
  const entries = (list.entries ??= [])
  let added = 0
  for (const itemId of expand(call, call.list('Ids'), user)) {
    if (call.dialect.playlistsSkipDuplicates && entries.some((entry) => entry.itemId === itemId)) continue
    entries.push({ entryId: call.world.newItemId(), itemId })
    added += 1
  }
  if (call.dialect.product === 'emby') return { status: 200, json: { Id: list.id, ItemAddedCount: added } }
  return { status: 204 }
}

export function removePlaylistItems(call: Call): UpstreamReply {
  const list = ownPlaylist(call, requireUser(call))
  const gone = new Set(call.list('EntryIds'))
  list.entries = list.entries?.filter(({ entryId }) => !gone.has(entryId))
  return { status: 204 }
}

export function movePlaylistItem(call: Call): UpstreamReply {
  const list = ownPlaylist(call, requireUser(call))
  const entries = list.entries ?? []
  const from = entries.findIndex(({ entryId }) => entryId === call.param('entryId'))
  if (from < 0) throw new Refusal(404)
  const [moved] = entries.splice(from, 1)
  entries.splice(Math.min(Number(call.param('newIndex')), entries.length), 0, moved as Entry)
  return { status: 204 }
}

export async function updatePlaylist(call: Call): Promise<UpstreamReply> {
  const { Name: name, Ids: ids, IsPublic: shared } = await readObject(call)
  const user = requireUser(call)
  const list = ownPlaylist(call, user)
  if (typeof name === 'string') list.name = name
  if (typeof shared === 'boolean') list.public = shared
  if (Array.isArray(ids))
    list.entries = expand(call, ids.map(String), user).map((itemId) => ({ entryId: call.world.newItemId(), itemId }))
  return { status: 204 }
}

export function createCollection(call: Call): UpstreamReply {
  mustManageCollections(call)
  const name = call.query('Name')
  const itemIds = known(call, call.list('Ids'))
  if (name === undefined) throw new Refusal(400, 'The Name field is required.')
  if (call.dialect.product === 'emby' && itemIds.length === 0) throw new Refusal(400, 'A collection needs an item.')
  const { id } = createList(call.world, 'BoxSet', { name, itemIds })
  return { status: 200, json: call.dialect.product === 'emby' ? { Id: id, Name: name } : { Id: id } }
}

export function addCollectionItems(call: Call): UpstreamReply {
  mustManageCollections(call)
  const entries = (requireList(call, 'BoxSet', undefined).entries ??= [])
  for (const itemId of known(call, call.list('Ids'))) {
    if (!entries.some((entry) => entry.itemId === itemId)) entries.push({ entryId: call.world.newItemId(), itemId })
  }
  return { status: 204 }
}

export function removeCollectionItems(call: Call): UpstreamReply {
  mustManageCollections(call)
  const list = requireList(call, 'BoxSet', undefined)
  const gone = new Set(call.list('Ids').map((id) => normalizeId(call, id)))
  list.entries = list.entries?.filter(({ itemId }) => !gone.has(itemId))
  return { status: 204 }
}

function mustManageCollections({ token }: Call): void {
  if (token?.user?.managesCollections === false) throw new Refusal(403)
}

function requireList(call: Call, type: Item['type'], user: User | undefined): Item {
  const list = requireItem(call, call.param('listId'), user)
  if (list.type !== type) throw new Refusal(404, `${type} not found`)
  return list
}

function ownPlaylist(call: Call, user: User): Item {
  const list = requireList(call, 'Playlist', user)
  if (list.ownerId !== user.id) throw new Refusal(403)
  return list
}

/** A playlist contains only films and episodes: a show is replaced by its episodes. */
function expand(call: Call, ids: readonly string[], user: User): string[] {
  const items = known(call, ids)
    .map((id) => call.world.items.get(id) as Item)
    .filter((item) => isVisible(call.world, item, user))
  return items.flatMap((item) => playable(call.world, item)).map(({ id }) => id)
}

function known(call: Call, ids: readonly string[]): string[] {
  return ids.map((id) => normalizeId(call, id)).filter((id) => call.world.items.has(id))
}
