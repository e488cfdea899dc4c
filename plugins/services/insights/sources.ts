// What the accounts hold: as it was last read, and of the tracker as it is now. Only accounts that exist count.
import {
  type Accounts,
  type Feature,
  type Item,
  type PluginContext,
  type Remote,
  type SyncService,
  TRACKER_STORE,
  type TrackerStore,
} from '@playhead/sdk'

export const COUNTED = ['watchlist', 'history', 'ratings', 'progress'] as const satisfies readonly Feature[]
export type Counted = (typeof COUNTED)[number]

export const TRACKER = 'SVC'

export interface Row {
  readonly key: string
  readonly item: Item
}

/** The rows of one account in one feature. */
export interface Source {
  readonly provider: string
  readonly instance: string
  /** Changes whenever the rows change. */
  readonly revision: string
  rows(): AsyncIterable<readonly Row[]>
  items(keys: readonly string[]): Promise<readonly Row[]>
}

export interface SourceDependencies {
  readonly accounts: Pick<Remote<Accounts>, 'list'>
  readonly sync: Pick<Remote<SyncService>, 'inventories' | 'inventoryRows' | 'inventoryItems'>
  readonly tracker: Pick<Remote<TrackerStore>, 'revision' | 'rows' | 'items'>
  /** Whether somebody provides the capability. */
  readonly has: (token: string) => boolean
}

export type ListSources = (feature: Counted) => Promise<readonly Source[]>

export function dependenciesOf(ctx: PluginContext): SourceDependencies {
  return {
    accounts: ctx.use<Accounts>('accounts'),
    sync: ctx.use<SyncService>('sync'),
    tracker: ctx.use<TrackerStore>(TRACKER_STORE),
    has: (token) => ctx.capabilities(token).includes(token),
  }
}

export function createSources({ accounts, sync, tracker, has }: SourceDependencies): ListSources {
  return async (feature) => {
    const all = await accounts.list()
    const isTracked = has(TRACKER_STORE)
    const own = isTracked ? all.filter(({ provider }) => provider === TRACKER) : []
    const tracked = await Promise.all(
      own.map(
        async ({ provider, instance }): Promise<Source> => ({
          provider,
          instance,
          revision: await tracker.revision(instance, feature),
          rows: () => tracker.rows(instance, feature),
          items: (keys) => tracker.items(instance, feature, keys),
        }),
      ),
    )
    const names = new Set(all.map(({ provider, instance }) => `${provider}@${instance}`))
    const inventories = has('sync') ? await sync.inventories(feature) : []
    const read = inventories.flatMap(
      ({ provider, instance, readAtMs, count, revision = `${readAtMs}:${count}` }): Source[] => {
        if (readAtMs === null || !names.has(`${provider}@${instance}`) || (isTracked && provider === TRACKER)) return []
        return [
          {
            provider,
            instance,
            revision,
            rows: () => sync.inventoryRows(provider, instance, feature),
            items: (keys) => sync.inventoryItems(provider, instance, feature, keys),
          },
        ]
      },
    )
    return [...read, ...tracked.filter(({ revision }) => revision !== '')]
  }
}

export function revisionOf(sources: readonly Source[]): string {
  return JSON.stringify(sources.map(({ provider, instance, revision }) => [provider, instance, revision]).sort())
}
