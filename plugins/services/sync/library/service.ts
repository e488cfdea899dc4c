// The capability `library` for other plugins: resolves the accounts of a query and passes it to the reader's thread.
import {
  type Account,
  type AccountName,
  accountName,
  type Accounts,
  createShared,
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
const MAX_CACHED = 100

export function createLibrary({ reader, accounts, tracker, stateNow, providers }: LibraryOptions) {
  /** The revision at a state, by query. */
  const revisions = new Map<string, { readonly state: string; readonly revision: string }>()
  const held = createShared<readonly Holding[]>(MAX_CACHED)
  const counted = createShared<number>(MAX_CACHED)

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

  const isOwn = ({ provider }: AccountName) => provider === TRACKER && tracker() !== undefined

  /** The rows of an own tracker as they are now. */
  async function ownHolding({ provider, instance }: AccountName, feature: Feature) {
    const store = tracker()!
    const revision = await store.revision(instance, feature)
    const count = async () => (await store.stats(instance)).find((one) => one.feature === feature)?.rows ?? 0
    const { value } = await counted.take(`${instance} ${feature}`, revision, count)
    return { provider, instance, feature, readAtMs: null, count: value, revision }
  }

  async function trackersOf(feature: Feature) {
    const own = (await accounts.list()).filter(isOwn).map(nameOf)
    return Promise.all(own.map(async (one) => ({ ...one, revision: await tracker()!.revision(one.instance, feature) })))
  }

  /** Asks the thread only after something was stored. */
  const holdings = async (feature: Feature) =>
    (await held.take(feature, stateNow(), () => reader.holdings(feature))).value

  return {
    holdings,
    async currentHoldings(features) {
      const list = await accounts.list()
      // Removed accounts may still have rows; rows of another person's account are never shown.
      const known = new Set(list.map(({ provider, instance }) => accountName(provider, instance)))
      const read = (await Promise.all(features.map(holdings)))
        .flat()
        .filter((one) => one.readAtMs !== null && !isOwn(one) && known.has(accountName(one.provider, one.instance)))
      const own = list.filter(isOwn).flatMap((account) => features.map((feature) => ownHolding(account, feature)))
      return [...read, ...(await Promise.all(own))]
    },
    rows: reader.rows,
    texts: reader.texts,
    rowsOfWorks: reader.rowsOfWorks,
    items: (provider, instance, feature, keys) => reader.items(provider, instance, feature, keys.slice(0, MAX_KEYS)),
    async page(query) {
      return isOwn(query) ? reader.page(query, await ownHolding(query, query.feature)) : reader.page(query)
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
  } satisfies Partial<LibraryService>
}

function scopeFor({ feature, signedOut = false }: MergedQuery, list: readonly Account[]): Scope {
  const shown = list.filter(({ configured }) => signedOut || configured)
  return { feature, accounts: shown.map(nameOf) }
}

function nameOf({ provider, instance }: Account) {
  return { provider, instance }
}
