// The wall: all watchlist rows, including those of accounts that are signed out.
import { Readable } from 'node:stream'
import {
  type Account,
  type Accounts,
  type Metadata,
  type PluginApp,
  type Remote,
  type Static,
  Type,
  type Watchlist,
  type WatchlistRow,
  skipSerializer,
} from '@playhead/sdk'
import { WallAnswer } from './answers.ts'

const Query = Type.Object({
  both_only: Type.Boolean({ default: false, description: 'Only titles that two or more providers have.' }),
  active_only: Type.Boolean({ default: false, description: 'Only titles of signed-in accounts.' }),
  limit: Type.Integer({ default: 0, minimum: 0, maximum: 100, description: '0: all.' }),
})
type Query = Static<typeof Query>

interface WallDependencies {
  readonly watchlist: () => Remote<Watchlist> | undefined
  readonly accounts: Pick<Remote<Accounts>, 'list'>
}

/** The first rows, cached until the data changes, and the total. */
interface Head {
  readonly rows: readonly WatchlistRow[]
  readonly total: number
  readonly lastReadAt: number | null
}

export interface Wall {
  head(query: Query): Promise<Head>
  /** All rows, in pages. */
  rows(query: Query): AsyncGenerator<readonly WatchlistRow[]>
}

const HEAD_ROWS = 100

export function createWall({ watchlist, accounts }: WallDependencies): Wall {
  const kept = new Map<string, { readonly revision: string; readonly head: Promise<Head> }>()

  async function* rows({
    both_only: bothOnly,
    active_only: activeOnly,
  }: Query): AsyncGenerator<readonly WatchlistRow[]> {
    const isActive = await activeOf(accounts)
    for await (const page of watchlist()?.rows({ signedOut: true }) ?? []) {
      yield page.filter((row) => (!bothOnly || row.sources.length > 1) && (!activeOnly || isActive(row)))
    }
  }

  async function make(query: Query): Promise<Head> {
    const first: WatchlistRow[] = []
    let total = 0
    let lastReadAt: number | null = null
    for await (const page of rows(query)) {
      total += page.length
      if (first.length < HEAD_ROWS) first.push(...page.slice(0, HEAD_ROWS - first.length))
      for (const row of page)
        for (const { read_at: at } of row['accounts'] as readonly { readonly read_at: number }[])
          lastReadAt = Math.max(lastReadAt ?? at, at)
    }
    return { rows: first, total, lastReadAt }
  }

  return {
    rows,
    async head(query) {
      const list = watchlist()
      if (list === undefined) return { rows: [], total: 0, lastReadAt: null }
      const [revision, signedIn] = await Promise.all([list.revision({ signedOut: true }), list.revision()])
      const name = `${query.both_only} ${query.active_only}`
      const known = kept.get(name)
      if (known?.revision === revision + signedIn) return known.head
      const head = make(query)
      kept.set(name, { revision: revision + signedIn, head })
      head.catch(() => {
        if (kept.get(name)?.head === head) kept.delete(name)
      })
      return head
    },
  }
}

interface WallParts {
  readonly wall: Wall
  metadata(): Remote<Metadata> | undefined
}

export function registerWallRoute(app: PluginApp, { wall, metadata }: WallParts): void {
  app.get(
    '/api/state/wall',
    {
      ...skipSerializer,
      schema: { summary: 'All entries of the watchlists', querystring: Query, response: { 200: WallAnswer } },
    },
    async (request, reply) => {
      const query = request.query as Query
      const [{ rows, total, lastReadAt }, isReady] = await Promise.all([wall.head(query), metadata()?.ready() ?? false])
      const rest = { total, missing_tmdb_key: !isReady, last_sync_epoch: lastReadAt }
      if (query.limit > 0 || total <= rows.length) {
        return { ok: true, items: query.limit === 0 ? rows : rows.slice(0, query.limit), ...rest }
      }
      // Long lists are streamed.
      return reply
        .type('application/json; charset=utf-8')
        .send(Readable.from(write(wall.rows(query), rest), { objectMode: false }))
    },
  )
}

async function* write(pages: AsyncIterable<readonly WatchlistRow[]>, rest: object): AsyncGenerator<string> {
  yield '{"ok":true,"items":['
  let separator = ''
  for await (const page of pages) {
    if (page.length === 0) continue
    yield separator + page.map((row) => JSON.stringify(row)).join(',')
    separator = ','
  }
  yield `],${JSON.stringify(rest).slice(1)}`
}

async function activeOf(accounts: WallDependencies['accounts']): Promise<(row: WatchlistRow) => boolean> {
  const active = new Set(
    (await accounts.list()).flatMap(({ provider, instance, configured }: Account) =>
      configured ? `${provider.toLowerCase()}@${instance}` : [],
    ),
  )
  return ({ sources_by_provider: sources }) =>
    Object.entries(sources).some(([provider, instances]) =>
      instances.some((instance) => active.has(`${provider}@${instance}`)),
    )
}
