// Publishes reports and finished deliveries to the bus, the event archive and the activity log.
import { ACTIVITY, defined, EVENT_ARCHIVE, type EventRecord, PLAY_COMPLETED, type PluginContext } from '@playhead/sdk'
import { formatKey, type Item, keyOf, kindOf } from '@playhead/sdk/items'
import type { LaneDecision } from '../decide/decisions.ts'
import type { Delivery } from '../store/delivery.ts'

type Context = Pick<PluginContext, 'events' | 'tryUse' | 'log'>
type Announcing = Pick<PluginContext, 'events' | 'callHook'>

/** The events `playback.start`, `playback.pause` and `playback.stop` trigger scheduled syncs and are shown by clients. */
export function announce({ events, callHook }: Announcing, { lane, observation, verdict }: LaneDecision): void {
  for (const emission of [verdict?.closing, verdict?.emission]) {
    if (emission === undefined) continue
    const { item, account, session } = observation
    events.emit(`playback.${emission.action}`, {
      source: lane.method,
      route_id: lane.id,
      provider: lane.source.provider,
      provider_instance: lane.source.instance,
      event: emission.action,
      account: account.name ?? '',
      ...workOf(item),
      progress: emission.percent,
      finished: emission.action === 'stop' && emission.completed,
      session_key: session,
      session_id: session,
      ids: { ...item.ids, ...suffixed(item.show_ids) },
      ts: Math.floor(emission.atMs / 1_000),
    })
    if (emission.action !== 'stop' || !emission.completed) continue
    const { provider, instance } = lane.sink
    // Not awaited: a slow plugin must not delay reports.
    void callHook(PLAY_COMPLETED, {
      route: lane.id,
      method: lane.method,
      source: { provider: lane.source.provider, instance: lane.source.instance },
      tracker: { provider, instance },
      item,
      percent: emission.percent,
      startedAtMs: emission.startedAtMs,
      endedAtMs: emission.atMs,
    }).catch(() => {})
  }
}

/** Emitted at the beginning of a viewing, once per session and item. */
export async function recordStart(ctx: Context, decision: LaneDecision): Promise<void> {
  const { lane, observation, verdict } = decision
  if (verdict?.emission?.action !== 'start') return
  await ctx
    .tryUse(EVENT_ARCHIVE)
    ?.record([
      {
        ...recordOf(observation.item, lane.source, lane.sink, lane.method, observation.session),
        type: 'scrobble_started',
        atMs: verdict.emission.startedAtMs,
        operation: 'watch',
        detail: { progress: verdict.emission.percent, ...accountOf(observation.account) },
      },
    ])
}

/** The outcome of a delivery. Recorded again with the same ids after a crash. */
export async function recordEnd(ctx: Context, delivery: Delivery): Promise<void> {
  const { action, state, completed } = delivery
  if (state === 'failed' || (state === 'done' && (completed || action === 'rating'))) {
    await ctx.tryUse(EVENT_ARCHIVE)?.record([endRecord(delivery)])
  }
  if (state !== 'done' || !completed) return
  const { item, source, sink, method, account, percent, durationMs } = delivery
  const isEpisode = kindOf(item) === 'episode'
  const { season, episode } = item
  ctx.events.emit('play.recorded', {
    viewing: `${delivery.viewing} ${delivery.startedAtMs}`,
    title: titleOf(item),
    part: isEpisode && season !== undefined && episode !== undefined ? `season ${season}, episode ${episode}` : '',
    media_type: isEpisode ? 'episode' : 'movie',
    provider: sink.provider,
    instance: sink.instance,
    account: account.name ?? '',
  })
  await ctx
    .tryUse(ACTIVITY)
    ?.record([
      {
        id: delivery.id,
        fanout_id: `${source.provider}@${source.instance} ${delivery.viewing} ${delivery.startedAtMs}`,
        kind: 'scrobble',
        method,
        event: 'scrobble_stop',
        source: source.provider,
        source_instance: source.instance,
        target: sink.provider,
        target_instance: sink.instance,
        media_type: kindOf(item) === 'episode' ? 'episode' : 'movie',
        title: titleOf(item),
        year: (kindOf(item) === 'episode' ? item.series_year : item.year) ?? null,
        ...defined({ season: item.season, episode: item.episode }),
        progress: percent,
        ...(durationMs === null ? {} : { runtime_minutes: Math.round(durationMs / 60_000) }),
        ...defined({ account: account.name }),
        watchedAtMs: delivery.watchedAtMs ?? delivery.atMs,
        ids: (kindOf(item) === 'episode' ? item.show_ids : item.ids) ?? {},
      },
    ])
}

function endRecord(delivery: Delivery): EventRecord {
  const { action, state, item, source, sink, method, session, reason, percent, account, rating } = delivery
  const base = recordOf(item, source, sink, method, session)
  const failed = state === 'failed'
  if (action === 'rating') {
    return {
      ...base,
      type: failed ? 'rating_failed' : 'rating_applied',
      ...(failed ? { severity: 'error', reason_code: reason ?? 'failed' } : {}),
      atMs: delivery.atMs,
      operation: 'rate',
      detail: { rating, ...accountOf(account) },
    }
  }
  return {
    ...base,
    type: failed ? 'scrobble_failed' : 'scrobble_completed',
    ...(failed ? { severity: 'error', reason_code: reason ?? 'failed' } : {}),
    atMs: delivery.watchedAtMs ?? delivery.atMs,
    operation: 'watch',
    detail: { progress: percent, ...accountOf(account) },
  }
}

function recordOf(
  item: Item,
  source: Delivery['source'],
  sink: Delivery['sink'],
  method: Delivery['method'],
  session: string,
): Omit<EventRecord, 'type'> {
  const key = keyOf(item)
  return {
    domain: 'scrobble',
    feature: 'scrobble',
    source,
    destination: sink,
    source_kind: method,
    session_key: session,
    item: {
      key: key.ok ? formatKey(key.value) : '',
      title: titleOf(item),
      year: item.year ?? null,
      season: item.season ?? null,
      episode: item.episode ?? null,
      media_type: kindOf(item),
    },
  }
}

function workOf(item: Item) {
  const key = keyOf(item)
  return {
    media_type: kindOf(item) === 'episode' ? 'episode' : 'movie',
    title: titleOf(item),
    ...defined({ season: item.season, episode: item.episode }),
    ...(key.ok ? { key: formatKey(key.value) } : {}),
  }
}

function titleOf(item: Item): string {
  return (kindOf(item) === 'episode' ? item.series_title : undefined) ?? item.title ?? ''
}

function accountOf({ name }: Delivery['account']): { readonly account?: string } {
  return name === undefined ? {} : { account: name }
}

function suffixed(ids: Item['show_ids']): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(ids ?? {}).map(([scheme, id]) => [`${scheme}_show`, String(id)]))
}
