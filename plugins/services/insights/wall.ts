// The wall: all watchlist rows, including those of accounts that are signed out.
import { Readable } from 'node:stream'
import {
  type Account,
  type Accounts,
  type Metadata,
  type PluginApp,
  type PluginContext,
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

export interface Wall {
  /** All rows, in pages. */
  rows(query: Query): AsyncGenerator<readonly WatchlistRow[]>
  /** Changes with the rows. */
  revision(): Promise<string>
}

/** Longer answers are streamed. */
const MAX_WHOLE_LENGTH = 5_000_000

export function createWall({ watchlist, accounts }: WallDependencies): Wall {
  return {
    async *rows({ both_only: bothOnly, active_only: activeOnly }: Query): AsyncGenerator<readonly WatchlistRow[]> {
      const isActive = await activeOf(accounts)
      for await (const page of watchlist()?.rows({ signedOut: true }) ?? []) {
        yield page.filter((row) => (!bothOnly || row.sources.length > 1) && (!activeOnly || isActive(row)))
      }
    },
    async revision() {
      const list = watchlist()
      return [await list?.revision({ signedOut: true }), await list?.revision()].join(' ')
    },
  }
}

interface WallParts {
  readonly ctx: Pick<PluginContext, 'host'>
  readonly wall: Wall
  metadata(): Remote<Metadata> | undefined
}

export function registerWallRoute(app: PluginApp, { ctx, wall, metadata }: WallParts): void {
  const isReady = async () => (await metadata()?.ready()) ?? false

  app.get(
    '/api/state/wall',
    {
      ...skipSerializer,
      config: { revision: async () => [await wall.revision(), await isReady(), ctx.host.revision()].join(' ') },
      schema: { summary: 'All entries of the watchlists', querystring: Query, response: { 200: WallAnswer } },
    },
    async (request, reply) => {
      const query = request.query as Query
      const pieces = write(wall.rows(query), query.limit, await isReady())
      void reply.type('application/json; charset=utf-8')
      const first: string[] = []
      let length = 0
      for (;;) {
        const { done = false, value } = await pieces.next()
        if (done) return reply.send(first.join(''))
        first.push(value as string)
        length += (value as string).length
        if (length > MAX_WHOLE_LENGTH) return reply.send(Readable.from(joined(first, pieces), { objectMode: false }))
      }
    },
  )
}

async function* joined(first: readonly string[], rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield* first
  yield* rest
}

/** @param limit number of rows, all of which are counted; 0: all */
async function* write(
  pages: AsyncIterable<readonly WatchlistRow[]>,
  limit: number,
  isReady: boolean,
): AsyncGenerator<string> {
  let total = 0
  let lastReadAt: number | null = null
  for await (const page of pages) {
    for (const row of page)
      for (const { read_at: at } of row['accounts'] as readonly { readonly read_at: number }[])
        lastReadAt = Math.max(lastReadAt ?? at, at)
    const shown = limit === 0 ? page : page.slice(0, Math.max(0, limit - total))
    if (shown.length > 0)
      yield (total === 0 ? '{"ok":true,"items":[' : ',') + shown.map((row) => JSON.stringify(row)).join(',')
    total += page.length
  }
  const rest = { total, missing_tmdb_key: !isReady, last_sync_epoch: lastReadAt }
  yield `${total === 0 ? '{"ok":true,"items":[' : ''}],${JSON.stringify(rest).slice(1)}`
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
