// The capability `library` for other plugins: resolves the accounts of a query and passes it to the reader's thread.
import {
  type Account,
  type AccountName,
  accountName,
  type Accounts,
  type Feature,
  type Holding,
  type LibraryService,
  type MergedQuery,
  type Remote,
  type TrackerStore,
} from '@playhead/sdk'
import type { Reader, Scope } from './reader.ts'
import { toUnitedRows } from './united-rows.ts'

/** The queries; changes are in run/changes.ts. */
export type ReadOnlyLibrary = ReturnType<typeof createLibrary>

export interface LibraryOptions {
  readonly reader: Remote<Reader>
  readonly accounts: Pick<Remote<Accounts>, 'list'>
  /** Undefined while no plugin provides the capability. */
  readonly tracker: () => Pick<Remote<TrackerStore>, 'revision' | 'stats'> | undefined
  /** Changes with the stored rows, and with the settings and plugins that accounts come from. */
  readonly stateNow: () => string
  /** Number of providers that should be among the accounts. */
  readonly providers: () => number
}

const TRACKER = 'SVC'
const MAX_KEYS = 500

export function createLibrary({ reader, accounts, tracker, stateNow, providers }: LibraryOptions) {
  /** The revision at a state, by query. */
  const revisions = new Map<string, { readonly state: string; readonly revision: string }>()

  const scopeOf = async (query: MergedQuery) => scopeFor(query, await accounts.list())

  /** Asks neither the accounts nor the reader's thread while nothing has changed. */
  async function revisionOf(query: MergedQuery): Promise<string> {
    const name = `${query.feature} ${query.signedOut === true}`
    const state = stateNow()
    const known = revisions.get(name)
    if (known?.state === state) return known.revision
    const list = await accounts.list()
    const revision = await reader.scopeRevision(scopeFor(query, list))
    // A provider that was too slow to describe itself is missing now, and may return without any change.
    const isWhole = new Set(list.map(({ provider }) => provider)).size >= providers()
    if (isWhole && stateNow() === state) revisions.set(name, { state, revision })
    return revision
  }

  async function trackersOf(feature: Feature) {
    const store = tracker()
    if (store === undefined) return []
    const own = (await accounts.list()).filter(({ provider }) => provider === TRACKER)
    return Promise.all(
      own.map(async (account) => ({ ...nameOf(account), revision: await store.revision(account.instance, feature) })),
    )
  }

  return {
    holdings: reader.holdings,
    async currentHoldings(features) {
      const list = await accounts.list()
      const store = tracker()
      const isOwn = ({ provider }: AccountName) => provider === TRACKER && store !== undefined
      // Removed accounts may still have rows; rows of another person's account are never shown.
      const known = new Set(list.map(({ provider, instance }) => accountName(provider, instance)))
      const read = (await Promise.all(features.map((feature) => reader.holdings(feature))))
        .flat()
        .filter((one) => one.readAtMs !== null && !isOwn(one) && known.has(accountName(one.provider, one.instance)))
      const current = list.filter(isOwn).map(async ({ provider, instance }) => {
        const stats = await store!.stats(instance)
        const of = async (feature: Feature): Promise<Holding> => {
          const count = stats.find((one) => one.feature === feature)?.rows ?? 0
          return {
            provider,
            instance,
            feature,
            readAtMs: null,
            count,
            revision: await store!.revision(instance, feature),
          }
        }
        return Promise.all(features.map(of))
      })
      return [...read, ...(await Promise.all(current)).flat()]
    },
    rows: reader.rows,
    texts: reader.texts,
    rowsOfWorks: reader.rowsOfWorks,
    items: (provider, instance, feature, keys) => reader.items(provider, instance, feature, keys.slice(0, MAX_KEYS)),
    async page(query) {
      const store = query.provider === TRACKER ? tracker() : undefined
      if (store === undefined) return reader.page(query)
      const { provider, instance, feature } = query
      const [revision, stats] = await Promise.all([store.revision(instance, feature), store.stats(instance)])
      const count = stats.find((one) => one.feature === feature)?.rows ?? 0
      return reader.page(query, { provider, instance, revision, count })
    },
    async *unitedRows(query) {
      const trackers = await Promise.all(query.features.map(trackersOf))
      for await (const part of reader.unitedRows(query, trackers))
        yield typeof part === 'string' ? { type: 'rows', rows: toUnitedRows(part) } : part
    },
    revision: revisionOf,
    async *mergedItems(query) {
      yield* reader.mergedItems(await scopeOf(query), query.limit)
    },
    itemsByKeys: async (query, keys) => reader.itemsByKeys(await scopeOf(query), keys.slice(0, MAX_KEYS)),
    counts: async (query) => reader.counts(await scopeOf(query)),
    async numbers(feature, signal) {
      const [scope, trackers] = await Promise.all([scopeOf({ feature, signedOut: true }), trackersOf(feature)])
      const numbers = await reader.numbers(scope, trackers)
      signal?.throwIfAborted()
      return numbers
    },
  } satisfies Partial<LibraryService>
}

function scopeFor({ feature, signedOut = false }: MergedQuery, list: readonly Account[]): Scope {
  const shown = list.filter(({ configured }) => signedOut || configured)
  return { feature, accounts: shown.map(nameOf) }
}

function nameOf({ provider, instance }: Account) {
  return { provider, instance }
}
