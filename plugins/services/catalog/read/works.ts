// The capability `catalog`: works by their titles, the episodes of a show, and the number of plays.
import type { Catalog, CatalogWork } from '@playhead/sdk'
import { contradicts, type Ids, looseTitle, tokensOf } from '@playhead/sdk/items'
import { sql } from 'kysely'
import type { Parts } from '../parts.ts'
import { zoneOf } from './zone.ts'

interface WorkRow {
  readonly type: 'movie' | 'show'
  readonly title: string
  readonly year: number | null
  readonly ids: string
}

const MAX_TITLES = 500
const COLUMNS = sql`t.kind as type, t.name as title, t.year, t.ids`

export function createWorks({ keeper, reader, numbers, statistics, now }: Parts): Catalog {
  return {
    async search({ title, type = null, year = null, limit }) {
      await keeper.state(false)
      const { rows: read } = await sql<object>`select 1 from source where feature <> 'activity' limit 1`.execute(reader)
      if (read.length === 0) return undefined
      const wanted = looseTitle(title)
      if (wanted === '') return []
      const { rows } = await sql<WorkRow>`select ${COLUMNS}, min(case instr(w.loose, ${wanted})
          when 1 then w.loose <> ${wanted} else 2 end) as rank, min(w.loose) as loose
        from work w join title t on t.id = w.title_id
        where instr(w.loose, ${wanted}) > 0 and t.ids <> '{}' and t.kind = coalesce(${type}, t.kind)
          and (t.year is null or t.year = coalesce(${year}, t.year))
        group by t.id order by rank, coalesce(t.year, 0) desc, loose limit ${limit}`.execute(reader)
      return rows.map(toWork)
    },

    async byTitle(titles) {
      await keeper.state(false)
      const wanted = titles.slice(0, MAX_TITLES).map(looseTitle)
      const { rows } = await sql<WorkRow & { readonly loose: string }>`select distinct w.loose, ${COLUMNS}
        from json_each(${JSON.stringify([...new Set(wanted)])}) l
        cross join work w indexed by work_loose on w.loose = l.value join title t on t.id = w.title_id
        where w.loose <> '' and t.ids <> '{}' order by t.id`.execute(reader)
      const byTitle = Map.groupBy(rows, ({ loose }) => loose)
      return wanted.map((loose) => (byTitle.get(loose) ?? []).map(toWork))
    },

    async episodes(show) {
      await keeper.state(false)
      const of = { type: 'show' as const, ids: show }
      const titles: number[] = []
      for (const token of tokensOf(of)) {
        const { rows } = await sql<{ id: number; ids: string }>`select distinct t.id, t.ids from token k
          join work w on w.id = k.work join title t on t.id = w.title_id where k.token = ${token}`.execute(reader)
        titles.push(
          ...rows.flatMap(({ id, ids }) => (contradicts(of, { ...of, ids: JSON.parse(ids) as Ids }) ? [] : [id])),
        )
      }
      const { rows } = await sql<{ season: number; episode: number; title: string }>`select e.season, e.episode,
          coalesce(max(e.name), '') as title
        from work w indexed by work_title cross join entry e indexed by entry_work on e.work = w.id
        cross join source s on s.id = e.source
        where w.title_id in (select value from json_each(${JSON.stringify(titles)})) and e.type = 'episode'
          and e.season is not null and e.episode is not null and s.feature in ('history', 'progress', 'ratings')
        group by e.season, e.episode order by e.season, e.episode`.execute(reader)
      return rows.map((row) => ({ ...row, aired: null }))
    },

    async plays() {
      const { build } = await keeper.state(false)
      const { totals } = await statistics(build, {}, zoneOf('UTC'), now())
      const { movies, episodes, minutes, known_plays: known } = totals
      return { movies, episodes, minutes, known }
    },

    async numbers(feature) {
      const { build } = await keeper.state(true)
      return await numbers(build, feature)
    },
  }
}

function toWork({ type, title, year, ids }: WorkRow): CatalogWork {
  return { type, title, year, ids: JSON.parse(ids) as Ids }
}
