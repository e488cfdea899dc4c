// The custom lists of a person: rows by rank; the plan limits the number and size of lists.
import { touch } from './activities.ts'
import type { Context } from './context.ts'
import { accountLimit, EMPTY, isFull, page, Refusal, refuse, type Reply } from './replies.ts'
import { type Account, nextId, type OwnList, type State } from './state.ts'
import { iso, summary } from './summary.ts'
import { countByGroup, readTargets } from './targets.ts'

const PRIVACIES = ['private', 'link', 'friends', 'public']

export function readLists({ account, request }: Context): Reply {
  return page(
    request,
    account.lists.map((list) => listRow(account, list)),
  )
}

export function createList({ state, account, body }: Context): Reply {
  const { name, privacy = 'private' } = body
  if (typeof name !== 'string' || name === '' || !PRIVACIES.includes(String(privacy))) refuse(422)
  if (account.lists.length >= account.plan.lists) throw new Refusal(accountLimit(account.plan.vip, account.plan.lists))
  return { status: 201, json: listRow(account, makeList(state, account, String(name), { privacy: String(privacy) })) }
}

export function updateList(context: Context): Reply {
  const { account, body, nowMs } = context
  const list = listOf(context)
  if (typeof body['name'] === 'string') list.name = body['name']
  change(account, list, nowMs)
  return { status: 200, json: listRow(account, list) }
}

export function deleteList(context: Context): Reply {
  const { account, nowMs } = context
  const list = listOf(context)
  account.lists = account.lists.filter((one) => one !== list)
  touch(account, ['lists.updated_at'], nowMs)
  return EMPTY
}

export function readListItems(context: Context): Reply {
  const { request, params } = context
  const types = (params[1] ?? 'all').split(',')
  if ((params[2] ?? 'rank') !== 'rank' || (params[3] ?? 'asc') !== 'asc') refuse(422)
  const rows = listOf(context)
    .rows.map((row, index) => ({ row, rank: index + 1 }))
    .filter(({ row }) => types.includes('all') || types.includes(row.entry.type))
  return page(
    request,
    rows.map(({ row, rank }) => ({
      rank,
      id: row.id,
      listed_at: iso(row.listedAtMs),
      notes: row.notes,
      ...summary(row.entry, isFull(request)),
    })),
  )
}

export function addToList(context: Context): Reply {
  const { state, account, body, nowMs, overLimit } = context
  const list = listOf(context)
  const { found, notFound } = readTargets(state.catalogue, body)
  const wanted = found.filter(({ leaf }) => leaf).map(({ entry }) => entry)
  const listed = new Set(list.rows.map(({ entry }) => entry.key))
  const fresh = [...new Map(wanted.filter(({ key }) => !listed.has(key)).map((entry) => [entry.key, entry])).values()]
  const room = Math.max(0, account.plan.listItems - list.rows.length)
  const isOver = fresh.length > room
  const added = isOver ? fresh.slice(0, overLimit === 'partial' ? room : 0) : fresh
  list.rows.push(...added.map((entry) => ({ id: nextId(state), entry, listedAtMs: nowMs, notes: null })))
  change(account, list, nowMs)
  if (isOver) throw new Refusal(accountLimit(account.plan.vip, account.plan.listItems))
  const existing = wanted.filter(({ key }) => listed.has(key))
  return {
    status: 201,
    json: { added: countByGroup(added), existing: countByGroup(existing), not_found: notFound, list: stateOf(list) },
  }
}

export function removeFromList(context: Context): Reply {
  const { state, account, body, nowMs } = context
  const list = listOf(context)
  const { found, notFound } = readTargets(state.catalogue, body)
  const keys = new Set(found.filter(({ leaf }) => leaf).map(({ entry }) => entry.key))
  const removed = list.rows.filter(({ entry }) => keys.has(entry.key)).map(({ entry }) => entry)
  list.rows = list.rows.filter(({ entry }) => !keys.has(entry.key))
  change(account, list, nowMs)
  return { status: 200, json: { deleted: countByGroup(removed), not_found: notFound, list: stateOf(list) } }
}

export function reorderList(context: Context): Reply {
  const { account, body, nowMs } = context
  const list = listOf(context)
  const wanted = Array.isArray(body['rank']) ? (body['rank'] as unknown[]) : refuse(422)
  const byId = new Map<unknown, OwnList['rows'][number]>(list.rows.map((row) => [row.id, row]))
  const first = [...new Set(wanted)].flatMap((id) => byId.get(id) ?? [])
  list.rows = [...first, ...list.rows.filter((row) => !first.includes(row))]
  change(account, list, nowMs)
  return {
    status: 200,
    json: { updated: first.length, skipped_ids: wanted.filter((id) => !byId.has(id)), list: stateOf(list) },
  }
}

export function makeList(
  state: State,
  account: Account,
  name: string,
  more: Partial<Pick<OwnList, 'privacy' | 'type'>> = {},
): OwnList {
  const list: OwnList = {
    id: nextId(state),
    name,
    privacy: 'private',
    type: 'personal',
    createdAtMs: state.nowMs(),
    updatedAtMs: state.nowMs(),
    rows: [],
    ...more,
  }
  account.lists.push(list)
  touch(account, ['lists.updated_at'], state.nowMs())
  return list
}

/** Records a change of the list. */
export function change(account: Account, list: OwnList, nowMs: number): void {
  list.updatedAtMs = nowMs
  touch(account, ['lists.updated_at'], nowMs)
}

function listOf({ account, params }: Context): OwnList {
  return account.lists.find(({ id, name }) => String(id) === params[0] || slugOf(name) === params[0]) ?? refuse(404)
}

function stateOf({ updatedAtMs, rows }: OwnList): Record<string, unknown> {
  return { updated_at: iso(updatedAtMs), item_count: rows.length }
}

function listRow(
  { username }: Account,
  { id, name, privacy, type, createdAtMs, updatedAtMs, rows }: OwnList,
): Record<string, unknown> {
  const slug = slugOf(name)
  return {
    name,
    description: '',
    privacy,
    share_link: `https://trakt.tv/lists/${id}`,
    type,
    display_numbers: false,
    allow_comments: true,
    sort_by: 'rank',
    sort_how: 'asc',
    created_at: iso(createdAtMs),
    updated_at: iso(updatedAtMs),
    item_count: rows.length,
    comment_count: 0,
    likes: 0,
    ids: { trakt: id, slug },
    user: {
      username,
      private: false,
      deleted: false,
      name: username,
      vip: false,
      vip_ep: false,
      director: false,
      ids: { slug: username, trakt: 1 },
    },
  }
}

function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}
