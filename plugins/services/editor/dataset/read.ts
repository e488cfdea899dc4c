// Datasets of the editor: a page of rows, and the manual policy of their account and feature.
import { defined, type Item, type LibraryRow, namedAccount, type PolicyScope } from '@playhead/sdk'
import { foldText, searchWords } from '@playhead/sdk/items'
import { toSeconds } from '../playlist/endpoints.ts'
import {
  findAccount,
  invalid,
  type Kind,
  type Named,
  readKind,
  type Source,
  type Sources,
  TRACKER,
} from '../sources.ts'
import { requireWorkspace, workspaceOf } from './workspaces.ts'
import { listProviders } from './providers.ts'

export interface DatasetQuery {
  readonly kind?: string
  readonly source?: string
  readonly provider?: string
  readonly provider_instance?: string
  readonly workspace?: string
  readonly snapshot?: string
  readonly offset: number
  readonly limit: number
  readonly q?: string
  readonly sort?: 'title' | 'year' | 'time'
  readonly order: 'asc' | 'desc'
}

/** Maximum number of entries that are sent beside the rows. */
export const MAX_POLICY = 5_000
const MANUAL_ROWS = 500

interface Page {
  readonly rows: readonly LibraryRow[]
  /** Rows that match the search. */
  readonly total: number
  readonly count: number
  readonly ts: number | null
  readonly revision: string
}

export async function readDataset(sources: Sources, source: Exclude<Source, 'playlist'>, query: DatasetQuery) {
  const kind = readKind(query.kind)
  const named = await accountOf(sources, source, query)
  const head = { ok: true, kind, source, snapshot: null }
  if (named === null)
    return {
      ...head,
      provider: null,
      provider_instance: null,
      ...pageOf(EMPTY, query),
      ...NO_POLICY,
      policy_revision: '',
    }
  const { provider, instance } = named
  const scope = { provider, instance, feature: kind }
  const page = source === 'manual' ? await manualPage(sources, scope, query) : await rowsPage(sources, scope, query)
  return {
    ...head,
    provider,
    provider_instance: instance,
    ...(source === 'tracker' ? await workspaceOf(sources, named) : {}),
    ...pageOf(page, query),
    ...(await policyOf(sources, scope, source)),
  }
}

/** Null if there is no account at all. */
async function accountOf(
  sources: Sources,
  source: Exclude<Source, 'playlist'>,
  query: DatasetQuery,
): Promise<Named | null> {
  if (source === 'tracker') {
    const named = await namedAccount(sources.accounts, TRACKER, query.provider_instance)
    requireWorkspace(query.workspace ?? query.snapshot, named)
    return named
  }
  if (query.provider !== undefined && query.provider.trim() !== '')
    return findAccount(sources, query.provider, query.provider_instance)
  const { providers, instances } = await listProviders(sources)
  const [first] = providers
  if (first === undefined) return null
  return findAccount(sources, first, query.provider_instance ?? instances[first]?.[0])
}

async function rowsPage(sources: Sources, scope: PolicyScope, query: DatasetQuery): Promise<Page> {
  const { offset, limit, q, sort, order } = query
  const { readAtMs, ...page } = await sources.library.page({
    ...scope,
    offset,
    limit,
    ...defined({ search: q, sort }),
    descending: order === 'desc',
  })
  return { ...page, ts: readAtMs === null ? null : toSeconds(readAtMs) }
}

/** The adds of a scope, by key. */
async function manualPage({ policy, has }: Sources, scope: PolicyScope, query: DatasetQuery): Promise<Page> {
  const { offset, limit, q = '', sort, order } = query
  if (sort !== undefined || order === 'desc')
    throw invalid('unsupported_sort', 'Added items are sorted by their key. Leave out "sort" and "order".')
  if (!has('policy')) return EMPTY
  const revision = await policy.revision(scope)
  const words = searchWords(q)
  const rows: LibraryRow[] = []
  let [count, total] = [0, 0]
  for await (const page of policy.adds(scope)) {
    for (const row of page) {
      count += 1
      if (words.length > 0 && !isFound(row, words)) continue
      if (total >= offset && rows.length < limit) rows.push(row)
      total += 1
    }
  }
  return { rows, count, total, ts: null, revision }
}

function isFound({ key, item }: LibraryRow, words: readonly string[]): boolean {
  const text = foldText([key, item.title, item.series_title, item.year, ...idsOf(item)].join(' '))
  return words.every((word) => text.includes(word))
}

function idsOf({ ids, show_ids: showIds = {} }: Item): readonly string[] {
  return Object.entries({ ...showIds, ...ids }).map(([scheme, id]) => `${scheme}:${id}`)
}

async function policyOf({ policy, has }: Sources, scope: PolicyScope, source: Source) {
  if (!has('policy')) return { ...NO_POLICY, policy_revision: '' }
  const revision = await policy.revision(scope)
  const blocks = await policy.blocks(scope)
  const adds: LibraryRow[] = []
  let total = 0
  // For other sources the rows of the response are the adds themselves.
  if (source !== 'manual') {
    const scopes = await policy.scopes()
    total = scopes.find((one) => isScope(one, scope))?.adds ?? 0
    if (total > 0)
      for await (const page of policy.adds(scope)) {
        adds.push(...page.slice(0, MANUAL_ROWS - adds.length))
        if (adds.length >= MANUAL_ROWS) break
      }
  }
  return {
    manual_adds: source === 'manual' ? undefined : itemsOf(adds),
    manual_adds_total: source === 'manual' ? undefined : total,
    manual_blocks: blocks.slice(0, MAX_POLICY),
    manual_blocks_total: blocks.length,
    policy_revision: revision,
  }
}

function isScope(a: PolicyScope, b: PolicyScope): boolean {
  return a.provider === b.provider && a.instance === b.instance && a.feature === b.feature
}

function pageOf({ rows, total, count, ts, revision }: Page, { offset, limit }: Pick<DatasetQuery, 'offset' | 'limit'>) {
  return { ts, revision, count, total, offset, limit, items: itemsOf(rows), original_keys: rows.map(({ key }) => key) }
}

function itemsOf(rows: readonly LibraryRow[]): Readonly<Record<string, object>> {
  return Object.fromEntries(rows.map(({ key, item: { native: _native, ...item } }) => [key, { ...item, key }]))
}

const EMPTY: Page = { rows: [], total: 0, count: 0, ts: null, revision: '' }
const NO_POLICY = { manual_adds: {}, manual_adds_total: 0, manual_blocks: [], manual_blocks_total: 0 }

export type { Kind }
