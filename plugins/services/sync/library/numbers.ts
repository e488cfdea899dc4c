// Statistics of a feature over all accounts, in one pass over the items.
import type { AccountName, Feature, FeatureNumbers, KindCounts } from '@playhead/sdk'
import { isAnime, type Item } from '@playhead/sdk/items'
import { type Cluster, type Mark, markOf, newestRows, playsOf, progressOf, ratingOf } from './newest.ts'
import type { Union, UnionRow } from './union.ts'

type Kind = keyof KindCounts
type Sums = { -readonly [Name in Kind]: KindCounts[Name] }

// More than the displayed number, because some are merged afterwards.
const NEWEST = 96

/** Rows without the time of a play, or without a rating, are not counted. */
export function isCounted(feature: Feature, item: Item): boolean {
  if (feature === 'history') return markOf(feature, { account: 0, key: '', item }) !== undefined
  if (feature === 'ratings') return item.rating !== undefined || item.rated_at !== undefined
  return true
}

export function numbersOf(
  feature: Feature,
  accounts: readonly (AccountName & { readonly unreadable: number })[],
  union: Union,
  isTracker: (account: number) => boolean,
): FeatureNumbers {
  const sums = createSums(accounts)
  let newest: Cluster[] = []
  let total = 0

  for (const rows of union.items()) {
    sums.add(new Set(rows.map(({ account }) => account)), kindNameOf(rows))
    const marks = rows.flatMap((row) => markOf(feature, row) ?? [])
    const clusters = clustersOf(feature, marks, isTracker)
    total += clusters.length
    for (const cluster of clusters) newest.push(cluster)
    if (newest.length > 8 * NEWEST) newest = newestOf(newest)
  }
  return { ...sums.all(), newest: newestRows(feature, newestOf(newest), total, accounts) }
}

function newestOf(clusters: readonly Cluster[]): Cluster[] {
  return clusters.toSorted((a, b) => b.atMs - a.atMs).slice(0, NEWEST)
}

function clustersOf(
  feature: Feature,
  marks: readonly Mark[],
  isTracker: (account: number) => boolean,
): readonly Cluster[] {
  if (marks.length === 0) return []
  if (feature === 'history') return playsOf(marks)
  return [feature === 'ratings' ? ratingOf(marks, isTracker) : progressOf(marks)].flatMap((cluster) => cluster ?? [])
}

/** An item counts as anime if at least one account marks it. Seasons count as shows. */
function kindNameOf(rows: readonly UnionRow[]): Kind {
  if (rows.some(({ item }) => isAnime(item))) return 'anime'
  const { type } = rows[0]!.item
  return type === 'movie' ? 'movies' : type === 'episode' ? 'episodes' : 'shows'
}

const noKinds = (): Sums => ({ movies: 0, shows: 0, anime: 0, episodes: 0 })

function createSums(names: Parameters<typeof numbersOf>[1]) {
  const accounts = names.map(({ provider, instance, unreadable }) => ({
    ...{ provider, instance, unreadable },
    count: 0,
    kinds: noKinds(),
  }))
  const byProvider = <Value>(value: () => Value) =>
    Object.fromEntries(names.map(({ provider }) => [provider, value()])) as Record<string, Value>
  const providers = byProvider(() => 0)
  const providerKinds = byProvider(noKinds)
  const only = byProvider(() => 0)
  const kinds = noKinds()
  let [now, both] = [0, 0]
  return {
    add(holders: Iterable<number>, kind: Kind) {
      now += 1
      kinds[kind] += 1
      const own = new Set<string>()
      for (const holder of holders) {
        const account = accounts[holder]!
        account.count += 1
        account.kinds[kind] += 1
        own.add(account.provider)
      }
      for (const provider of own) {
        providers[provider]! += 1
        providerKinds[provider]![kind] += 1
      }
      if (own.size > 1) both += 1
      else for (const provider of own) only[provider]! += 1
    },
    all: () => ({ now, kinds, accounts, providers, providerKinds, only, both }),
  }
}
