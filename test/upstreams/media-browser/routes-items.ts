// Libraries, lists of items, single items.
import type { UpstreamReply } from '../base/index.ts'
import { type Call, isVisible, Refusal, requireItem, requireUser, userOf } from './call.ts'
import { itemDto, pageDto } from './item-dto.ts'
import { page, queryItems } from './item-query.ts'
import type { Library, User } from './world.ts'

export function listViews(call: Call): UpstreamReply {
  const user = requireUser(call)
  const views = visibleLibraries(call, user).map((library) => libraryDto(call, library))
  return { status: 200, json: { Items: views, TotalRecordCount: views.length, StartIndex: 0 } }
}

export function listMediaFolders(call: Call): UpstreamReply {
  const folders = call.world.libraries.map((library) => libraryDto(call, library))
  return { status: 200, json: { Items: folders, TotalRecordCount: folders.length, StartIndex: 0 } }
}

export function listVirtualFolders({ world }: Call): UpstreamReply {
  const json = world.libraries.map(({ id, name, collectionType }) => ({
    Name: name,
    Locations: [`/media/${name}`],
    CollectionType: collectionType,
    ItemId: id,
  }))
  return { status: 200, json }
}

export function listItems(call: Call): UpstreamReply {
  const user = userOf(call)
  const asksForRoot =
    call.query('ParentId') === undefined && call.query('Recursive') !== 'true' && call.query('Ids') === undefined
  if (asksForRoot && user !== undefined) return listViews(call)
  return { status: 200, json: pageDto(call, queryItems(call, user), user) }
}

/** Items without a user: there is no user data to show or to filter by. */
export function listItemsOfServer(call: Call): UpstreamReply {
  return { status: 200, json: pageDto(call, queryItems(call, undefined), undefined) }
}

export function listResumable(call: Call): UpstreamReply {
  const user = requireUser(call)
  const started = [...user.data]
    .filter(([, data]) => data.positionTicks > 0 && data.hiddenFromResume !== true)
    .toSorted(([, a], [, b]) => (b.lastPlayedAtMs ?? 0) - (a.lastPlayedAtMs ?? 0))
    .map(([id]) => call.world.items.get(id))
    .filter((item) => item !== undefined && isVisible(call.world, item, user))
    .filter((item) => item !== undefined)
  return { status: 200, json: pageDto(call, page(call, started), user) }
}

export function readItem(call: Call): UpstreamReply {
  const user = userOf(call)
  const library = call.world.libraries.find(({ id }) => id === call.param('itemId'))
  if (library !== undefined) return { status: 200, json: libraryDto(call, library) }
  return {
    status: 200,
    json: itemDto(call, requireItem(call, call.param('itemId'), user), user, { fields: 'all', withUserData: true }),
  }
}

/** From the parent up to the library. */
export function listAncestors(call: Call): UpstreamReply {
  const user = userOf(call)
  const ancestors: Record<string, unknown>[] = []
  let { parentId } = requireItem(call, call.param('itemId'), user)
  while (parentId !== undefined) {
    const library = call.world.libraries.find(({ id }) => id === parentId)
    const item = call.world.items.get(parentId)
    if (library !== undefined) ancestors.push(libraryDto(call, library))
    else if (item !== undefined) ancestors.push(itemDto(call, item, user, { fields: new Set(), withUserData: false }))
    parentId = item?.parentId
  }
  return { status: 200, json: ancestors }
}

export function deleteItem(call: Call): UpstreamReply {
  const user = call.token?.user
  const item = requireItem(call, call.param('itemId'), user)
  const allowed = user === undefined || user.administrator || (item.type === 'Playlist' && item.ownerId === user.id)
  if (!allowed) throw new Refusal(call.dialect.product === 'jellyfin' ? 401 : 403, 'Unauthorized access')
  call.world.remove(item.id)
  return { status: 204 }
}

function visibleLibraries({ world }: Call, user: User): Library[] {
  return world.libraries.filter(({ name }) => user.libraries === undefined || user.libraries.includes(name))
}

function libraryDto({ world }: Call, { id, name, collectionType }: Library): Record<string, unknown> {
  return {
    Name: name,
    ServerId: world.serverId,
    Id: id,
    Type: 'CollectionFolder',
    IsFolder: true,
    CollectionType: collectionType,
  }
}
