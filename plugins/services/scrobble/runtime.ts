// The running scrobbler: turns reports of watchers and webhooks into decisions, deliveries and effects.
import {
  type AccountName,
  ACCOUNTS,
  ACTIONS,
  CONFIG_SAVED,
  createLastUsed,
  createTurns,
  type CurrentStream,
  defined,
  LIBRARY,
  type PlaybackDecision,
  PlayheadError,
  type PluginContext,
  providerCapability,
  type ProviderDescription,
  type ScrobbleService,
  type WebhookInput,
} from '@playhead/sdk'
import { accessOf, lanesOfScope } from './config/access.ts'
import type { Lane, Observation } from './contract.ts'
import { createDecisions, type LaneDecision, toDecision } from './decide/decisions.ts'
import { createRatings } from './decide/ratings.ts'
import { createViewings } from './decide/viewings.ts'
import { createAttempt, type Tracker } from './deliver/attempt.ts'
import { createDeliveries, type Deliveries } from './deliver/deliveries.ts'
import { createSinkAccounts } from './deliver/sink-accounts.ts'
import { announce, recordEnd, recordStart } from './effects/record.ts'
import { createKnownPlays } from './effects/known-plays.ts'
import { removeWatched } from './effects/watchlist.ts'
import { filterReason } from './filter/filter.ts'
import { createMarkers, markerNames } from './filter/markers.ts'
import { createCurrent, type Current } from './now/current.ts'
import { createSessionPoller, type SessionPoller } from './now/poll.ts'
import { createPlayingView } from './now/view.ts'
import { NOW_TOPIC } from './now/routes.ts'
import type { ScrobbleConfig } from './settings.ts'
import { sinkKey } from './store/delivery.ts'
import { createLease } from './store/lease.ts'
import { createStore, type Store } from './store/store.ts'
import { createWatchers, type RunningWatchers } from './watch/groups.ts'
import { rememberedSessions } from './watch/remembered.ts'
import { provideTokenUses, tokenUseId } from './routes/token-uses.ts'
import { createUnseenEnds } from './watch/unseen-ends.ts'
import { createWorlds, type Worlds } from './world.ts'

interface Runtime {
  readonly service: ScrobbleService
  readonly worlds: Worlds
  readonly watchers: RunningWatchers
  readonly store: Store
  readonly deliveries: Deliveries
  readonly poller: SessionPoller
  readonly current: Current
  playing: ReturnType<typeof createPlayingView>['all']
  /** Loads the queue and starts the watchers, if a route or a webhook was ever configured. */
  boot(): Promise<void>
  prune(): Promise<void>
  close(): Promise<void>
}

const KEPT_MS = 30 * 24 * 3_600_000
const PUBLISH_MS = 200
const TICK_MS = 60_000
/** Set once a route or webhook was configured: from then on deliveries may be stored. */
const USED = 'used'
/** Displayed although it is not recorded. */
const SHOWN_REFUSALS: ReadonlySet<string> = new Set(['no_usable_ids', 'too_short'])

export function createRuntime(ctx: PluginContext<ScrobbleConfig>, now: () => number = Date.now): Runtime {
  const log = ctx.log.channel('SCROBBLE')
  const tokensUsed = createLastUsed(ctx, now)
  const store = createStore(ctx, () => close())
  const worlds = createWorlds(ctx)
  provideTokenUses(ctx, worlds, tokensUsed)
  const viewings = createViewings([])
  const lease = createLease(store.tables, String(ctx.host.startedAtMs), ctx.generation)
  let booted: Promise<void> | null = null
  let isClosed = false
  // Every minute: retries, due pauses and ended sessions. Without routes and webhooks, nothing loads the plugin.
  const ticking = ctx.schedule('tick', () => tick())

  const tracker = (id: string) => ctx.tryUse(providerCapability(id)) as Tracker | undefined
  const library = () => ctx.tryUse(LIBRARY)
  const markers = createMarkers({ now })
  const inTurn = createTurns()
  const sinkAccounts = createSinkAccounts((provider, instance) =>
    ctx.use(ACCOUNTS).health(provider, instance, { fresh: true }),
  )
  const actions = () => (library() === undefined ? undefined : ctx.tryUse(ACTIONS))
  const knownPlays = createKnownPlays({ library, log, now })
  const deliveries = createDeliveries({
    store,
    attempt: createAttempt({
      provider: tracker,
      actions,
      delivered: store.delivered,
      sinkAccount: sinkAccounts.read,
      now,
    }),
    plays: knownPlays,
    ended: (delivery) => {
      effect(() => recordEnd(ctx, delivery))
      if (delivery.state === 'done' && delivery.completed)
        effect(() => removeWatched(ctx, delivery, worlds.current.effective))
    },
    log,
    signal: ctx.signal,
    now,
  })
  const decisions = createDecisions({
    viewings,
    store,
    filter: filterReason,
    support: (provider) => worlds.describe(provider)?.playback?.scrobble,
    sinkAccount: sinkAccounts.known,
    deliver: (added) => deliveries.add(added),
    decided,
    now,
  })
  const ratings = createRatings({
    store,
    deliver: (added) => deliveries.add(added),
    describe: worlds.describe,
    sinkAccount: sinkAccounts.known,
    now,
  })
  const current = createCurrent({
    now,
    heartbeatMs: () => worlds.current.effective.heartbeatMs,
    changed: () => publishSoon(),
  })
  const poller = createSessionPoller({ log: ctx.log, signal: ctx.signal })
  const completedMeanwhile = createUnseenEnds({ provider: (id) => tracker(id), log: ctx.log.channel('WATCH') })
  const watchers = createWatchers({
    ctx,
    effective: () => worlds.current.effective,
    tokenOf: worlds.tokenOf,
    remembered: (provider, instance) => rememberedSessions(viewings.all(), { provider, instance }, now()),
    async observe(observation, lanes) {
      try {
        await take(await completedMeanwhile(observation), lanes)
      } catch (error) {
        log.error(
          { err: error, source: observation.source.provider },
          'a report could not be stored; it is stored with the next',
        )
      }
    },
    cleared: () => current.clear(),
    log: ctx.log.channel('WATCH'),
    now,
  })
  const view = createPlayingView({
    ctx,
    current,
    poller,
    following: watchers.following,
    tokenOf: (provider): ProviderDescription['token'] => worlds.tokenOf(provider),
    now,
  })
  ctx.tap(CONFIG_SAVED, 'scrobble accounts', ({ paths }) =>
    settingsChanged(paths).catch((error: unknown) =>
      log.warn({ err: error }, 'a changed account could not be followed'),
    ),
  )
  worlds.onChange(async ({ effective }) => {
    await bootIfUsed()
    if (booted === null) return
    await watchers.reconfigured()
    learnAccounts(sinksOf(effective.lanes))
    await deliveries.wake()
  })

  function learnAccounts(sinks: readonly AccountName[]): void {
    for (const sink of sinks)
      void sinkAccounts
        .read(sink)
        .catch((error: unknown) => log.debug({ err: error, ...sink }, 'the account of a tracker is not known yet'))
  }

  /** Retries at once for a tracker that was signed in again, unless the account is another one now. */
  async function settingsChanged(paths: readonly string[]): Promise<void> {
    if (booted === null) return
    const sections = new Set(paths.map((path) => path.split('.')[0]))
    const changed = sinksOf(worlds.current.effective.lanes).filter(({ provider }) =>
      sections.has(worlds.tokenOf(provider)),
    )
    for (const sink of changed) sinkAccounts.forget(sink)
    learnAccounts(changed)
    await deliveries.wake(new Set(changed.map(sinkKey)))
  }

  async function take(seen: Observation, lanes: readonly Lane[]): Promise<readonly LaneDecision[]> {
    // Searching files takes time, and reports must keep their order.
    if (markerNames(lanes).length === 0) return await decide(seen, lanes)
    return await inTurn(async () => await decide(await markers.mark(seen, lanes), lanes))
  }

  async function decide(observation: Observation, lanes: readonly Lane[]): Promise<readonly LaneDecision[]> {
    const taken = await decisions.take(observation, lanes)
    current.update(
      observation,
      taken.some(({ refused }) => refused === undefined || SHOWN_REFUSALS.has(refused)),
    )
    scheduleSettle(taken)
    return taken
  }

  function decided(decision: LaneDecision): void {
    const { lane, observation, verdict, refused } = decision
    announce(ctx, decision)
    knownPlays.follow(decision)
    if (verdict?.emission?.action === 'start') effect(() => recordStart(ctx, decision))
    if (observation.kind === 'level' && verdict?.emission === undefined) return
    const facts = {
      route: lane.id,
      source: lane.source.provider,
      account: masked(observation.account.name),
      title: observation.item.series_title ?? observation.item.title ?? null,
      ...defined({ percent: verdict?.percent }),
    }
    if (refused !== undefined) log.info({ ...facts, reason: refused }, 'a report was ignored')
    else if (verdict?.emission !== undefined) {
      const { action, completed } = verdict.emission
      log.info({ ...facts, action, tracker: lane.sink.provider }, completed ? 'watched' : `playback: ${action}`)
    } else log.info({ ...facts, reason: verdict?.reason }, 'a report changes nothing')
  }

  function effect(work: () => Promise<void>): void {
    void work().catch((error: unknown) => log.warn({ err: error }, 'an effect of playback could not be recorded'))
  }

  let settleTimer: NodeJS.Timeout | undefined
  let settleAtMs = Infinity
  function scheduleSettle(taken: readonly LaneDecision[]): void {
    for (const { verdict } of taken) {
      const dueAtMs = verdict?.viewing.pauseDueAtMs ?? null
      if (dueAtMs === null || dueAtMs >= settleAtMs) continue
      clearTimeout(settleTimer)
      settleAtMs = dueAtMs
      settleTimer = setTimeout(
        () => {
          settleAtMs = Infinity
          void settleNow()
        },
        Math.max(0, dueAtMs - now()) + 10,
      )
      settleTimer.unref()
    }
  }

  async function settleNow(): Promise<void> {
    await decisions
      .settle(worlds.current.effective.lanes)
      .catch((error: unknown) => log.error({ err: error }, 'open playback could not be settled'))
  }

  let publishTimer: NodeJS.Timeout | undefined
  function publishSoon(): void {
    publishTimer ??= setTimeout(() => {
      publishTimer = undefined
      ctx.streams.publish(NOW_TOPIC, { data: JSON.stringify({ streams_count: current.rows().length }) })
    }, PUBLISH_MS)
    publishTimer.unref()
  }

  let closing: Promise<void> | undefined
  function close(): Promise<void> {
    return (closing ??= end())
  }

  async function end(): Promise<void> {
    isClosed = true
    clearTimeout(settleTimer)
    clearTimeout(publishTimer)
    await watchers.close()
    await deliveries.stop()
    if (booted !== null) await lease.release()
  }

  function boot(): Promise<void> {
    return (booted ??= begin().catch((error: unknown) => {
      booted = null
      throw error
    }))
  }

  async function bootIfUsed(): Promise<void> {
    const isUsed = booted !== null || (await ctx.store.get(USED)) === true
    if (!isUsed && !worlds.isConfigured()) return
    // Before anything can fail, so that it is tried again.
    if (booted === null) tickLater()
    const { effective } = await worlds.read()
    if (isUsed || effective.lanes.length > 0) await boot()
  }

  async function begin(): Promise<void> {
    const { effective } = await worlds.read()
    if (effective.lanes.length > 0) await ctx.store.set(USED, true)
    const isOwn = await lease.acquire(ctx.signal)
    if (isClosed || ctx.signal.aborted) throw closed()
    if (!isOwn) log.warn('the replaced version is still delivering; its queue is taken over')
    for (const { destination, key, viewing } of await store.viewings(now() - KEPT_MS)) {
      viewings.restore({ destination, key, viewing })
    }
    learnAccounts(sinksOf(effective.lanes))
    tickLater()
    await deliveries.start()
    if (effective.sources.watcher && effective.autostart) await watchers.start()
  }

  function tickLater(): void {
    if (!isClosed) ticking.set({ at: now() + TICK_MS })
  }

  async function tick(): Promise<void> {
    let isNeeded = true
    try {
      await bootIfUsed()
      isNeeded = booted !== null
      if (!isNeeded) return
      await settleNow()
      await deliveries.wake()
    } finally {
      if (isNeeded) tickLater()
    }
  }

  const service: ScrobbleService = {
    async access(call) {
      const access = accessOf(call, await worlds.read())
      if (access.ok) tokensUsed.note(tokenUseId(access.scope))
      return access
    },
    async play({ provider, instance, scope, report, receivedAtMs }): Promise<PlaybackDecision> {
      if (isClosed) throw closed()
      await boot()
      const { effective } = await worlds.read()
      const lanes = lanesOfScope(effective, scope)
      if (lanes.length === 0) return { ignored: true, reason: 'no_destinations', targets: [] }
      return toDecision(await take(toObservation({ provider, instance, report, receivedAtMs }), lanes))
    },
    async rate(input) {
      if (isClosed) throw closed()
      await boot()
      return ratings.take(input, await worlds.read())
    },
    async streams() {
      return (await view.followed()) as readonly CurrentStream[]
    },
  }

  return {
    service,
    worlds,
    watchers,
    store,
    deliveries,
    poller,
    current,
    playing: view.all,
    boot: bootIfUsed,
    async prune() {
      if (booted === null) return
      await store.prune(now() - KEPT_MS)
      viewings.forget(now() - KEPT_MS)
    },
    close,
  }
}

function sinksOf(lanes: readonly Lane[]): readonly AccountName[] {
  return [...new Map(lanes.map(({ sink }) => [sinkKey(sink), sink])).values()]
}

/** Webhooks report events, except Jellyfin-like progress reports, which report the current state. */
function toObservation({
  provider,
  instance,
  report: { action, session },
  receivedAtMs,
}: Omit<WebhookInput<'playback'>, 'scope'>): Observation {
  const { key, state, ...rest } = session
  const reported = { start: 'playing', pause: 'paused', stop: 'stopped' } as const
  return {
    method: 'webhook',
    source: { provider, instance },
    kind: action === 'progress' ? 'level' : 'event',
    // Some services count an item as watched while it is still playing.
    state: action === 'progress' || (session.completed === true && state !== 'stopped') ? state : reported[action],
    session: key,
    atMs: receivedAtMs,
    ...rest,
  }
}

/** Names of people in logs: the first two characters. */
function masked(name: string | undefined): string {
  return name === undefined || name === '' ? '' : `${name.slice(0, 2)}***`
}

function closed(): PlayheadError {
  return new PlayheadError('PLH_NOT_READY', 'Scrobbling is being updated. Try again in a moment.')
}
