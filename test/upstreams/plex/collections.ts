// Collections of the libraries: visible to everyone with access to the library, and edited by the owner of the server.
import type { UpstreamReply } from '../base/index.ts'
import { visibleItem } from './library.ts'
import type { Route } from './router.ts'
import { itemRow } from './rows.ts'
import { type Collection, type Item, takeId } from './state.ts'
import { type AccountCall, container, present, type Row, seconds, serverError } from './wire.ts'

export const collectionRoutes: readonly Route[] = [
  ['account', 'GET', '/library/sections/:key/collections', listCollections],
  ['owner', 'POST', '/library/collections', create],
  [
    'account',
    'GET',
    '/library/collections/:id/items',
    (call: AccountCall) => onCollection(call, (collection) => listItems(call, collection)),
  ],
  [
    'owner',
    'PUT',
    '/library/collections/:id/items',
    (call: AccountCall) => onOpen(call, (collection) => add(call, collection)),
  ],
  [
    'owner',
    'DELETE|PUT',
    '/library/collections/:id/items/:item',
    (call: AccountCall) => onOpen(call, (collection) => remove(call, collection)),
  ],
]

function listCollections(call: AccountCall): UpstreamReply {
  const { state, params, account } = call
  if (!account.sections.includes(params['key'] as string)) return serverError(404)
  const found = [...state.collections.values()].filter(({ sectionKey }) => sectionKey === params['key'])
  return container(call, { of: found, row: (collection) => collectionRow(call, collection) })
}

function create(call: AccountCall): UpstreamReply {
  const { state, query, nowMs } = call
  const [title, sectionKey] = [query.get('title'), query.get('sectionId')]
  const items = itemsOf(call, sectionKey)
  if (title === null || sectionKey === null || items === undefined || query.get('smart') === '1')
    return serverError(400)
  const collection: Collection = {
    ratingKey: String(takeId(state)),
    sectionKey,
    title,
    smart: false,
    addedAtMs: nowMs,
    updatedAtMs: nowMs,
    items: items.map(({ ratingKey }) => ratingKey),
  }
  state.collections.set(collection.ratingKey, collection)
  return show(call, collection)
}

function listItems(call: AccountCall, collection: Collection): UpstreamReply {
  const { state, account } = call
  const withGuids = call.query.get('includeGuids') === '1'
  return container(call, { of: itemsIn(call, collection), row: (item) => itemRow(state, account, item, withGuids) })
}

function add(call: AccountCall, collection: Collection): UpstreamReply {
  const items = itemsOf(call, collection.sectionKey)
  if (items === undefined) return serverError(400)
  collection.items = [...new Set([...collection.items, ...items.map(({ ratingKey }) => ratingKey)])]
  collection.updatedAtMs = call.nowMs
  return show(call, collection)
}

function remove(call: AccountCall, collection: Collection): UpstreamReply {
  const { item } = call.params
  if (!collection.items.includes(item as string)) return serverError(404)
  collection.items = collection.items.filter((one) => one !== item)
  collection.updatedAtMs = call.nowMs
  return show(call, collection)
}

function show(call: AccountCall, collection: Collection): UpstreamReply {
  return container(call, { of: [collection], row: (one) => collectionRow(call, one) })
}

function collectionRow(call: AccountCall, collection: Collection): Row {
  const { ratingKey, sectionKey, title, smart, addedAtMs, updatedAtMs } = collection
  const section = call.state.sections.find(({ key }) => key === sectionKey)
  return present({
    ratingKey,
    key: `/library/collections/${ratingKey}/children`,
    guid: `collection://${ratingKey}`,
    type: 'collection',
    title,
    subtype: section?.type,
    smart: smart ? true : undefined,
    childCount: itemsIn(call, collection).length,
    addedAt: seconds(addedAtMs),
    updatedAt: seconds(updatedAtMs),
    librarySectionID: Number(sectionKey),
  })
}

function itemsIn({ state, account }: AccountCall, { items }: Collection): Item[] {
  return items.flatMap((ratingKey) => visibleItem(state, account, ratingKey) ?? [])
}

/** The works in the `uri` of the query; undefined if one is not in this library. */
function itemsOf({ state, account, query }: AccountCall, sectionKey: string | null): Item[] | undefined {
  const match = /^server:\/\/([^/]+)\/com\.plexapp\.plugins\.library\/library\/metadata\/([\d,]+)$/.exec(
    query.get('uri') ?? '',
  )
  if (match === null || match[1] !== state.machineIdentifier) return undefined
  const found = (match[2] as string).split(',').map((ratingKey) => visibleItem(state, account, ratingKey))
  return found.every((item) => item?.sectionKey === sectionKey) ? (found as Item[]) : undefined
}

function onCollection(
  { state, account, params }: AccountCall,
  work: (collection: Collection) => UpstreamReply,
): UpstreamReply {
  const collection = state.collections.get(params['id'] as string)
  return collection === undefined || !account.sections.includes(collection.sectionKey)
    ? serverError(404)
    : work(collection)
}

/** Smart collections are read-only. */
function onOpen(call: AccountCall, work: (collection: Collection) => UpstreamReply): UpstreamReply {
  return onCollection(call, (collection) => (collection.smart ? serverError(400) : work(collection)))
}
