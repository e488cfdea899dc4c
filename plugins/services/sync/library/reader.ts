// Answers queries about the rows of accounts.
import { createHash } from 'node:crypto'
import {
  type AccountName,
  createShared,
  type Feature,
  type Holding,
  type LibraryPage,
  type LibraryPageQuery,
  type LibraryRow,
  pageOfText,
  PlayheadError,
  type UnitedCounts,
  type UnitedRowsPart,
  type UnitedRowsQuery,
  type MergedItem,
  yieldToLoop,
} from '@playhead/sdk'
import { type Item, tokensOf, workOf } from '@playhead/sdk/items'
import type { Holdings } from './holdings.ts'
import { createPages, type RowSource } from './row-index.ts'
import { createUnitedList, type ListedItem, type UnitedList } from './united-list.ts'
import { createUnitedRows, type UnitedRows } from './united-rows.ts'

/** The accounts and the feature of a query. */
export interface Scope {
  readonly feature: Feature
  readonly accounts: readonly AccountName[]
}

/** A tracker. Its rows are read at the time of the query. */
interface Tracker extends AccountName {
  readonly revision: string
}

export interface ReaderOptions {
  readonly holdings: Holdings
  readonly trackerRows: (instance: string, feature: Feature) => AsyncIterable<readonly LibraryRow[]>
  readonly trackerItems: (instance: string, feature: Feature, keys: readonly string[]) => Promise<readonly LibraryRow[]>
}

export type Reader = ReturnType<typeof createReader>

type Read = Holding & { readonly readAtMs: number }

interface Source extends AccountName {
  readonly feature: Feature
  readonly revision: string
  /** Damaged rows that the last `rows` left out. */
  unreadable: number
  rows(): AsyncIterable<readonly LibraryRow[]>
}

const PAGE = 250
// One for signed-in accounts, one for all accounts.
const MAX_LISTS = 2
const MAX_UNITED = 4
// A run may replace rows during a query.
const MAX_TRIES = 3

export function createReader({ holdings, trackerRows, trackerItems }: ReaderOptions) {
  const lists = createShared<UnitedList>(MAX_LISTS, (list) => list.release())
  const united = createShared<UnitedRows>(MAX_UNITED, (rows) => rows.release())
  const pages = createPages()
  let queue: Promise<unknown> = Promise.resolve()

  async function readOf({ feature, accounts }: Scope): Promise<readonly Read[]> {
    const wanted = new Set(accounts.map(nameOf))
    return (await holdings.holdings(feature)).filter(
      (one): one is Read => one.readAtMs !== null && wanted.has(nameOf(one)),
    )
  }

  async function sourcesOf(scope: Scope): Promise<readonly Source[]> {
    return (await readOf(scope)).map((read) => ({
      provider: read.provider,
      instance: read.instance,
      feature: scope.feature,
      revision: revisionOf(read),
      unreadable: 0,
      // For display and search, one damaged row must not hide all others.
      async *rows() {
        this.unreadable = 0
        for await (const text of holdings.texts(read.provider, read.instance, scope.feature)) {
          const { rows, damaged } = pageOfText(text)
          this.unreadable += damaged.length
          yield rows.map(([key, item]) => ({ key, item }))
        }
      },
    }))
  }

  async function countedSources(scope: Scope, trackers: readonly Tracker[]): Promise<readonly Source[]> {
    const tracked = new Set(trackers.map(nameOf))
    return [
      ...(await sourcesOf(scope)).filter((source) => !tracked.has(nameOf(source))),
      ...trackers
        .filter(({ revision }) => revision !== '')
        .map((tracker) => ({
          ...tracker,
          feature: scope.feature,
          unreadable: 0,
          rows: () => trackerRows(tracker.instance, scope.feature),
        })),
    ]
  }

  /** In the order of the features and accounts. */
  async function unitedSources(
    { accounts, features }: UnitedRowsQuery,
    trackers: readonly (readonly Tracker[])[],
  ): Promise<readonly (Source & { readonly feature: UnitedRowsQuery['features'][number] })[]> {
    const names = accounts.map(nameOf)
    const all = features.map(async (feature, index) => {
      const own = trackers[index]!.filter((tracker) => names.includes(nameOf(tracker)))
      const sources = await countedSources({ feature, accounts }, own)
      return sources
        .map((source) => ({ ...source, feature, rows: () => undamaged(source) }))
        .sort((a, b) => names.indexOf(nameOf(a)) - names.indexOf(nameOf(b)))
    })
    return (await Promise.all(all)).flat()
  }

  /**
   * Builds from all rows, again if they changed meanwhile. One at a time, because each needs memory.
   *
   * @param mayMix a build may be returned whose rows are of different reads
   */
  function build<Own extends Source, Built extends { release(): void }>(
    sourcesNow: () => Promise<readonly Own[]>,
    create: (sources: readonly Own[]) => Promise<Built>,
    mayMix = false,
  ): Promise<Built> {
    const made = queue.then(async () => {
      for (let tries = 1; ; tries += 1) {
        const sources = await sourcesNow()
        const built = await create(sources)
        const isWhole = keyOf(await sourcesNow()) === keyOf(sources)
        if (isWhole || (tries === MAX_TRIES && mayMix)) return built
        built.release()
        if (tries === MAX_TRIES) throw new PlayheadError('PLH_ABORTED', 'The data is being updated. Try again.')
      }
    })
    queue = made.catch(() => {})
    return made
  }

  async function listOf(scope: Scope) {
    const name = JSON.stringify([scope.feature, scope.accounts.map(nameOf).sort()])
    return lists.take(name, keyOf(await sourcesOf(scope)), () => build(() => sourcesOf(scope), createUnitedList, true))
  }

  return {
    ...holdings,

    async *rowsOfWorks(
      provider: string,
      instance: string,
      feature: Feature,
      items: readonly Item[],
    ): AsyncGenerator<readonly LibraryRow[]> {
      const wanted = new Set(items.flatMap(tokensWithWork))
      for await (const page of holdings.rows(provider, instance, feature)) {
        const found = page.filter(({ item }) => tokensWithWork(item).some((token) => wanted.has(token)))
        if (found.length > 0) yield found
        else await yieldToLoop()
      }
    },

    /** @param tracker the account is a tracker, whose rows are read at the time of the query */
    page(query: LibraryPageQuery, tracker?: Tracker & { readonly count: number }): Promise<LibraryPage> {
      const { provider, instance, feature } = query
      const name = `${nameOf(query)} ${feature}`
      const ofTracker = async (): Promise<RowSource | null> => {
        const { revision, count } = tracker!
        const rows = () => trackerRows(instance, feature)
        const items = (keys: readonly string[]) => trackerItems(instance, feature, keys)
        return revision === '' ? null : { name, revision, count, readAtMs: null, rows, items }
      }
      const ofRead = async (): Promise<RowSource | null> => {
        const [read] = await readOf({ feature, accounts: [{ provider, instance }] })
        if (read === undefined) return null
        const { count, readAtMs } = read
        const rows = () => holdings.rows(provider, instance, feature)
        const items = (keys: readonly string[]) => holdings.items(provider, instance, feature, keys)
        return { name, revision: revisionOf(read), count, readAtMs, rows, items }
      }
      return pages(query, tracker === undefined ? ofRead : ofTracker)
    },

    /** @param trackers of each feature */
    async *unitedRows(
      query: UnitedRowsQuery,
      trackers: readonly (readonly Tracker[])[],
    ): AsyncGenerator<Exclude<UnitedRowsPart, { readonly type: 'rows' }> | string> {
      const { accounts, features, joinsRatings = false } = query
      const now = () => unitedSources(query, trackers)
      const name = JSON.stringify([features, accounts.map(nameOf), joinsRatings])
      const revision = keyOf(await now())
      using taken = await united.take(name, revision, () =>
        build(now, (sources) => createUnitedRows(sources, joinsRatings)),
      )
      yield { type: 'about', revision, counts: taken.value.count(query) }
      yield* taken.value.pages(query)
    },

    async scopeRevision(scope: Scope): Promise<string> {
      const read = (await readOf(scope)).map((one) => [nameOf(one), one.readAtMs, revisionOf(one)])
      const state = [scope.feature, scope.accounts.map(nameOf).sort(), read.sort()]
      return createHash('sha256').update(JSON.stringify(state)).digest('base64url')
    },

    async *mergedItems(scope: Scope, limit = Number.POSITIVE_INFINITY): AsyncGenerator<readonly MergedItem[]> {
      using list = await listOf(scope)
      const timed = withTimes(await readOf(scope))
      for (let after = 0; after < limit; after += PAGE) {
        const page = list.value.page(after, Math.min(PAGE, limit - after))
        if (page.length === 0) return
        yield page.map(timed)
      }
    },

    async itemsByKeys(scope: Scope, keys: readonly string[]): Promise<readonly MergedItem[]> {
      using list = await listOf(scope)
      const read = await readOf(scope)
      return list.value.named(keys).map(withTimes(read))
    },

    async counts(scope: Scope): Promise<UnitedCounts> {
      using list = await listOf(scope)
      const times = (await readOf(scope)).map(({ readAtMs }) => readAtMs)
      const { total, held } = list.value
      return { total, held, lastReadAtMs: times.length === 0 ? null : Math.max(...times) }
    },
  }
}

async function* undamaged(source: Source): AsyncGenerator<readonly LibraryRow[]> {
  yield* source.rows()
  if (source.unreadable === 0) return
  throw new PlayheadError('PLH_NOT_READY', `Stored rows of ${source.provider} are damaged. Refresh the account.`, {
    wire: 'damaged_rows',
  })
}

function tokensWithWork(item: Item): readonly string[] {
  return [item, workOf(item)].flatMap((one) => tokensOf(one, { within: 'account' }))
}

function nameOf({ provider, instance }: AccountName): string {
  return `${provider}@${instance}`
}

function revisionOf({ revision, readAtMs, count }: Read): string {
  return revision ?? `${readAtMs}:${count}`
}

function keyOf(sources: readonly Source[]): string {
  return JSON.stringify(sources.map((source) => [nameOf(source), source.feature, source.revision]).sort())
}

function withTimes(read: readonly Read[]): (item: ListedItem) => MergedItem {
  const times = new Map(read.map((one) => [nameOf(one), one.readAtMs]))
  return (item) => ({ ...item, rows: item.rows.map((row) => ({ ...row, readAtMs: times.get(nameOf(row)) ?? 0 })) })
}
