// Composes the plugin: a request is resolved to plays, which are written to each account.
import {
  ACCOUNTS,
  ACTIONS,
  CATALOG,
  householdOf,
  LIBRARY,
  MANUAL_POLICY,
  METADATA,
  assertOnePerson,
  PlayheadError,
  type PluginContext,
  type Provider,
  providerCapability,
  type Remote,
} from '@playhead/sdk'
import { formatInstant } from '@playhead/sdk/items'
import { createAlready } from './act/already.ts'
import { createMatch } from './act/match.ts'
import { createFollow } from './act/follow.ts'
import { plannedPlay, previewOf } from './act/preview.ts'
import { recordPlan } from './act/record.ts'
import { createRun, LIMIT_MS, refused } from './act/run.ts'
import { createWriter } from './act/write.ts'
import type { Body, WatchedAnswer } from './request/body.ts'
import { type MatchAnswer, type MatchBody, readMatch } from './request/match.ts'
import { type Order, readOrder, type Work } from './request/order.ts'
import { type Plays, playsOf } from './request/plays.ts'
import { createResolver } from './request/resolve.ts'
import { type Begun, createRequests } from './requests.ts'
import { createStore } from './store/store.ts'
import { findTarget, listTargets, type Target } from './targets.ts'

export type Parts = ReturnType<typeof createParts>

type Finder = Remote<Required<Pick<Provider, 'plays'>>>

interface PartsOptions {
  readonly now?: () => number
  readonly limitMs?: number
}

export function createParts(ctx: PluginContext, { now = Date.now, limitMs = LIMIT_MS }: PartsOptions = {}) {
  const { log, db, host } = ctx
  const store = createStore(db, now)
  const actions = ctx.use(ACTIONS)
  const library = () => {
    const found = ctx.tryUse(LIBRARY)
    if (found === undefined)
      throw new PlayheadError('PLH_CAPABILITY_GONE', 'The sync engine is not running, so nothing was changed.')
    return found
  }
  const wake = ctx.schedule('follow', (signal) => follow.follow(signal))
  const follow = createFollow({
    store,
    isReady: () => ctx.tryUse(LIBRARY) !== undefined,
    record: (plan, report) => recordPlan(ctx, plan, report),
    resume: (planId) => writer.resume(planId),
    wake,
    now,
    log,
  })
  const already = createAlready({
    actions,
    library: ctx.use(LIBRARY),
    provider: (id) => ctx.tryUse(providerCapability(id)) as Finder | undefined,
    store,
    log,
  })
  const writer = createWriter({ actions, library, store, already, ended: follow.ended, now })
  const run = createRun({ write: writer.write, limitMs: () => limitMs, now, log })
  const resolver = createResolver(() => ctx.tryUse(METADATA), log)
  const once = createRequests({ store, process: String(host.startedAtMs), now })
  const targets = () => listTargets(ctx.use(ACCOUNTS))
  const persons = () => householdOf(ctx)
  const match = createMatch({ actions, library, policy: () => ctx.tryUse(MANUAL_POLICY), targets, log })

  /** The episodes that any account has, for use without a metadata service. */
  const knownEpisodesOf = async ({ type, ids, show_ids: showIds = {} }: Work) =>
    (await ctx.tryUse(CATALOG)?.episodes(type === 'show' ? ids : showIds)) ?? []

  async function dryRun(order: Order): Promise<WatchedAnswer> {
    const known = await targets()
    const resolved = await resolver.resolve(order.item)
    const knownEpisodes = () => knownEpisodesOf(resolved.item)
    const found = await playsOf({ ...order, confirmShow: true }, resolved, { resolver, knownEpisodes }, now())
    const results = await Promise.all(
      order.targets.map((name) => {
        const target = findTarget(known, name)
        return typeof target === 'string'
          ? refused(name, order.actions, target)
          : previewOf({ order, item: resolved.item, plays: found.plays, target, already })
      }),
    )
    const plays = found.plays.map(plannedPlay)
    return { ok: results.every(({ ok }) => ok), dry_run: true, ...timesOf(order, found), plays, results }
  }

  async function carryOut(order: Order, { id, isResumed, atMs }: Begun): Promise<WatchedAnswer> {
    library()
    const known = await targets()
    const chosen = order.targets.map((name) => [name, findTarget(known, name)] as const)
    const resolved = await resolver.resolve(order.item)
    const knownEpisodes = () => knownEpisodesOf(resolved.item)
    const found = await playsOf(order, resolved, { resolver, knownEpisodes }, atMs)
    const results = await Promise.all(
      chosen.map(([name, target]) =>
        typeof target === 'string'
          ? refused(name, order.actions, target)
          : run({ requestId: id, isResumed, order, item: resolved.item, plays: found.plays, target }),
      ),
    )
    return { ok: results.every(({ ok }) => ok), ...timesOf(order, found), results }
  }

  return {
    targets: async (): Promise<readonly Target[]> => (await targets()).filter(({ configured }) => configured),
    persons,
    async watched({ idempotency_key: key, dry_run: isDry, ...body }: Body): Promise<WatchedAnswer> {
      // An impossible request is rejected before its idempotency key is used.
      const order = readOrder(body, now())
      if (isDry === true) return dryRun(order)
      assertOnePerson(await persons(), [order.targets], body.across_persons)
      return once(key ?? undefined, body, (begun) => carryOut(readOrder(body, begun.atMs), begun))
    },
    match: (body: MatchBody): Promise<MatchAnswer> => match(readMatch(body)),
    follow: follow.follow,
  }
}

function timesOf({ when, item }: Order, { plays, from }: Plays): Omit<WatchedAnswer, 'ok' | 'results'> {
  const [first] = plays
  const isOne = item.type === 'movie' || item.type === 'episode'
  const shared = first !== undefined && (isOne || when !== 'release') ? first.when : undefined
  return {
    watched_at: shared === undefined ? null : formatInstant(shared.atMs),
    watched_on: shared?.date ?? null,
    ...(from === undefined ? {} : { episodes: plays.length, episodes_from: from }),
  }
}
