import type { OwnDatabase, PluginContext, Tables } from '@playhead/sdk'
import { sql } from 'kysely'
import type { IndexWork } from './index-thread/thread.ts'
import { createKeeper, type Keeper } from './keeper.ts'
import { accountsOf } from './read/accounts.ts'
import { type StatisticsQuery, statisticsOf } from './read/statistics.ts'
import type { Zone } from './read/zone.ts'

export interface Parts {
  readonly ctx: Pick<PluginContext, 'tryUse' | 'log'>
  readonly keeper: Keeper
  readonly reader: Tables
  /** The revision of the index's file. */
  revision(): string
  now(): number
  /** Titles by account; cached until the index changes. */
  counts(
    build: number,
  ): Promise<readonly { readonly provider: string; readonly instance: string; readonly titles: number }[]>
  /** Cached until the index or the day changes. */
  statistics(
    build: number,
    query: StatisticsQuery,
    zone: Zone,
    nowMs: number,
  ): Promise<Awaited<ReturnType<typeof statisticsOf>>>
}

const MAX_CACHED = 32

export function createParts(ctx: PluginContext, database: OwnDatabase, now: () => number = Date.now): Parts {
  const { reader, revision } = database
  const { work } = ctx.startThread<IndexWork>('index-thread/thread.ts')
  return {
    ctx,
    reader,
    revision,
    now,
    keeper: createKeeper({ ctx, log: ctx.log, reader, revision, work }),
    counts: cached(
      (build: number) => String(build),
      () => countTitles(reader),
    ),
    statistics: cached(
      (build, query, zone, nowMs) => JSON.stringify([build, query, zone.name, zone.today(nowMs)]),
      async (_build: number, query: StatisticsQuery, zone: Zone, nowMs: number) =>
        // On the other connection, so that a pass over all plays does not block the lists.
        statisticsOf(database.db, await accountsOf(reader), query, zone, nowMs),
    ),
  }
}

async function countTitles(reader: Tables) {
  const { rows } = await sql<{ provider: string; instance: string; titles: number }>`select a.provider, a.instance,
      count(distinct h.title) as titles
    from account a join title_account h on h.account = a.id group by a.id order by a.provider, a.instance`.execute(
    reader,
  )
  return rows
}

function cached<Args extends readonly unknown[], Value>(
  keyOf: (...args: Args) => string,
  make: (...args: Args) => Promise<Value>,
): (...args: Args) => Promise<Value> {
  const kept = new Map<string, Promise<Value>>()
  return (...args) => {
    const key = keyOf(...args)
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = make(...args)
    kept.set(key, made)
    made.catch(() => kept.delete(key))
    if (kept.size > MAX_CACHED) kept.delete(kept.keys().next().value as string)
    return made
  }
}
