// The inputs of a pass beside the rows: accounts, pairs, their routes, the state of the sync, and a revision of all of them.
import {
  type Account,
  accountName,
  ACCOUNTS,
  type AccountName,
  ANALYZED_FEATURES,
  type AnalyzedFeature,
  type AnalyzerAccount,
  type AnalyzerPair,
  type AnalyzerWorld,
  ANIME_MAPPING,
  type FeatureSupport,
  type Holding,
  LIBRARY,
  MANUAL_POLICY,
  METADATA,
  type OpenItem,
  type PairState,
  PlayheadError,
  type PluginContext,
  type PolicyScope,
  type ProviderDescription,
  type Route,
  type StoredState,
  SYNC,
} from '@playhead/sdk'
import { isAnimeScheme, kindOf } from '@playhead/sdk/items'
import { chosenLibraries } from '@playhead/sdk/sync'
import { createHash } from 'node:crypto'
import type { RouteOrder } from './pass/analyze.ts'
import { kindBits } from './pass/peers.ts'
import type { Source } from './pass/rows.ts'

export interface GatheredWorld {
  readonly world: AnalyzerWorld
  readonly routes: readonly RouteOrder[]
  readonly blocks: readonly (PolicyScope & { readonly names: readonly string[] })[]
  readonly scope: readonly (AccountName & { readonly feature: AnalyzedFeature })[] | null
  readonly sources: readonly Source[]
  readonly mapped: boolean
  /** Changes with everything above. */
  readonly revision: string
  readonly tableRevision: string
}

const MAX_OPEN = 20_000
const DEFAULT_MIN_MS = 60_000
const DEFAULT_MAX_PERCENT = 95

export type World = ReturnType<typeof createWorld>

export function createWorld(ctx: PluginContext) {
  const accounts = ctx.use(ACCOUNTS)
  const sync = ctx.use(SYNC)
  const library = ctx.use(LIBRARY)
  const mapping = ctx.use(ANIME_MAPPING)
  const policy = ctx.use(MANUAL_POLICY)

  /** All inputs except the rows. */
  async function facts() {
    const [descriptions, list, pairs, stored] = await Promise.all([
      accounts.providers(),
      accounts.list(),
      sync.pairs(),
      sync.stored(),
    ])
    return { descriptions, list, pairs, stored, accountOf: accountsOf(descriptions, list) }
  }

  async function holdings(): Promise<readonly Holding[]> {
    return (await Promise.all(ANALYZED_FEATURES.map((feature) => library.holdings(feature)))).flat()
  }

  async function anime(): Promise<Anime> {
    if (ctx.tryUse(ANIME_MAPPING) === undefined) return NO_ANIME
    try {
      const [revision, { providers, features }] = await Promise.all([mapping.revision(), mapping.scope()])
      return { exists: true, enabled: features.length > 0, ready: revision !== null, features, revision, providers }
    } catch (error) {
      ctx.log.warn({ err: error }, 'the anime mapping did not say whether it is ready')
      return NO_ANIME
    }
  }

  async function metadataReady(): Promise<boolean> {
    const metadata = ctx.tryUse(METADATA)
    return metadata !== undefined && (await metadata.ready().catch(() => false))
  }

  async function openItems(): Promise<readonly OpenItem[]> {
    const found: OpenItem[] = []
    for await (const page of sync.open({})) {
      found.push(...page)
      if (found.length >= MAX_OPEN) break
    }
    return found.slice(0, MAX_OPEN)
  }

  async function blocksOf(): Promise<GatheredWorld['blocks']> {
    if (ctx.tryUse(MANUAL_POLICY) === undefined) return []
    const scopes = (await policy.scopes()).filter(({ blocks }) => blocks > 0)
    return Promise.all(
      scopes.map(async ({ provider, instance, feature }) => {
        const scope = { provider, instance, feature }
        return { ...scope, names: await policy.blocks(scope) }
      }),
    )
  }

  return {
    /** For checks of the service. */
    async system(): Promise<AnalyzerWorld> {
      const { pairs, stored, list, descriptions, accountOf } = await facts()
      return {
        nowMs: Date.now(),
        accounts: accountsAll(list, descriptions, accountOf),
        routes: [],
        pairs: pairs.map((pair) => pairOf(pair, accountOf)),
        holdings: [],
        anime: NO_ANIME,
        metadataReady: await metadataReady(),
        stored,
        open: await openItems(),
        plugins: ctx.host.plugins(),
        leftovers: await ctx.data().leftovers(),
      }
    },

    /** @param selected ids of pairs; null for all */
    async gather(selected: readonly string[] | null): Promise<GatheredWorld> {
      const [{ descriptions, list, pairs, stored, accountOf }, held, mapped, blocks] = await Promise.all([
        facts(),
        holdings(),
        anime(),
        blocksOf(),
      ])
      const chosen = choosePairs(pairs, selected)
      const routes = chosen
        .filter(({ enabled }) => enabled)
        .flatMap((pair) => routesOf(pair, accountOf).map((each) => ({ ...each, pair })))
      const supportOf = (account: AccountName, feature: AnalyzedFeature) =>
        descriptions.find(({ id }) => id === account.provider)?.features[feature]
      const orders = routes.flatMap(({ route, twoWay, pair }, at): RouteOrder[] => {
        const support = { a: supportOf(route.source, route.feature), b: supportOf(route.target, route.feature) }
        if (support.b === undefined || !(support.b.add || support.b.update)) return []
        const { options } = route
        return [
          {
            route: at,
            twoWay,
            kinds: kindBits(support.b.kinds.map((type) => kindOf({ type }))),
            libraries: librariesOf(route, pair, list),
            animeOnly: options['anime_only_sync'] === true || isForAnime(support.b),
            mapped: usesMapping(route, mapped),
            minMs: secondsOf(options['min_seconds'], DEFAULT_MIN_MS),
            maxPercent: Math.min(
              numberOf(options['max_percent'], DEFAULT_MAX_PERCENT),
              support.b.completion?.percent ?? 100,
            ),
          },
        ]
      })
      const isMapped = orders.some((order) => order.mapped)
      const scope = scopeOf(routes.map(({ route }) => route))
      const askedWhole = new Set(
        orders
          .filter((order) => order.mapped && order.animeOnly)
          .map((order) => nameOfSource(routes[order.route]!.route)),
      )
      const sources = held
        .filter((one) => one.readAtMs !== null && one.feature !== 'playlists')
        .map((one): Source => {
          const { provider, instance, readAtMs, count } = one
          const feature = one.feature as AnalyzedFeature
          const isAskedWhole = askedWhole.has(`${accountName(provider, instance)} ${feature}`)
          // The mapping's data about a row are stored with the row.
          const asked = isMapped ? [mapped.revision, isAskedWhole] : []
          const revision = [one.revision ?? `${readAtMs}:${count}`, ...asked].join(' ')
          return { provider, instance, feature, revision, count, isAskedWhole }
        })
        .sort((a, b) =>
          `${a.feature} ${accountName(a.provider, a.instance)}` < `${b.feature} ${accountName(b.provider, b.instance)}`
            ? -1
            : 1,
        )
      const open = await openItems()
      const world: AnalyzerWorld = {
        nowMs: Date.now(),
        accounts: accountsAll([...list, ...held], descriptions, accountOf),
        routes: routes.map(({ route }) => route),
        pairs: chosen.map((pair) => pairOf(pair, accountOf)),
        // For selected pairs, only the accounts that they connect.
        holdings: held
          .filter((one) => selected === null || scope.some((own) => isSamePlace(own, one)))
          .map((one) => ({
            account: accountOf(one),
            feature: one.feature as AnalyzedFeature,
            count: one.count,
            readAtMs: one.readAtMs,
          })),
        anime: mapped,
        metadataReady: await metadataReady(),
        stored,
        open,
        plugins: ctx.host.plugins(),
        leftovers: [],
      }
      const tableRevision = hashOf(sources)
      return {
        world,
        routes: orders,
        blocks,
        // Without pairs every row is shown.
        scope: pairs.length === 0 ? null : scope,
        sources,
        mapped: isMapped,
        tableRevision,
        revision: hashOf([
          tableRevision,
          chosen,
          orders,
          blocks,
          mapped,
          withoutTimes(stored),
          open.map(({ pair_id, feature, provider, instance, op, key, reason_code, quarantined }) => [
            pair_id,
            feature,
            provider,
            instance,
            op,
            key,
            reason_code,
            quarantined,
          ]),
          world.accounts,
          world.metadataReady,
          // State without a revision; and rules that depend on the clock run again each hour.
          held.map(({ readAtMs }) => readAtMs !== null && Math.floor(readAtMs / HOUR_MS)),
          Math.floor(world.nowMs / HOUR_MS),
        ]),
      }
    },

    accountOf: async () => (await facts()).accountOf,
    async pairIds(): Promise<readonly string[]> {
      return (await sync.pairs()).map(({ id }) => id)
    },
  }
}

const HOUR_MS = 3_600_000
type Anime = AnalyzerWorld['anime'] & { readonly revision: string | null; readonly providers: readonly string[] }
const NO_ANIME: Anime = { exists: false, enabled: false, ready: false, features: [], revision: null, providers: [] }
/** Runs match history by the ids of the accounts alone unless a person enables the mapping. */
const MAPPED_BY_DEFAULT: readonly AnalyzedFeature[] = ['watchlist', 'ratings']

/** Throws `PLH_NOT_FOUND` (`pair_not_found`) if none of them exists. */
export function choosePairs(pairs: readonly PairState[], selected: readonly string[] | null): readonly PairState[] {
  if (selected === null) return pairs
  const chosen = pairs.filter(({ id }) => selected.includes(id))
  if (chosen.length > 0) return chosen
  throw new PlayheadError('PLH_NOT_FOUND', 'None of these pairs exists.', { wire: 'pair_not_found' })
}

type AccountOf = (name: AccountName) => AnalyzerAccount

function accountsOf(descriptions: readonly ProviderDescription[], list: readonly Account[]): AccountOf {
  const known = new Map<string, AnalyzerAccount>()
  return ({ provider, instance }) => {
    const name = accountName(provider, instance)
    const made = known.get(name)
    if (made !== undefined) return made
    const description = descriptions.find(({ id }) => id === provider)
    const account = list.find((one) => one.provider === provider && one.instance === instance)
    const found: AnalyzerAccount = {
      provider,
      instance,
      name: instance === 'default' ? provider : name,
      label: description?.label ?? provider,
      group: description?.group ?? 'other',
      isConfigured: account?.configured === true,
      exists: account !== undefined,
    }
    known.set(name, found)
    return found
  }
}

function accountsAll(
  list: readonly AccountName[],
  _descriptions: readonly ProviderDescription[],
  accountOf: AccountOf,
): readonly AnalyzerAccount[] {
  return [...new Set(list.map(accountOf))]
}

function pairOf(pair: PairState, accountOf: AccountOf): AnalyzerPair {
  return {
    id: pair.id,
    name: pair.name,
    enabled: pair.enabled,
    source: accountOf({ provider: pair.source, instance: pair.source_instance }),
    target: accountOf({ provider: pair.target, instance: pair.target_instance }),
    options: pair.options ?? {},
  }
}

function routesOf(
  pair: PairState,
  accountOf: AccountOf,
): readonly { readonly route: Route; readonly twoWay: boolean }[] {
  const { source, target, options } = pairOf(pair, accountOf)
  const twoWay = pair.mode === 'two_way'
  return ANALYZED_FEATURES.filter((feature) => pair.features?.includes(feature) === true).flatMap((feature) => {
    const own = options[feature] ?? {}
    const route: Route = {
      pairId: pair.id,
      feature,
      source,
      target,
      plays: feature === 'history' && own['rewatches'] === true,
      options: own,
    }
    return [{ route, twoWay }, ...(twoWay ? [{ route: { ...route, source: target, target: source }, twoWay }] : [])]
  })
}

function scopeOf(routes: readonly Route[]): NonNullable<GatheredWorld['scope']> {
  const found = new Map<string, NonNullable<GatheredWorld['scope']>[number]>()
  for (const { source, target, feature } of routes)
    for (const { provider, instance, name } of [source, target])
      found.set(`${name} ${feature}`, { provider, instance, feature })
  return [...found.values()]
}

function librariesOf(
  { source, feature, options }: Route,
  pair: PairState,
  list: readonly Account[],
): readonly string[] | null {
  const chosen = chosenLibraries(options, pair, source)
  if (chosen.length > 0) return chosen
  const account = list.find((one) => one.provider === source.provider && one.instance === source.instance)
  const own = account?.libraries?.[feature] ?? []
  return own.length > 0 ? own : null
}

type Place = AccountName & { readonly feature: string }

function isSamePlace(one: Place, other: Place): boolean {
  return one.provider === other.provider && one.instance === other.instance && one.feature === other.feature
}

function nameOfSource({ source, feature }: Route): string {
  return `${accountName(source.provider, source.instance)} ${feature}`
}

/** The same rule as in runs. */
function usesMapping({ feature, source, target, options }: Route, { revision, providers, features }: Anime): boolean {
  const isOn = options['use_anime_mapping'] ?? MAPPED_BY_DEFAULT.includes(feature)
  const isMeant = [source.provider, target.provider, '*'].some((one) => providers.includes(one))
  return revision !== null && isOn === true && isMeant && features.includes(feature)
}

/** The account accepts only anime: it identifies a title by ids of anime services. */
function isForAnime({ needsAnyId: ids = [] }: FeatureSupport): boolean {
  return ids.length > 0 && ids.every(isAnimeScheme)
}

function withoutTimes({ pairs, artifacts }: StoredState): unknown {
  return [
    pairs.map(({ pair_id, feature, problem, runs }) => [pair_id, feature, problem, runs]),
    artifacts.map(({ kind, entries }) => [kind, entries]),
  ]
}

function secondsOf(value: unknown, fallbackMs: number): number {
  return typeof value === 'number' ? value * 1_000 : fallbackMs
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback
}

export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url')
}
