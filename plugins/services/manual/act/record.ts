// Records a change: no run adds the play again, and the activity log and the event archive show it. Repeating it has no further
// effect, except in the archive.
import {
  type ActionReport,
  ACTIVITY,
  type ActivityEntry,
  defined,
  LIBRARY,
  type PluginContext,
  type RecordedPlay,
  yieldToLoop,
} from '@playhead/sdk'
import { formatInstant, formatKey, keyOf, kindOf } from '@playhead/sdk/items'
import { itemToWrite } from '@playhead/sdk/sync'
import type { PlanDoc, PlanEntry, StoredPlan } from '../store/store.ts'

type Context = Pick<PluginContext, 'tryUse' | 'events'>
type Play = PlanEntry & { readonly atMs: number }

const BATCH = 250
const HALF_DAY_MS = 12 * 3_600_000

export async function recordPlan(ctx: Context, { planId, doc }: StoredPlan, { outcomes }: ActionReport): Promise<void> {
  const applied = new Set(outcomes.filter(({ status }) => status === 'done').map(({ key }) => key))
  const done = doc.entries.filter(({ key }) => applied.has(key))
  if (done.length === 0) return
  const plays = done.filter((entry): entry is Play => entry.atMs !== null)
  for (let start = 0; start < plays.length; start += BATCH) {
    const batch = plays.slice(start, start + BATCH)
    await ctx.tryUse(LIBRARY)?.recordPlays(batch.map((play) => recordedPlay(doc, play)))
    await ctx.tryUse(ACTIVITY)?.record(batch.map((play) => activityOf(planId, doc, play)))
    await yieldToLoop()
  }
  const { provider, instance, action, item } = doc
  const [first] = plays
  const detail = {
    action,
    count: done.length,
    watched_at: plays.length === 1 ? formatInstant((first as Play).atMs) : null,
    watched_on: plays.every(({ date }) => date === first?.date) ? (first?.date ?? null) : null,
  }
  const key = keyOf(item)
  const about = {
    key: key.ok ? formatKey(key.value) : '',
    title: item.series_title ?? item.title ?? null,
    year: item.year ?? item.series_year ?? null,
    season: item.season ?? null,
    episode: item.episode ?? null,
    media_type: kindOf(item),
  }
  // The event archive records this event.
  ctx.events.emit('manual.changed', { provider, instance, ...about, ...detail })
}

/** A play with only a day equals any other play of that day. */
function recordedPlay({ provider, instance }: PlanDoc, { item, atMs, isDay }: Play): RecordedPlay {
  const reach = isDay ? HALF_DAY_MS : 0
  return {
    provider,
    instance,
    item: itemToWrite(item, []),
    watchedAtMs: atMs,
    startedAtMs: atMs - reach,
    endedAtMs: atMs + reach,
  }
}

function activityOf(planId: string, { requestId, provider, instance }: PlanDoc, play: Play): ActivityEntry {
  const { key, item, atMs, date } = play
  const isEpisode = item.type === 'episode'
  const work = key.replace(/@.*$/s, '')
  return {
    id: `manual|${planId}|${key}`,
    fanout_id: `manual|${requestId}|${work}`,
    kind: 'activity',
    method: 'manual',
    event: 'manual_watched',
    source: 'manual',
    target: provider,
    target_instance: instance,
    media_type: isEpisode ? 'episode' : 'movie',
    title: (isEpisode ? item.series_title : null) ?? item.title ?? null,
    year: (isEpisode ? item.series_year : item.year) ?? null,
    ...defined({ season: item.season, episode: item.episode }),
    watchedAtMs: atMs,
    ...defined({ watchedOn: date ?? undefined }),
    ids: (isEpisode ? item.show_ids : item.ids) ?? {},
  }
}
