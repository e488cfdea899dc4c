// The imports over accounts in memory, with all shipped importers. Accounts store data as services do: plays by the second, one
// rating per work.
import { randomUUID } from 'node:crypto'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { zipSync } from 'fflate'
import {
  type AccountChanges,
  ATTENTION,
  type ChangeOutcome,
  type RowsOf,
  type ComparisonPart,
  type DefinedImporter,
  type Feature,
  type FeatureSupport,
  type LibraryRow,
  PlayheadError,
  type WorkEpisode,
  type WorkSummary,
} from '@playhead/sdk'
import { compareItems, type Item, keyOf, looseTitle, parseTime } from '@playhead/sdk/items'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/imports/index.ts'
import { comparedWorks } from '../../../plugins/services/sync/library/compare.ts'
import { actionsOf } from '../actions/service.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const manifest = new URL('../../../plugins/services/imports/plugin.json', import.meta.url)

export interface ShippedImporter {
  readonly file: string
  readonly plugin: DefinedImporter
}

export async function shippedImporters(): Promise<readonly ShippedImporter[]> {
  const files = (await Array.fromAsync(glob('plugins/importers/*/index.ts', { cwd: ROOT }))).sort()
  return Promise.all(
    files.map(async (name) => {
      const file = join(ROOT, name)
      const module = (await import(pathToFileURL(file).href)) as { default: DefinedImporter }
      return { file, plugin: module.default }
    }),
  )
}

type Data = string | Uint8Array | Readonly<Record<string, string | Uint8Array>>

/** Packs files by path into an archive. */
export function bytesOf(data: Data): Uint8Array {
  if (typeof data === 'string') return new TextEncoder().encode(data)
  if (data instanceof Uint8Array) return data
  return zipSync(
    Object.fromEntries(
      Object.entries(data).map(([path, content]) => [
        path,
        typeof content === 'string' ? new TextEncoder().encode(content) : content,
      ]),
    ),
  )
}

const all: FeatureSupport = {
  read: true,
  add: true,
  update: true,
  remove: true,
  kinds: ['movie', 'show', 'season', 'episode'],
}
const plays = { read: true, write: true, removeOne: true }

export interface WorldOptions {
  readonly works?: readonly WorkSummary[]
  readonly episodes?: readonly WorkEpisode[]
  /** Without a metadata service. */
  readonly noMetadata?: boolean
  readonly held?: Readonly<Record<string, readonly Item[]>>
  readonly support?: Partial<Record<Feature, FeatureSupport>>
}

export type World = Awaited<ReturnType<typeof openImports>>

export async function openImports({
  works = [],
  episodes = [],
  noMetadata = false,
  held = {},
  support = {},
}: WorldOptions = {}) {
  const accounts = new Map<string, Item[]>(Object.entries(held).map(([name, items]) => [name, [...items]]))
  const plans = new Map<string, { request: AccountChanges; outcomes: ChangeOutcome[] | null; before: Item[] }>()
  const log: string[] = []
  const state = {
    accounts,
    plans,
    log,
    /** The process dies after this many changes of a plan. */
    dieAfter: null as number | null,
    doubt: null as 'empty_read' | null,
    /** The signed-in person. */
    person: 'ann',
    /** The account accepts this many changes. */
    full: Infinity,
    afterApply: () => {},
    beforeWrite: async (_written: number): Promise<void> => {},
    /** Called while a request lists the accounts or looks up the ids of a work. */
    whileAsked: async (): Promise<void> => {},
    beforeUndo: async (_planId: string): Promise<void> => {},
    /** Results of the undo runs. */
    undone: (_planId: string): object => ({ result: 'ok', left_to_undo: 0 }),
    searches: [] as string[],
    lives: 0,
  }
  const itemsOf = (provider: string, instance: string, feature: Feature) => {
    const name = `${provider}@${instance} ${feature}`
    const own = accounts.get(name) ?? []
    accounts.set(name, own)
    return own
  }

  function add(own: Item[], feature: Feature, item: Item): ChangeOutcome['outcome'] {
    const same = own.filter((one) => compareItems(one, item) === 'same')
    if (feature === 'history') {
      const time = parseTime(item.watched_at)
      if (time === undefined) return 'rejected'
      if (same.some((one) => one.watched_at === item.watched_at)) return 'already'
      own.push(item)
      return 'applied'
    }
    if (same.length === 0) {
      own.push(item)
      return 'applied'
    }
    if (feature !== 'ratings' || same[0]!.rating === item.rating) return 'already'
    own[own.indexOf(same[0]!)] = {
      ...same[0]!,
      rating: item.rating!,
      ...(item.rated_at === undefined ? {} : { rated_at: item.rated_at }),
    }
    return 'applied'
  }

  const lists: { readonly of: RowsOf; rows: LibraryRow[] }[] = []
  const library = {
    holdings: async (feature: Feature) =>
      [...accounts].flatMap(([name, own]) => {
        const [account, ofFeature] = name.split(' ') as [string, Feature]
        const [provider, instance] = account.split('@') as [string, string]
        return ofFeature === feature ? [{ provider, instance, feature, readAtMs: 1, count: own.length }] : []
      }),
    async beginRows(of: RowsOf) {
      lists.push({ of, rows: [] })
      return String(lists.length - 1)
    },
    async addRows(id: string, added: readonly string[]) {
      lists[Number(id)]!.rows.push(...added.map((row) => JSON.parse(row) as LibraryRow))
    },
    async *compareRows(id: string): AsyncGenerator<ComparisonPart> {
      state.lives += 1
      const { of, rows } = lists[Number(id)]!
      const own = itemsOf(of.provider, of.instance, of.feature)
      yield { type: 'read', end: { account: state.person, count: own.length, doubt: state.doubt, readAtMs: 1 } }
      const sideOf = (list: readonly LibraryRow[]) => ({ size: list.length, row: (index: number) => list[index]! })
      const held = sideOf(own.map((item, index) => ({ key: `k${index}`, item })))
      for await (const works of comparedWorks(of.feature, sideOf(rows), held)) yield { type: 'works', works }
    },
    async dropRows(id: string) {
      lists[Number(id)]!.rows = []
    },
    async plan(request: AccountChanges) {
      const planId = `plan-${plans.size + 1}`
      const names = request.changes.map(({ op, key }) => `${op} ${key}`)
      if (new Set(names).size < names.length)
        throw new PlayheadError('PLH_INVALID', 'The keys of the changes are not unique.')
      for (const { item } of request.changes)
        if (!keyOf(item).ok) throw new Error(`no identity: ${JSON.stringify(item)}`)
      plans.set(planId, { request, outcomes: null, before: [] })
      return { planId, ready: { add: request.changes.length, update: 0, remove: 0 }, held: null, leftOut: [] }
    },
    async apply(planId: string, { within }: { within?: string }, signal?: AbortSignal) {
      if (!host.work.current().some(({ id }) => id === within)) throw new Error('the account is not held')
      const plan = plans.get(planId)!
      const { provider, instance, feature, changes } = plan.request
      const own = itemsOf(provider, instance, feature)
      plan.before = [...own]
      const outcomes: ChangeOutcome[] = []
      for (const { op, key, item } of changes) {
        await state.beforeWrite(outcomes.length)
        if (signal?.aborted === true) {
          plan.outcomes = outcomes
          throw new PlayheadError('PLH_ABORTED', 'It was cancelled.')
        }
        if (state.dieAfter !== null && state.dieAfter-- <= 0)
          throw new PlayheadError('PLH_ABORTED', 'the process was killed')
        outcomes.push(
          plan.request.read?.account !== state.person
            ? { op, key, outcome: 'deferred', reason: 'account_changed' }
            : state.full-- > 0
              ? { op, key, outcome: add(own, feature, item) }
              : { op, key, outcome: 'deferred', reason: 'not_attempted' },
        )
      }
      plan.outcomes = outcomes
      state.afterApply()
      return []
    },
    outcomes: async (planId: string) => plans.get(planId)!.outcomes,
    async undo(planId: string) {
      await state.beforeUndo(planId)
      log.push(`undo ${planId}`)
      const started = { status: 'accepted', run_id: `undo-${planId}` }
      const { result } = state.undone(planId) as { result?: string }
      if (result !== 'ok' && result !== 'partial') return started
      const { request, before } = plans.get(planId)!
      const own = itemsOf(request.provider, request.instance, request.feature)
      own.splice(0, own.length, ...before)
      return started
    },
  }
  const features = { watchlist: all, history: { ...all, plays }, ratings: all, progress: all, ...support }
  const metadata = {
    ready: async () => true,
    async search(query: string, { type }: { type?: string } = {}) {
      state.searches.push(query)
      const wanted = query.toLowerCase()
      return works.filter(
        (work) => work.title.toLowerCase().includes(wanted) && (type === undefined || work.type === type),
      )
    },
    async identify({ ids }: { ids: object }) {
      await state.whileAsked()
      return ids
    },
    details: async ({ type, ids }: { type: string; ids: { imdb?: string } }) => {
      const found = works.find((work) => work.type === type && `tt${work.tmdb.padStart(7, '0')}` === ids.imdb)
      return found === undefined ? undefined : { ...found, ids: { tmdb: found.tmdb, ...ids } }
    },
    episodes: async () => episodes,
  }
  const importers = await shippedImporters()
  const host = await createTestHost({
    plugin,
    manifest,
    hooks: [ATTENTION],
    capabilities: {
      accounts: {
        list: async () => {
          await state.whileAsked()
          return ['SVC@default', 'TRACKA@default', 'TRACKA@TRACKA-P01'].map((name) => {
            const [provider, instance] = name.split('@')
            return { provider, instance, configured: instance === 'default', label: '', uid: name, fingerprint: '' }
          })
        },
        providers: async () =>
          ['SVC', 'TRACKA'].map((id) => ({ id, token: id === 'SVC' ? 'svc' : 'trackA', label: `The ${id}`, features })),
      },
      actions: actionsOf(library),
      library,
      catalog: {
        byTitle: async (titles: readonly string[]) =>
          titles.map((wanted) =>
            [...accounts.values()]
              .flat()
              .flatMap(({ type, title, year, ids }) =>
                looseTitle(title ?? '') === looseTitle(wanted)
                  ? [{ type: type === 'movie' ? 'movie' : 'show', title, year: year ?? null, ids }]
                  : [],
              ),
          ),
      },
      sync: {
        async finished(runId: string) {
          log.push(runId)
          return state.undone(runId.replace('undo-', ''))
        },
      },
      ...(noMetadata ? {} : { metadata }),
      ...Object.fromEntries(
        importers.map(({ file, plugin: { importer } }) => [
          `importer:${importer.format}`,
          {
            describe: () => ({
              id: importer.format,
              label: importer.label,
              hint: importer.hint,
              features: importer.features,
            }),
            module: async () => ({ plugin: importer.format, file }),
          },
        ]),
      ),
    },
  })

  async function request(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) {
    const answer = await host.inject({
      method,
      url: `/api/import${path}`,
      ...(payload === undefined ? {} : { payload }),
    })
    return { status: answer.statusCode, body: answer.json() }
  }
  return {
    host,
    state,
    held: (name: string) => accounts.get(name) ?? [],
    get: (path: string) => request('GET', path),
    post: (path: string, payload: object = {}) => request('POST', path, payload),
    remove: (path: string) => request('DELETE', path),
    async upload(data: Data, name = 'file', query = '') {
      const boundary = `--${randomUUID()}`
      const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
      const answer = await host.inject({
        method: 'POST',
        url: `/api/import/preview${query}`,
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
        payload: Buffer.concat([Buffer.from(head), bytesOf(data), Buffer.from(`\r\n--${boundary}--\r\n`)]),
      })
      return { status: answer.statusCode, body: answer.json() }
    },
    async rows(id: string, query = '') {
      const { body } = await request('GET', `/${id}/rows?limit=1000&${query}`)
      return body.rows as readonly {
        feature: string
        item: Item
        state: string
        reason: string | null
        plan: string | null
      }[]
    },
    [Symbol.asyncDispose]: () => host.close(),
  }
}
