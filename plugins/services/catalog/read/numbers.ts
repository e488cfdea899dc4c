// The numbers of a feature over all accounts, and its newest rows.
import {
  type AccountName,
  type CountedFeature,
  type FeatureNumbers,
  type KindCounts,
  LIBRARY,
  type LibraryRow,
  type PluginContext,
  type Tables,
  TRACKER_STORE,
} from '@playhead/sdk'
import { sql } from 'kysely'
import { TRACKER } from '../tables.ts'
import type { IndexAccount } from './accounts.ts'
import { type Cluster, clustersOf, type Mark, markOf, newestRows } from './newest.ts'

type Kind = keyof KindCounts
type Sums = { -readonly [Name in Kind]: KindCounts[Name] }

// More than the displayed number, because some are merged afterwards.
const NEWEST = 96
const MAX_KEYS = 500

interface Counted extends AccountName {
  readonly id: number
  readonly unreadable: number
}

export async function numbersOf(
  ctx: Pick<PluginContext, 'tryUse'>,
  reader: Tables,
  known: ReadonlyMap<number, IndexAccount>,
  feature: CountedFeature,
): Promise<FeatureNumbers> {
  // A tracker that is not used is empty.
  const { rows: sources } = await sql<{ id: number; unreadable: number }>`select a.id, s.unreadable
    from source s join account a on a.id = s.account
    where s.feature = ${feature} and (a.provider <> ${TRACKER} or exists (select 1 from entry where source = s.id))`.execute(
    reader,
  )
  const unreadable = new Map(sources.map((source) => [source.id, source.unreadable]))
  const accounts = [...known.values()].flatMap(({ id, provider, instance }): Counted[] =>
    unreadable.has(id) ? [{ id, provider, instance, unreadable: unreadable.get(id)! }] : [],
  )
  const { rows } = await sql<{ accounts: string; kind: Kind; count: number; shown: number }>`select p.accounts,
      case when t.anime = 1 then 'anime' when p.type = 'episode' then 'episodes'
        when p.type = 'work' and t.kind = 'movie' then 'movies' else 'shows' end as kind,
      count(*) as count, sum(p.shown) as shown
    from part p join title t on t.id = p.title where p.feature = ${feature} group by 1, 2`.execute(reader)
  const sums = createSums(accounts)
  for (const { accounts: holders, kind, count } of rows) sums.add(JSON.parse(holders) as number[], kind, count)
  const total = rows.reduce((sum, { shown }) => sum + shown, 0)
  const newest = await newestClusters(ctx, reader, accounts, feature)
  return { ...sums.all(), newest: newestRows(feature, newest, total, accounts) }
}

/** Clusters of the items with the newest times, from the rows of the accounts. */
async function newestClusters(
  ctx: Pick<PluginContext, 'tryUse'>,
  reader: Tables,
  accounts: readonly Counted[],
  feature: CountedFeature,
): Promise<readonly Cluster[]> {
  const { rows } = await sql<{ account: number; key: string; item: string }>`
    with newest as (select title, type, season, episode from part
      where feature = ${feature} and newest is not null order by newest desc limit ${NEWEST})
    select s.account, e.key, n.title || ' ' || n.type || ' ' || coalesce(n.season, '') || ' ' || coalesce(n.episode, '') as item
    from newest n cross join work w indexed by work_title on w.title_id = n.title
    cross join entry e indexed by entry_work on e.work = w.id and e.type = n.type and e.season is n.season
      and e.episode is n.episode
    cross join source s on s.id = e.source and s.feature = ${feature}
    where e.at is not null order by e.id`.execute(reader)
  const marks: Mark[] = []
  const itemOf = new Map<Mark, string>()
  for (const [index, account] of accounts.entries()) {
    const items = new Map(rows.flatMap((row) => (row.account === account.id ? [[row.key, row.item] as const] : [])))
    for (const { key, item } of await rowsOf(ctx, account, feature, [...items.keys()])) {
      const mark = markOf(feature, { account: index, key, item })
      if (mark === undefined) continue
      marks.push(mark)
      itemOf.set(mark, items.get(key)!)
    }
  }
  return [...Map.groupBy(marks, (mark) => itemOf.get(mark)).values()]
    .flatMap((own) => clustersOf(feature, own, (account) => accounts[account]!.provider === TRACKER))
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, NEWEST)
}

async function rowsOf(
  ctx: Pick<PluginContext, 'tryUse'>,
  { provider, instance }: AccountName,
  feature: CountedFeature,
  keys: readonly string[],
): Promise<readonly LibraryRow[]> {
  const found: LibraryRow[] = []
  for (let start = 0; start < keys.length; start += MAX_KEYS) {
    const some = keys.slice(start, start + MAX_KEYS)
    const rows =
      provider === TRACKER
        ? ctx.tryUse(TRACKER_STORE)?.items(instance, feature, some)
        : ctx.tryUse(LIBRARY)?.items(provider, instance, feature, some)
    found.push(...((await rows) ?? []))
  }
  return found
}

const noKinds = (): Sums => ({ movies: 0, shows: 0, anime: 0, episodes: 0 })

function createSums(counted: readonly Counted[]) {
  const accounts = new Map(
    counted.map(({ id, provider, instance, unreadable }) => [
      id,
      { provider, instance, unreadable, count: 0, kinds: noKinds() },
    ]),
  )
  const byProvider = <Value>(value: () => Value) =>
    Object.fromEntries(counted.map(({ provider }) => [provider, value()])) as Record<string, Value>
  const providers = byProvider(() => 0)
  const providerKinds = byProvider(noKinds)
  const only = byProvider(() => 0)
  const kinds = noKinds()
  let [now, both] = [0, 0]
  return {
    add(holders: readonly number[], kind: Kind, count: number) {
      // An account that left is still in its titles until they are derived again.
      const present = holders.flatMap((holder) => accounts.get(holder) ?? [])
      if (present.length === 0) return
      now += count
      kinds[kind] += count
      const own = new Set<string>()
      for (const account of present) {
        account.count += count
        account.kinds[kind] += count
        own.add(account.provider)
      }
      for (const provider of own) {
        providers[provider]! += count
        providerKinds[provider]![kind] += count
      }
      if (own.size > 1) both += count
      else for (const provider of own) only[provider]! += count
    },
    all: () => ({ now, kinds, accounts: [...accounts.values()], providers, providerKinds, only, both }),
  }
}
