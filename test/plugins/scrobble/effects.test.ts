// Further effects of playback: bus events, the archive, the activity, watchlists.
import t from 'tap'
import {
  type AccountChanges,
  type Item,
  type LibraryService,
  type MergedItem,
  type PairState,
  type PluginContext,
  ownersByPairs,
} from '@playhead/sdk'
import type { Lane } from '../../../plugins/services/scrobble/contract.ts'
import type { LaneDecision } from '../../../plugins/services/scrobble/decide/decisions.ts'
import { announce, recordEnd, recordStart } from '../../../plugins/services/scrobble/effects/record.ts'
import { removeWatched } from '../../../plugins/services/scrobble/effects/watchlist.ts'
import type { Delivery } from '../../../plugins/services/scrobble/store/delivery.ts'
import { actionsOf } from '../actions/service.ts'
import { createScript, LANE, movie, seen } from './support.ts'

const EPISODE: Item = {
  type: 'episode',
  title: 'Low Water',
  series_title: 'Harbour Nine',
  ids: { tvdb: '9902013' },
  show_ids: { tmdb: '990200', tvdb: '990201' },
  season: 2,
  episode: 3,
  native: { item_id: '52013' },
}

type Given = Partial<Record<'library' | 'sync' | 'metadata' | 'activity' | 'events', object>>

function contextOf(given: Given = {}) {
  const emitted: { name: string; data: Readonly<Record<string, unknown>> }[] = []
  const called: typeof emitted = []
  const ctx = {
    events: { emit: (name: string, data: object) => void emitted.push({ name, data: { ...data } }) },
    log: { info() {}, debug() {}, warn() {}, error() {} },
    tryUse: ({ token }: { readonly token: keyof Given | 'actions' }) =>
      token !== 'actions' ? given[token] : given.library === undefined ? undefined : actionsOf(given.library),
    callHook: async ({ name }: { readonly name: string }, data: object) =>
      void called.push({ name, data: { ...data } }),
  } as unknown as PluginContext
  return { ctx, emitted, called }
}

function decisionOf(change: Parameters<typeof seen>[0], lane: Lane = LANE): LaneDecision {
  const observation = seen(change)
  const script = createScript()
  return { lane, observation, verdict: script.next(0, observation), deliveries: [] }
}

const delivery = (change: Partial<Delivery> = {}): Delivery => ({
  id: 'd1',
  destination: 'MEDIAA:default>TRACKA:default',
  viewing: 'v1',
  lane: 'R1',
  method: 'watcher',
  source: { provider: 'MEDIAA', instance: 'default' },
  sink: { provider: 'TRACKA', instance: 'default' },
  session: 's1',
  action: 'stop',
  completed: true,
  percent: 97.25,
  durationMs: 6_000_000,
  rating: null,
  autoRemove: true,
  atMs: 2_000_000_000,
  startedAtMs: 1_995_000_000,
  item: movie(),
  account: { id: '1', name: 'mira', relation: 'own' },
  state: 'done',
  dueAtMs: 0,
  attempts: 1,
  reason: null,
  planId: null,
  doneAtMs: 2_000_000_500,
  watchedAtMs: 2_000_000_100,
  ...change,
})

t.test('the scheduling receives a finished play, with its route and with fractions', (t) => {
  const { ctx, emitted, called } = contextOf()
  announce(ctx, decisionOf({ state: 'stopped', positionMs: 97.256 * 60_000, item: EPISODE }))
  t.match(emitted, [
    {
      name: 'playback.stop',
      data: {
        source: 'watcher',
        route_id: 'R1',
        provider: 'MEDIAA',
        provider_instance: 'default',
        account: 'mira',
        media_type: 'episode',
        title: 'Harbour Nine',
        season: 2,
        episode: 3,
        progress: 97.26,
        finished: true,
        ids: { tvdb: '9902013', tmdb_show: '990200', tvdb_show: '990201' },
      },
    },
  ])
  announce(ctx, decisionOf({ state: 'stopped', positionMs: 40 * 60_000 }))
  t.match(emitted[1], { name: 'playback.stop', data: { finished: false } })
  announce(ctx, { ...decisionOf({}), verdict: undefined as never, refused: 'account_not_allowed' })
  t.equal(emitted.length, 2, 'what a filter refused is announced to nobody')
  t.match(
    called,
    [
      {
        name: 'playCompleted',
        data: {
          ...{ route: 'R1', method: 'watcher', source: { provider: 'MEDIAA', instance: 'default' } },
          ...{ tracker: { provider: 'TRACKA', instance: 'default' }, item: EPISODE, percent: 97.26 },
        },
      },
    ],
    'plugins are told of the play alone',
  )
  t.equal(called.length, 1)
  announce(
    { ...ctx, callHook: async () => Promise.reject(new Error('a bug')) } as never,
    decisionOf({ state: 'stopped', positionMs: 97 * 60_000 }),
  )
  t.end()
})

t.test('the archive has one row for a start and one for an end, the activity has the play', async (t) => {
  const archive: any[] = []
  const activity: any[] = []
  const record = (list: any[]) => ({ record: async (rows: any[]) => void list.push(...rows) })
  const { ctx, emitted } = contextOf({ events: record(archive), activity: record(activity) })
  await recordStart(ctx, decisionOf({ positionMs: 0 }))
  await recordEnd(ctx, delivery({ item: EPISODE }))
  await recordEnd(ctx, delivery({ state: 'failed', reason: 'not_found' }))
  await recordEnd(ctx, delivery({ action: 'rating', completed: false, rating: 8 }))
  await recordEnd(
    ctx,
    delivery({ action: 'rating', completed: false, rating: 8, state: 'failed', reason: 'missing_ids' }),
  )
  await recordEnd(ctx, delivery({ action: 'pause', completed: false }))
  await recordEnd(ctx, delivery({ state: 'dropped' }))
  t.match(archive, [
    { type: 'scrobble_started', domain: 'scrobble', source_kind: 'watcher', session_key: 's1' },
    { type: 'scrobble_completed', item: { title: 'Harbour Nine', season: 2, episode: 3 }, atMs: 2_000_000_100 },
    { type: 'scrobble_failed', severity: 'error', reason_code: 'not_found' },
    { type: 'rating_applied', detail: { rating: 8 } },
    { type: 'rating_failed', severity: 'error', reason_code: 'missing_ids' },
  ])
  t.equal(archive.length, 5)
  t.match(activity, [
    {
      id: 'd1',
      kind: 'scrobble',
      event: 'scrobble_stop',
      target: 'TRACKA',
      progress: 97.25,
      watchedAtMs: 2_000_000_100,
    },
  ])
  t.equal(activity.length, 1)
  // Only the play of the tracker's own account is reported, once.
  t.match(emitted, [
    {
      name: 'play.recorded',
      data: {
        viewing: /^v1 \d+$/,
        title: 'Harbour Nine',
        part: 'season 2, episode 3',
        media_type: 'episode',
        provider: 'TRACKA',
        instance: 'default',
        account: String,
      },
    },
  ])
  t.equal(emitted.length, 1)
})

const pair = (source: string, target: string, enabled = true): PairState => ({
  id: `${source}-${target}`,
  name: '',
  enabled,
  running: false,
  source: source.split('@')[0]!,
  source_instance: source.split('@')[1] ?? 'default',
  target: target.split('@')[0]!,
  target_instance: target.split('@')[1] ?? 'default',
})

function watchlistsOf(entries: readonly { readonly account: string; readonly item: Item }[]) {
  const planned: AccountChanges[] = []
  const applied: string[] = []
  const library: Partial<LibraryService> = {
    async itemsByKeys(_query, keys) {
      return entries
        .filter(({ item }) => keys.some((key) => key === `${item.type}:tmdb:${item.ids.tmdb}`))
        .map(({ account, item }): MergedItem => {
          const [provider, instance = 'default'] = account.split('@') as [string, string?]
          const key = `${item.type}:tmdb:${item.ids.tmdb}`
          return {
            key,
            names: [key],
            item,
            type: 'movie',
            added: null,
            rows: [{ provider, instance, key, item, readAtMs: 0 }],
          }
        })
    },
    async plan(changes) {
      planned.push(changes)
      return { planId: `p${planned.length}`, ready: { add: 0, update: 0, remove: 1 }, held: null, leftOut: [] }
    },
    async applyWhenFree(planId) {
      applied.push(planId)
      return []
    },
  }
  return { library, planned, applied }
}

const effective = (autoRemoveTypes: readonly ('movie' | 'show' | 'episode')[]) => ({ autoRemoveTypes }) as never
const SHOW: Item = { type: 'show', title: 'Harbour Nine', ids: { tmdb: '990200' } }

t.test('a watched film is removed from the watchlists of its person, and of no one else', async (t) => {
  const { library, planned, applied } = watchlistsOf(
    ['MEDIAA', 'TRACKA', 'TRACKB', 'TRACKA@TRACKA-P01'].map((account) => ({ account, item: movie() })),
  )
  const { ctx } = contextOf({
    library,
    sync: { pairs: async () => [pair('TRACKA', 'TRACKB'), pair('LISTA', 'TRACKA@TRACKA-P01')] },
  })
  await removeWatched(ctx, delivery(), effective(['movie']))
  t.same(
    planned.map(({ provider, instance, changes }) => [provider, instance, changes[0]?.op]),
    [
      ['MEDIAA', 'default', 'remove'],
      ['TRACKA', 'default', 'remove'],
      ['TRACKB', 'default', 'remove'],
    ],
  )
  t.equal(applied.length, 3)
})

t.test('nothing is removed when it is off, or for another type', async (t) => {
  const { library, planned } = watchlistsOf([{ account: 'TRACKA', item: movie() }])
  const { ctx } = contextOf({ library, sync: { pairs: async () => [] } })
  await removeWatched(ctx, delivery({ autoRemove: false }), effective(['movie']))
  await removeWatched(ctx, delivery(), effective(['show', 'episode']))
  t.same(planned, [])
})

t.test('an episode removes its show only when it is the last aired one', async (t) => {
  for (const [lastAired, removed] of [
    [{ season: 2, episode: 3 }, 1],
    [{ season: 2, episode: 4 }, 0],
    [{ season: 3, episode: 3 }, 0],
    [null, 0],
  ] as const) {
    const { library, planned } = watchlistsOf([{ account: 'TRACKA', item: SHOW }])
    const metadata = { ready: async () => true, details: async () => ({ lastAired }) }
    const { ctx } = contextOf({ library, metadata, sync: { pairs: async () => [] } })
    await removeWatched(ctx, delivery({ item: EPISODE }), effective(['movie', 'show', 'episode']))
    t.equal(planned.length, removed, JSON.stringify(lastAired))
  }
  const { library, planned } = watchlistsOf([{ account: 'TRACKA', item: SHOW }])
  const { ctx } = contextOf({ library, sync: { pairs: async () => [] } })
  await removeWatched(ctx, delivery({ item: EPISODE }), effective(['show']))
  t.same(planned, [], 'without a metadata service it stays')
})

t.test('accounts of a person are those that enabled pairs connect, also through others', (t) => {
  const ownerOf = ownersByPairs([
    pair('MEDIAA', 'TRACKA'),
    pair('TRACKA', 'TRACKB'),
    pair('TRACKB', 'LISTA', false),
    pair('MEDIAB', 'SVC'),
  ])
  const owner = (provider: string, instance = 'default') => ownerOf({ provider, instance })
  t.equal(owner('MEDIAA'), owner('TRACKB'))
  t.equal(owner('mediaa', ''), owner('TRACKA'), 'in any case, and without the name of the first profile')
  for (const other of ['LISTA', 'MEDIAB']) t.not(owner('MEDIAA'), owner(other), other)
  t.not(owner('MEDIAA'), owner('MEDIAA', 'MEDIAA-P01'))
  t.end()
})
