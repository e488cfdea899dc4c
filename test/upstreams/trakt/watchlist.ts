// The watchlist: rows by rank, added and removed in batches; the plan limits its size.
import { touch } from './activities.ts'
import type { Entry, Group } from './catalogue.ts'
import { GROUPS } from './catalogue.ts'
import type { Context } from './context.ts'
import { accountLimit, EMPTY, isFull, page, Refusal, refuse, refuseVipOnly, type Reply } from './replies.ts'
import { type Account, type Listed, nextId, type State } from './state.ts'
import { iso, summary } from './summary.ts'
import { countByGroup, readTargets } from './targets.ts'

const SORTS: Readonly<Record<string, (a: Row, b: Row) => number>> = {
  rank: (a, b) => a.rank - b.rank,
  added: (a, b) => a.row.listedAtMs - b.row.listedAtMs,
  title: (a, b) => titleOf(a.row.entry).localeCompare(titleOf(b.row.entry)),
}

interface Row {
  readonly row: Listed
  readonly rank: number
}

export function readWatchlist({ account, request, params }: Context): Reply {
  const [group = 'all', sortBy = 'rank', sortHow = 'asc'] = params
  const type = group === 'all' ? undefined : (GROUPS[group as Group] ?? refuse(404))
  const rows = account.watchlist
    .map((row, index): Row => ({ row, rank: index + 1 }))
    .filter(({ row }) => type === undefined || row.entry.type === type)
    .sort(SORTS[sortBy] ?? refuse(422))
  if (sortHow === 'desc') rows.reverse()
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

export function addToWatchlist({ state, account, body, nowMs, overLimit }: Context): Reply {
  const { found, notFound } = readTargets(state.catalogue, body)
  const wanted = found.filter(({ leaf }) => leaf)
  if (!account.plan.vip && wanted.some(({ sent }) => typeof sent[0]?.['notes'] === 'string')) refuseVipOnly()
  const listed = new Set(account.watchlist.map(({ entry }) => entry.key))
  const existing = wanted.filter(({ entry }) => listed.has(entry.key))
  // An item that occurs twice in a batch is one row.
  const fresh = [
    ...new Map(
      wanted.filter(({ entry }) => !listed.has(entry.key)).map((target) => [target.entry.key, target]),
    ).values(),
  ]
  const room = account.plan.watchlist - account.watchlist.length
  const isOver = fresh.length > Math.max(0, room)
  const added = isOver ? fresh.slice(0, overLimit === 'partial' ? Math.max(0, room) : 0) : fresh
  for (const { entry, sent } of added) list(state, account, entry, nowMs, sent[0]?.['notes'])
  if (isOver) throw new Refusal(accountLimit(account.plan.vip, account.plan.watchlist))
  return {
    status: 201,
    json: {
      added: countByGroup(added.map(({ entry }) => entry)),
      existing: countByGroup(existing.map(({ entry }) => entry)),
      not_found: notFound,
      list: listState(account),
    },
  }
}

export function removeFromWatchlist({ state, account, body, nowMs }: Context): Reply {
  const { found, notFound } = readTargets(state.catalogue, body)
  const keys = new Set(found.filter(({ leaf }) => leaf).map(({ entry }) => entry.key))
  const removed = unlist(account, keys, nowMs)
  return { status: 200, json: { deleted: countByGroup(removed), not_found: notFound, list: listState(account) } }
}

export function reorderWatchlist({ account, body, nowMs }: Context): Reply {
  const wanted = Array.isArray(body['rank']) ? (body['rank'] as unknown[]) : refuse(422)
  const byId = new Map<unknown, Listed>(account.watchlist.map((row) => [row.id, row]))
  const first = [...new Set(wanted)].flatMap((id) => byId.get(id) ?? [])
  account.watchlist = [...first, ...account.watchlist.filter((row) => !first.includes(row))]
  touch(account, ['watchlist.updated_at'], nowMs)
  return {
    status: 200,
    json: { updated: first.length, skipped_ids: wanted.filter((id) => !byId.has(id)), list: listState(account) },
  }
}

export function noteOnWatchlist({ account, params, body, nowMs }: Context): Reply {
  const row = account.watchlist.find(({ id }) => String(id) === params[0]) ?? refuse(404)
  if (!account.plan.vip) refuseVipOnly()
  row.notes = typeof body['notes'] === 'string' ? body['notes'] : null
  touch(account, ['watchlist.updated_at'], nowMs)
  return EMPTY
}

export function list(state: State, account: Account, entry: Entry, nowMs: number, notes?: unknown): void {
  account.watchlist.push({
    id: nextId(state),
    entry,
    listedAtMs: nowMs,
    notes: typeof notes === 'string' ? notes : null,
  })
  touch(account, ['watchlist.updated_at', `${entry.type}s.watchlisted_at`], nowMs)
}

/** Removes rows by the keys of their entries; returns the removed keys. */
export function unlist(account: Account, keys: ReadonlySet<string>, nowMs: number): Entry[] {
  const removed = account.watchlist.filter(({ entry }) => keys.has(entry.key)).map(({ entry }) => entry)
  if (removed.length === 0) return []
  account.watchlist = account.watchlist.filter(({ entry }) => !keys.has(entry.key))
  touch(account, ['watchlist.updated_at', ...removed.map(({ type }) => `${type}s.watchlisted_at`)], nowMs)
  return removed
}

function listState(account: Account): Record<string, unknown> {
  return {
    updated_at: iso(account.stamps.get('watchlist.updated_at') ?? account.joinedAtMs),
    item_count: account.watchlist.length,
  }
}

function titleOf(entry: Entry): string {
  return entry.type === 'movie' ? entry.movie.title : entry.show.title
}
