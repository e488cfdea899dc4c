import {
  type CountedFeature,
  createShared,
  type FeatureNumbers,
  type OwnDatabase,
  type PluginContext,
  type Tables,
} from '@playhead/sdk'
import { sql } from 'kysely'
import { CATALOG_FEATURES } from './index-thread/load.ts'
import type { IndexWork } from './index-thread/thread.ts'
import { createKeeper, type Keeper } from './keeper.ts'
import { accountsOf } from './read/accounts.ts'
import { numbersOf } from './read/numbers.ts'
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
  /** Cached until the index changes. */
  numbers(build: number, feature: CountedFeature): Promise<FeatureNumbers>
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
  const counts = createShared<Awaited<ReturnType<typeof countTitles>>>(1)
  const numbers = createShared<FeatureNumbers>(CATALOG_FEATURES.length)
  const statistics = createShared<Awaited<ReturnType<typeof statisticsOf>>>(MAX_CACHED)
  const { work } = ctx.startThread<IndexWork>('index-thread/thread.ts')
  return {
    ctx,
    reader,
    revision,
    now,
    keeper: createKeeper({ ctx, log: ctx.log, reader, revision, work }),
    async counts(build) {
      return (await counts.take('', String(build), () => countTitles(reader))).value
    },
    async numbers(build, feature) {
      const make = async () => numbersOf(ctx, database.db, await accountsOf(reader), feature)
      return (await numbers.take(feature, String(build), make)).value
    },
    async statistics(build, query, zone, nowMs) {
      const name = JSON.stringify([query, zone.name, zone.today(nowMs)])
      // On the other connection, so that a pass over all plays does not block the lists.
      const make = async () => statisticsOf(database.db, await accountsOf(reader), query, zone, nowMs)
      return (await statistics.take(name, String(build), make)).value
    },
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
