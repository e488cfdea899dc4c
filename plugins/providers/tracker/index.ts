// Playhead's own tracker: watchlist, history, ratings, progress and lists in the service's database. It needs no sign-in; each
// profile is a workspace with its own rows.
import { TRACKER_STORE } from '@playhead/sdk'
import {
  defineProvider,
  type FeatureSupport,
  type ReadPart,
  type ReadRequest,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import { createTrackerStore } from './capability.ts'
import { createExchange } from './exchange.ts'
import { LISTS } from './lists/definition.ts'
import { PLAYBACK, type Workspace } from './scrobble.ts'
import { Profile } from './settings.ts'
import { createStore } from './store.ts'
import { migrations } from './tables.ts'

const all: Omit<FeatureSupport, 'kinds'> = {
  read: true,
  add: true,
  update: true,
  remove: true,
  maxBatch: 250,
  idempotentAdd: true,
}

export default defineProvider<typeof Profile, Workspace>({
  profile: Profile,
  group: 'other',
  description: 'Stores your history, ratings and lists in Playhead itself.',
  features: {
    watchlist: { ...all, update: false, kinds: ['movie', 'show', 'season', 'episode'] },
    history: {
      ...all,
      kinds: ['movie', 'show', 'season', 'episode'],
      plays: { read: true, write: true, removeOne: true },
      days: 'kept',
    },
    ratings: { ...all, kinds: ['movie', 'show', 'season', 'episode'] },
    progress: { ...all, kinds: ['movie', 'episode'], anime: true },
  },
  signIn: {
    flow: 'local',
    methods: ['local'],
    fields: [],
    verifyUrl: null,
    actions: { start: false, finish: false, refresh: false, disconnect: true },
    notes: 'Built into Playhead. Turn it on or off in its settings.',
  },
  credentials: [],
  missing: ({ enabled }) => (enabled ? undefined : 'disabled'),
  normalize: (profile) => ({ ...profile, connected: profile.enabled }),
  migrations,
  open: (account) => ({ account, store: createStore(account.ctx.db, account.log) }),
  probe: async ({ store, account }) => ({ status: 'ok', account: await store.account(account.instance) }),
  read: { watchlist: readFrom, history: readFrom, ratings: readFrom, progress: readFrom },
  write: { watchlist: writeTo, history: writeTo, ratings: writeTo, progress: writeTo },
  lists: LISTS,
  playback: PLAYBACK,
  signOut: ({ account }) => account.save({ enabled: false, connected: false }),
  removed: ({ ctx, instance, log }) => createStore(ctx.db, log).remove(instance),

  setup(ctx, kit) {
    const store = createStore(ctx.db, ctx.log)
    const exchange = createExchange(ctx.db, Date.now)
    const profiles = () => ['default', ...Object.keys((ctx.config as { instances?: object }).instances ?? {})]
    // For plugins that display, back up or clear the tracker's data.
    ctx.provide(TRACKER_STORE, createTrackerStore(ctx.db, store, exchange, kit, profiles))
    ctx.every('1d', 'tidy', async () => {
      await exchange.sweep()
      for (const instance of profiles()) await store.tidy(instance, kit.profile(instance))
    })
  },
})

function readFrom({ store, account }: Workspace, request: ReadRequest, signal: AbortSignal): AsyncIterable<ReadPart> {
  return store.read(account.instance, account.current(), request, signal)
}

function writeTo({ store, account }: Workspace, request: WriteRequest): Promise<WriteResult> {
  return store.write(account.instance, account.current(), request)
}
