// The combined watchlist of all accounts.
import {
  ACCOUNTS,
  type Accounts,
  LIBRARY,
  type LibraryService,
  METADATA,
  type PluginContext,
  type Remote,
  WATCHLIST,
  type Watchlist,
  definePlugin,
} from '@playhead/sdk'
import { loadTokens, toEntry } from './entry.ts'
import { toRow } from './wire.ts'
import { createDescriber } from './describe.ts'
import { createRemoval } from './removal.ts'
import { registerRoutes } from './routes.ts'

const sourcesOf = (ctx: PluginContext) => ({ accounts: ctx.use(ACCOUNTS), library: () => ctx.tryUse(LIBRARY) })

export default definePlugin({
  setup(ctx: PluginContext) {
    ctx.provide(WATCHLIST, createWatchlist(sourcesOf(ctx)))
  },
  routes(app) {
    const ctx = app.playhead as PluginContext
    const { events, log } = ctx
    registerRoutes(app, {
      ...sourcesOf(ctx),
      removal: createRemoval({ library: ctx.use(LIBRARY), events, log }),
      describer: (options) => createDescriber(ctx.tryUse(METADATA), options, log),
    })
  },
})

interface WatchlistSources {
  readonly accounts: Pick<Remote<Accounts>, 'providers'>
  /** Undefined without a library service: then nothing was ever read. */
  readonly library: () => Pick<Remote<LibraryService>, 'united' | 'revision'> | undefined
}

function createWatchlist({ accounts, library }: WatchlistSources): Watchlist {
  return {
    async *rows({ signedOut = false } = {}) {
      const tokenOf = await loadTokens(accounts)
      const nowMs = Date.now()
      for await (const page of library()?.united({ feature: 'watchlist', signedOut }) ?? [])
        yield page.map((item) => toRow(toEntry(item, tokenOf), nowMs))
    },
    revision: async ({ signedOut = false } = {}) =>
      (await library()?.revision({ feature: 'watchlist', signedOut })) ?? '',
  }
}
