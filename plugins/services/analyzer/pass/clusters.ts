// Attention rows: items that an account lacks or rejected, one row per work and target. Rows that are linked by ids form one
// cluster.
import type { AnalyzedFeature, AnalyzerAccount, OpenItem } from '@playhead/sdk'
import { parseTime, VIEWING_MS } from '@playhead/sdk/items'
import { accountOf, nameOf, type PassResult } from './analyze.ts'
import { apartMs, spanOf } from './peers.ts'
import { wireItem } from './wire.ts'

interface Cluster {
  readonly feature: AnalyzedFeature
  readonly target: AnalyzerAccount
  readonly row: number
  mismatch: boolean
  blocked: boolean
  open: OpenItem | undefined
  readonly rows: number[]
}

interface AttentionCounts {
  readonly current_mismatch: number
  readonly pending_retry: number
  readonly blocked: number
  readonly total: number
  readonly anime_resolved: number
}

export interface Clusters {
  readonly counts: AttentionCounts
  /** Mismatches first, then unresolved ones, by feature, account and key. */
  page(offset: number, limit: number): readonly Readonly<Record<string, unknown>>[]
}

/** Above this number, rows are in stored order. */
const MAX_SORTED = 50_000
const MAX_KEYS = 50

export function clustersOf(result: PassResult): Clusters {
  const { table, order } = result
  const clusters = new Map<string, Cluster>()
  for (const [segment, gaps] of result.gaps) {
    const { feature, ...account } = table.segments[segment]!
    const target = accountOf(order.world, account)
    for (let row = 0; row < gaps.length; row += 1) {
      if (gaps[row] === 0) continue
      const cluster = at(`${segment} ${table.group(row).name}`, feature, target, row)
      cluster.rows.push(row)
      if ((gaps[row]! & 1) !== 0) cluster.mismatch = true
      else cluster.blocked = true
    }
  }
  let resolved = 0
  const segmentOf = new Map(table.segments.map((one, position) => [nameOf(one), position]))
  for (const one of order.world.open) {
    if (one.feature === 'playlists' || !isShown(result, one)) continue
    const target = accountOf(order.world, one)
    const row = table.rowLike(one.feature, one.item, one.key)
    const segment = segmentOf.get(nameOf({ ...one, feature: one.feature })) ?? -1
    const isThere = row >= 0 && segment >= 0 && one.op === 'add' && holds(result, one, row, segment)
    if (isThere) {
      // The account has the item by now, through a write that a later read showed, or under another numbering.
      if (table.isAnime(row)) resolved += 1
      continue
    }
    const name =
      row < 0
        ? `${segment} ${nameOf({ ...one, feature: one.feature })} ${one.key}`
        : `${segment} ${table.group(row).name}`
    const cluster = at(name, one.feature, target, row)
    cluster.open = one
  }

  function at(name: string, feature: AnalyzedFeature, target: AnalyzerAccount, row: number): Cluster {
    const known = clusters.get(name)
    if (known !== undefined) return known
    const made: Cluster = { feature, target, row, mismatch: false, blocked: false, open: undefined, rows: [] }
    clusters.set(name, made)
    return made
  }

  let sorted: readonly Cluster[] | undefined
  const all = [...clusters.values()]
  const keyOf = ({ row, open }: Cluster) => (row < 0 ? (open?.key ?? '') : table.key(row))
  const inOrder = () => {
    if (sorted !== undefined) return sorted
    const keys = all.length <= MAX_SORTED ? new Map(all.map((one) => [one, keyOf(one)])) : undefined
    const head = (one: Cluster) =>
      `${one.mismatch ? 0 : one.open !== undefined ? 1 : 2} ${one.feature} ${one.target.name} ${keys?.get(one) ?? ''}`
    const heads = new Map(all.map((one) => [one, head(one)]))
    return (sorted = all.toSorted((a, b) =>
      heads.get(a)! < heads.get(b)! ? -1 : heads.get(a)! > heads.get(b)! ? 1 : 0,
    ))
  }

  return {
    counts: {
      current_mismatch: all.filter(({ mismatch }) => mismatch).length,
      pending_retry: all.filter(({ open }) => open !== undefined).length,
      blocked: all.filter(({ blocked }) => blocked).length,
      total: all.length,
      anime_resolved: resolved,
    },
    page: (offset, limit) =>
      inOrder()
        .slice(offset, offset + limit)
        .map((one) => {
          const item = one.row < 0 ? one.open!.item : table.item(one.row)
          return {
            feature: one.feature,
            provider: one.target.name,
            key: keyOf(one),
            ...wireItem(item),
            target: one.target.name,
            reason: one.open?.reason_code ?? (one.mismatch ? 'missing' : 'manual_block'),
            current_mismatch: one.mismatch,
            unresolved: one.open !== undefined,
            blocked: one.blocked,
            keys: one.rows.slice(0, MAX_KEYS).map((row) => table.key(row)),
          }
        }),
  }
}

function isShown({ order: { scope } }: PassResult, one: OpenItem): boolean {
  return (
    scope === null ||
    scope.some(
      ({ provider, instance, feature }) =>
        provider === one.provider && instance === one.instance && feature === one.feature,
    )
  )
}

/** Whether the account has the item, or the single play if a pair syncs every play. */
function holds({ table, tasks, counts }: PassResult, open: OpenItem, row: number, segment: number): boolean {
  const { nodes, from, to } = table.group(row)
  const { start, end } = table.segments[segment]!
  const own = [...nodes.subarray(from, to)].filter((node) => node >= start && node < end)
  const route = tasks.findIndex((task, at) => task.target === segment && counts[at]!.route.pairId === open.pair_id)
  const isPlay = open.feature === 'history' && (route === -1 || tasks[route]!.plays)
  const time = isPlay ? parseTime(open.item.watched_at) : undefined
  if (!isPlay || time === undefined) return own.length > 0
  const span = spanOf(time.atMs, time.precision === 'date')
  return own.some((node) => apartMs(span, spanOf(table.atMs(node), table.isDay(node))) <= VIEWING_MS)
}
