// Positions in the list of titles where the letter, year, month or rating changes, as jump targets.
import type { Tables } from '@playhead/sdk'
import { type RawBuilder, sql } from 'kysely'
import type { IndexAccount } from './accounts.ts'
import { isUpwards, type TitlesQuery, whereOf } from './titles.ts'

interface Section {
  /** A letter, or `#` for other characters; `1995`; `2026-07`; a rating. Null for titles without a value. */
  readonly label: string | null
  readonly offset: number
}

const LABELS: Readonly<Record<TitlesQuery['sort'], RawBuilder<unknown>>> = {
  title: sql`substr(sort, 1, 1)`,
  year: sql`year`,
  last_watched: sql`strftime('%Y-%m', last_watched / 1000, 'unixepoch')`,
  added: sql`strftime('%Y-%m', added / 1000, 'unixepoch')`,
  rating: sql`rating`,
}
/** Sorts after all titles. */
const NO_TITLE = '\uffff'

export async function sectionsOf(
  reader: Tables,
  accounts: ReadonlyMap<number, IndexAccount>,
  query: TitlesQuery,
): Promise<readonly Section[]> {
  const { rows } = await sql<{ label: string | number | null; n: number }>`
    select label, count(*) as n from (select ${LABELS[query.sort]} as label from title where ${whereOf(accounts, query)})
    group by label order by label is null, label ${isUpwards(query) ? sql`asc` : sql`desc`}`.execute(reader)
  const sections: Section[] = []
  let offset = 0
  for (const { label, n } of rows) {
    const name = query.sort === 'title' ? letterOf(String(label)) : label === null ? null : String(label)
    if (sections.length === 0 || sections.at(-1)?.label !== name) sections.push({ label: name, offset })
    offset += n
  }
  return sections
}

function letterOf(sign: string): string | null {
  if (sign === NO_TITLE) return null
  return /\p{L}/u.test(sign) ? sign.toUpperCase() : '#'
}
