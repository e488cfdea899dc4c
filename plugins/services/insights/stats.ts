// Routes of the watchlist statistics and of all stored statistics.
import { type PluginApp, yieldToLoop, skipSerializer } from '@playhead/sdk'
import { Readable } from 'node:stream'
import { httpOf } from './http.ts'
import type { Parts } from './parts.ts'
import { RawStats, Stats } from './answers.ts'
import { COUNTED, unreadableOf } from './numbers.ts'
import { LIMITS, sumOf } from './statistics.ts'

const DAY_SECONDS = 86_400

export function registerStatisticsRoutes(app: PluginApp, parts: Parts): void {
  const { numbers, statistics, now } = parts

  const schema = { summary: 'Statistics of the watchlist', response: { 200: Stats } }
  app.get('/api/stats', { ...skipSerializer, schema }, async () => {
    const at = Math.floor(now() / 1_000)
    const window = { week_start: at - 7 * DAY_SECONDS, month_start: at - 30 * DAY_SECONDS }
    const [view, week, month, counters, totals] = await Promise.all([
      numbers('watchlist'),
      statistics.sampleAt('watchlist', window.week_start),
      statistics.sampleAt('watchlist', window.month_start),
      statistics.counters(),
      statistics.totals(),
    ])
    const [newest] = totals
    const last = totals.find((one) => one.run_id === newest?.run_id && one.feature === 'watchlist')
    const bySource = Object.entries(view.providers).flatMap(([provider, total]) => {
      const name = provider.toLowerCase()
      return [
        [name, view.only[provider] ?? 0],
        [`${name}_total`, total],
      ]
    })
    return {
      ok: true,
      generated_at: new Date(now()).toISOString(),
      now: view.now,
      week: week ?? view.now,
      month: month ?? view.now,
      added: counters['watchlist']?.added ?? 0,
      removed: counters['watchlist']?.removed ?? 0,
      new: last?.added ?? 0,
      del: last?.removed ?? 0,
      unreadable: unreadableOf(view),
      by_source: { ...Object.fromEntries(bySource), both: view.both },
      window,
    }
  })

  const raw = { summary: 'All stored statistics', response: { 200: RawStats } }
  app.get('/api/stats/raw', { ...skipSerializer, schema: raw }, async (_request, reply) => {
    // Errors must occur before the first chunk is sent.
    const [head, events] = await Promise.all([
      headOf(parts),
      statistics.events(LIMITS.events),
      parts.watchlist()?.revision({ signedOut: true }),
    ])
    const pieces = writeRaw(parts, head, events)
    return reply.type('application/json; charset=utf-8').send(Readable.from(pieces, { objectMode: false }))
  })
}

async function headOf({ ctx, numbers, statistics, now }: Parts): Promise<object> {
  const [samples, counters, totals, runs] = await Promise.all([
    statistics.samples('watchlist', LIMITS.samples),
    statistics.counters(),
    statistics.totals(),
    statistics.runs(),
  ])
  const current: Record<string, number> = {}
  for (const feature of COUNTED) current[feature] = (await numbers(feature)).now
  const { added, removed } = sumOf(counters)
  const [last] = runs
  const own = totals.filter(({ run_id: id }) => id === last?.run_id)
  const ran = sumOf(Object.fromEntries(own.map((one) => [one.feature, one])))
  return {
    samples,
    current_by_feature: current,
    counters: { added, removed },
    last_run: { ...ran, ts: own[0]?.ts ?? null },
    http: httpOf(ctx.host),
    feature_totals: totals,
    ingested_runs: runs.slice(0, LIMITS.runs).map(({ run_id: id }) => id),
    generated_at: new Date(now()).toISOString(),
  }
}

/** Streamed, because the full list may be long. */
async function* writeRaw({ watchlist }: Parts, head: object, events: readonly object[]): AsyncGenerator<string> {
  yield '{"events":['
  for (let start = 0; start < events.length; start += 500) {
    yield (start === 0 ? '' : ',') +
      events
        .slice(start, start + 500)
        .map((event) => JSON.stringify(event))
        .join(',')
    await yieldToLoop()
  }
  yield '],"current":{'
  let separator = ''
  const used = new Set<string>()
  for await (const page of watchlist()?.rows({ signedOut: true }) ?? []) {
    // Conflicting rows may share a key.
    const rows = page.filter(({ key }) => !used.has(key) && used.add(key))
    if (rows.length === 0) continue
    yield separator +
      rows
        .map(
          ({ key, sources, title, type }) =>
            `${JSON.stringify(key)}:${JSON.stringify({ src: sources.length === 1 ? sources[0] : 'both', title, type, providers: sources })}`,
        )
        .join(',')
    separator = ','
  }
  yield `},${JSON.stringify(head).slice(1)}`
}
