// The lists of an account: static ones that people fill, and dynamic ones that are read-only.
import type { UpstreamReply } from '../base/index.ts'
import { refuse } from '../trakt/replies.ts'
import { countByGroup } from '../trakt/targets.ts'
import { type Context, flatTargets, missing } from './context.ts'
import { iso, json, listRow, pageOf, work } from './rows.ts'
import { type Account, type List, nextId } from './state.ts'

export function answerList(context: Context): UpstreamReply {
  const {
    request: { method, path },
  } = context
  if (path === '/lists/user') return method === 'GET' ? readLists(context) : refuse(405)
  if (path === '/lists/user/add') return method === 'POST' ? createList(context) : refuse(405)
  const [, id, action = ''] = /^\/lists\/(\d+)\/(items|items\/add|items\/remove|update)$/.exec(path) ?? []
  const list = context.account.lists.get(Number(id)) ?? refuse(404)
  if (action === 'items') return method === 'GET' ? readItems(context, list) : refuse(405)
  if (method !== 'POST') refuse(405)
  if (list.dynamic) return json({ error: 'Dynamic lists cannot be edited' }, 403)
  return action === 'update'
    ? update(context, list)
    : action === 'items/add'
      ? add(context, list)
      : remove(context, list)
}

function readLists({ account }: Context): UpstreamReply {
  return json(
    [...account.lists.values()].map(({ id, name, dynamic, isPrivate, entries }) => ({
      id,
      name,
      slug: slugOf(name),
      items: entries.length,
      dynamic,
      private: isPrivate,
      mediatype: null,
    })),
  )
}

function readItems({ request, state }: Context, { entries }: List): UpstreamReply {
  const { rows, hasMore, pagination } = pageOf(request, entries, state.quirks)
  const wired = rows.map(({ entry, atMs }, index) =>
    entry.type === 'movie' || entry.type === 'show'
      ? listRow(entry, pagination.offset + index + 1)
      : { mediatype: entry.type, rank: pagination.offset + index + 1, added_at: iso(atMs), ...work(entry) },
  )
  return json(wired, 200, state.quirks.saysMore ? { 'x-has-more': String(hasMore) } : {})
}

function createList({ state, account, body }: Context): UpstreamReply {
  const { name, private: isPrivate = true } = body
  if (typeof name !== 'string' || name === '') return refuse(400)
  if (account.lists.size >= account.plan.lists) return json({ error: 'Maximum number of lists reached' }, 429)
  const list = newList(state, account, name, { isPrivate: isPrivate === true })
  return json(
    { id: list.id, name, slug: slugOf(name), url: `https://mdblist.com/lists/${account.username}/${slugOf(name)}` },
    201,
  )
}

function update({ body }: Context, list: List): UpstreamReply {
  if (typeof body['name'] === 'string') list.name = body['name']
  if (typeof body['private'] === 'boolean') list.isPrivate = body['private']
  return json({ id: list.id, name: list.name, success: true })
}

function add(context: Context, list: List): UpstreamReply {
  const { state, account } = context
  const targets = flatTargets(context)
  const wanted = targets.found.map(({ entry }) => entry)
  const isThere = (key: string) => list.entries.some(({ entry }) => entry.key === key)
  const [existing, fresh] = [wanted.filter(({ key }) => isThere(key)), wanted.filter(({ key }) => !isThere(key))]
  if (list.entries.length + fresh.length > account.plan.listItems)
    return json({ error: 'List items limit reached' }, 429)
  list.entries.push(...fresh.map((entry) => ({ entry, atMs: state.nowMs() })))
  return json({ added: countByGroup(fresh), existing: countByGroup(existing), not_found: missing(state, targets) })
}

function remove(context: Context, list: List): UpstreamReply {
  const targets = flatTargets(context)
  const keys = new Set(targets.found.map(({ entry }) => entry.key))
  const gone = list.entries.filter(({ entry }) => keys.has(entry.key)).map(({ entry }) => entry)
  list.entries = list.entries.filter(({ entry }) => !keys.has(entry.key))
  return json({ [context.state.quirks.removedAs]: countByGroup(gone), not_found: missing(context.state, targets) })
}

export function newList(
  state: Context['state'],
  account: Account,
  name: string,
  more: Partial<Pick<List, 'dynamic' | 'isPrivate'>> = {},
): List {
  const list: List = { id: nextId(state), name, dynamic: false, isPrivate: true, entries: [], ...more }
  account.lists.set(list.id, list)
  return list
}

function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}
