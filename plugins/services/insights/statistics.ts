// Statistics over time, collected from runs. Each run is counted once.
import {
  type AppliedOperation,
  yieldToLoop,
  type Feature,
  FEATURES,
  insertRows,
  type Remote,
  type RunSummary,
  type SyncService,
  type Tables,
} from '@playhead/sdk'
import { parseTime } from '@playhead/sdk/items'
import { sql } from 'kysely'
import { shownOf, titlesOf } from './display.ts'
import { COUNTED, type Numbers } from './numbers.ts'
import { COUNTERS, EVENTS, RUNS, SAMPLES, TOTALS } from './tables.ts'

export const LIMITS = { events: 5_000, samples: 4_000, totals: 400, runs: 50 } as const

export interface Counts {
  readonly added: number
  readonly removed: number
  readonly updated: number
}

export interface Sample {
  /** Epoch seconds. */
  readonly ts: number
  readonly count: number
}

interface Totals extends Counts {
  readonly run_id: string
  readonly feature: string
  readonly ts: number
}

type StatisticsEvent = Readonly<Record<string, unknown>> & { readonly ts: number }

export interface Statistics {
  /** Idempotent per run. */
  take(run: RunSummary, sync: Pick<Remote<SyncService>, 'applied' | 'reports'>, signal: AbortSignal): Promise<void>
  /** Samples the current rows of the accounts. */
  sampleNow(signal?: AbortSignal): Promise<void>
  /** Oldest first. */
  samples(feature: Feature, limit: number): Promise<readonly Sample[]>
  /** The last sample at or before the time, else the first. */
  sampleAt(feature: Feature, ts: number): Promise<number | undefined>
  /** Totals of all runs. */
  counters(): Promise<Readonly<Record<string, Counts>>>
  /** Newest first. */
  totals(): Promise<readonly Totals[]>
  events(limit: number): Promise<readonly StatisticsEvent[]>
  /** Newest first, with watchlist rows per provider after the run, where they were counted. */
  runs(): Promise<readonly { readonly run_id: string; readonly posts: Readonly<Record<string, number>> }[]>
}

interface FeatureResults {
  readonly [feature: string]: Counts | undefined
}

const NONE: Counts = { added: 0, removed: 0, updated: 0 }

export function createStatistics(db: Tables, numbers: Numbers, now: () => number): Statistics {
  async function takeEvents(
    run: RunSummary,
    sync: Pick<Remote<SyncService>, 'applied'>,
    count: number,
    signal: AbortSignal,
  ): Promise<void> {
    // Skip events that retention would delete at once.
    let skipped = count - LIMITS.events
    for await (const page of sync.applied(run.run_id)) {
      signal.throwIfAborted()
      const kept = page.slice(Math.min(Math.max(skipped, 0), page.length))
      skipped -= page.length
      await insertRows(db, EVENTS, kept.map(toStored), sql`on conflict (name) do nothing`)
      await yieldToLoop()
    }
    await keepNewest(EVENTS, LIMITS.events, ['ts', 'id'])
  }

  /** Only the features of the run: the others have not changed. */
  async function takeSamples(features: readonly Feature[], ts: number, signal: AbortSignal): Promise<void> {
    for (const feature of COUNTED) {
      if (!features.includes(feature)) continue
      const { now: count } = await numbers(feature, signal)
      await db
        .insertInto(SAMPLES)
        .values({ feature, ts, count })
        .onConflict((conflict) => conflict.columns(['feature', 'ts']).doUpdateSet({ count }))
        .execute()
      const oldest = await db
        .selectFrom(SAMPLES)
        .select('ts')
        .where('feature', '=', feature)
        .orderBy('ts', 'desc')
        .limit(1)
        .offset(LIMITS.samples)
        .executeTakeFirst()
      if (oldest !== undefined)
        await db.deleteFrom(SAMPLES).where('feature', '=', feature).where('ts', '<=', Number(oldest['ts'])).execute()
    }
  }

  async function keepNewest(table: string, most: number, order: readonly ['ts', 'id' | 'run_id']): Promise<void> {
    const [, name] = order
    const last = await db
      .selectFrom(table)
      .select([...order])
      .orderBy('ts', 'desc')
      .orderBy(name, 'desc')
      .limit(1)
      .offset(most)
      .executeTakeFirst()
    if (last === undefined) return
    await db
      .deleteFrom(table)
      .where((eb) =>
        eb.or([eb('ts', '<', last['ts']), eb.and([eb('ts', '=', last['ts']), eb(name, '<=', last[name])])]),
      )
      .execute()
  }

  return {
    sampleNow: (signal = new AbortController().signal) => takeSamples(COUNTED, Math.floor(now() / 1_000), signal),
    async take(run, sync, signal) {
      const results = (run['features'] ?? {}) as FeatureResults
      const ran = FEATURES.flatMap((feature) =>
        results[feature] === undefined ? [] : [{ feature, ...countsOf(results[feature]) }],
      )
      const count = ran.reduce((sum, { added, removed, updated }) => sum + added + removed + updated, 0)
      const ts = Math.floor((parseTime(run['finished_at'])?.atMs ?? now()) / 1_000)
      if (count > 0) await takeEvents(run, sync, count, signal)
      // The current number of rows only applies to the latest run.
      const [last] = await sync.reports(1)
      const isLast = last?.run_id === run.run_id
      if (isLast)
        await takeSamples(
          ran.map(({ feature }) => feature),
          ts,
          signal,
        )
      const posts = isLast ? (await numbers('watchlist', signal)).providers : {}
      await db.transaction().execute(async (trx) => {
        const taken = await trx
          .insertInto(RUNS)
          .values({ run_id: run.run_id, ts, posts: JSON.stringify(posts) })
          .onConflict((conflict) => conflict.column('run_id').doNothing())
          .executeTakeFirst()
        if (Number(taken.numInsertedOrUpdatedRows ?? 0) === 0) return
        for (const { feature, added, removed, updated } of ran) {
          await trx.insertInto(TOTALS).values({ run_id: run.run_id, feature, ts, added, removed, updated }).execute()
          await trx
            .insertInto(COUNTERS)
            .values({ feature, added, removed, updated })
            .onConflict((conflict) =>
              conflict
                .column('feature')
                .doUpdateSet((eb) => ({
                  added: eb('insights__counter.added', '+', added),
                  removed: eb('insights__counter.removed', '+', removed),
                  updated: eb('insights__counter.updated', '+', updated),
                })),
            )
            .execute()
        }
      })
      await keepNewest(TOTALS, LIMITS.totals, ['ts', 'run_id'])
      await keepNewest(RUNS, LIMITS.totals, ['ts', 'run_id'])
    },

    async samples(feature, limit) {
      const rows = await db
        .selectFrom(SAMPLES)
        .select(['ts', 'count'])
        .where('feature', '=', feature)
        .orderBy('ts', 'desc')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ ts: Number(row['ts']), count: Number(row['count']) })).reverse()
    },
    async sampleAt(feature, ts) {
      const of = () => db.selectFrom(SAMPLES).select('count').where('feature', '=', feature)
      const row =
        (await of().where('ts', '<=', ts).orderBy('ts', 'desc').limit(1).executeTakeFirst()) ??
        (await of().orderBy('ts').limit(1).executeTakeFirst())
      return row === undefined ? undefined : Number(row['count'])
    },
    async counters() {
      const rows = await db.selectFrom(COUNTERS).selectAll().execute()
      return Object.fromEntries(rows.map((row) => [String(row['feature']), countsOf(row as unknown as Counts)]))
    },
    async totals() {
      const rows = await db
        .selectFrom(TOTALS)
        .selectAll()
        .orderBy('ts', 'desc')
        .orderBy('run_id', 'desc')
        .limit(LIMITS.totals)
        .execute()
      return rows.map((row) => ({
        run_id: String(row['run_id']),
        feature: String(row['feature']),
        ts: Number(row['ts']),
        ...countsOf(row as unknown as Counts),
      }))
    },
    async events(limit) {
      const rows = await db
        .selectFrom(EVENTS)
        .select('event')
        .orderBy('ts', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map((row) => JSON.parse(String(row['event'])) as StatisticsEvent)
    },
    async runs() {
      const rows = await db
        .selectFrom(RUNS)
        .selectAll()
        .orderBy('ts', 'desc')
        .orderBy('run_id', 'desc')
        .limit(LIMITS.totals)
        .execute()
      return rows.map((row) => ({
        run_id: String(row['run_id']),
        posts: JSON.parse(String(row['posts'])) as Record<string, number>,
      }))
    },
  }
}

export function sumOf(counters: Readonly<Record<string, Counts>>): Counts {
  return Object.values(counters).reduce(
    (sum, one) => ({
      added: sum.added + one.added,
      removed: sum.removed + one.removed,
      updated: sum.updated + one.updated,
    }),
    NONE,
  )
}

function countsOf(row: Partial<Counts>): Counts {
  return { added: Number(row.added ?? 0), removed: Number(row.removed ?? 0), updated: Number(row.updated ?? 0) }
}

function toStored({ run_id, pair_id, feature, op, key, item, target, source, atMs }: AppliedOperation) {
  const { title, year, type } = shownOf(item)
  const ts = Math.floor(atMs / 1_000)
  const event = {
    ts,
    action: op,
    feature,
    key,
    title,
    year,
    type,
    ...titlesOf(item),
    source: target.provider.toLowerCase(),
    source_instance: target.instance,
    origin: source.provider.toLowerCase(),
    origin_instance: source.instance,
    run_id,
    pair_id,
  }
  return {
    name: [run_id, pair_id, feature, op, target.provider, target.instance, key].join('|'),
    ts,
    event: JSON.stringify(event),
  }
}
