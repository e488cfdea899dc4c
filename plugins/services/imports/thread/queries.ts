// Queries about an import, for display.
import type { AccountName, CatalogWork, Tables } from '@playhead/sdk'
import { foldText } from '@playhead/sdk/items'
import { sql } from 'kysely'
import type { Choice } from './choose.ts'
import type { About, TitleAbout } from './stage.ts'

export interface ImportState {
  readonly id: string
  readonly created_at: number
  readonly changed_at: number
  readonly about: About
  readonly state: string
  readonly run: RunRecord | null
}

/** Counts of written rows, also during the write. Times are epoch milliseconds. */
export interface RunRecord {
  readonly provider: string
  readonly instance: string
  readonly dry_run: boolean
  readonly features: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly plan_ids: readonly string[]
  /** The accounts that these plans changed. */
  readonly written?: readonly AccountName[]
  readonly started_at: number
  readonly ended_at: number | null
  readonly error: string | null
  readonly message: string | null
  /** By plan: the rows that an undo left unchanged. Repeatable plans stay in `plan_ids`. */
  readonly not_undone?: readonly { readonly plan_id: string; readonly reasons: ByReason; readonly left: number }[]
}

type ByReason = Readonly<Record<string, number>>

export interface Suggestion extends CatalogWork {
  /** `library`: an account has the work. `metadata`: a search found it. */
  readonly source: 'library' | 'metadata'
}

interface RowsQuery {
  readonly feature: string | null
  readonly state: string | null
  readonly plan: string | null
  readonly title: number | null
  readonly words: readonly string[]
  readonly offset: number
  readonly limit: number
}

export interface TitleRow {
  readonly title: number
  readonly about: TitleAbout
  readonly rows: number
  readonly suggestions: readonly Suggestion[] | null
  readonly choice: Choice | 'skip' | null
}

/** The file is being read. */
const READING = 'reading'
const DAY_MS = 86_400_000

export function createQueries(db: Tables) {
  async function find(id: string): Promise<ImportState | null> {
    const { rows } = await sql<StoredFile>`select id, created_at, changed_at, about, state, run from import_file
      where id = ${id} and state <> ${READING}`.execute(db)
    return rows[0] === undefined ? null : stateOf(rows[0])
  }

  return {
    find,

    async list(): Promise<readonly ImportState[]> {
      const { rows } = await sql<StoredFile>`select id, created_at, changed_at, about, state, run from import_file
        where state <> ${READING} order by created_at desc, id limit 100`.execute(db)
      return rows.map(stateOf)
    },

    async setState(id: string, state: string, run: RunRecord | null, nowMs: number): Promise<void> {
      await sql`update import_file set state = ${state}, run = ${run === null ? null : JSON.stringify(run)},
        changed_at = ${nowMs} where id = ${id}`.execute(db)
    },

    /** Rows by feature, state and plan. */
    async counts(id: string) {
      const { rows } = await sql<{
        feature: string
        state: string
        plan: string | null
        reason: string | null
        outcome: string | null
        count: number
      }>`select feature, state, plan, coalesce(plan_reason, reason) as reason, outcome, count(*) as count
        from import_row where import_id = ${id} group by 1, 2, 3, 4, 5`.execute(db)
      const persons = await sql<{ person: string; count: number }>`select person, count(*) as count from import_row
        where import_id = ${id} and person is not null group by person order by person`.execute(db)
      const titles = await sql<{ total: number; open: number }>`select count(*) as total,
        coalesce(sum(choice is null), 0) as open from import_title where import_id = ${id}`.execute(db)
      return { rows: [...rows], persons: [...persons.rows], titles: titles.rows[0] ?? { total: 0, open: 0 } }
    },

    async rows(id: string, { feature, state, plan, title, words, offset, limit }: RowsQuery) {
      const parts = [sql`import_id = ${id}`]
      if (feature !== null) parts.push(sql`feature = ${feature}`)
      if (state !== null) parts.push(sql`state = ${state}`)
      if (plan !== null) parts.push(sql`plan = ${plan}`)
      if (title !== null) parts.push(sql`title = ${title}`)
      for (const word of words) parts.push(sql`instr(words, ${word}) > 0`)
      const where = sql.join(parts, sql` and `)
      const { rows: total } = await sql<{
        count: number
      }>`select count(*) as count from import_row where ${where}`.execute(db)
      const { rows } = await sql<{
        n: number
        feature: string
        title: number | null
        person: string | null
        key: string
        item: string
        state: string
        reason: string | null
        file: string
        plan: string | null
        plan_reason: string | null
        outcome: string | null
        outcome_reason: string | null
      }>`select n, feature, title, person, key, coalesce(chosen, item) as item, state, reason, file, plan, plan_reason,
        outcome, outcome_reason from import_row where ${where} order by n limit ${limit} offset ${offset}`.execute(db)
      return {
        total: total[0]?.count ?? 0,
        rows: rows.map(({ item, ...row }) => ({ ...row, item: JSON.parse(item) as Record<string, unknown> })),
      }
    },

    async titles(
      id: string,
      { open, words, offset, limit }: { open: boolean; words: readonly string[]; offset: number; limit: number },
    ) {
      // Titles with the most rows first, because one choice settles all of them.
      const order = sql`order by rows desc, title`
      const { rows: all } = await sql<Pick<StoredTitle, 'title' | 'about'>>`select title, about from import_title
        where import_id = ${id} and (${open ? 0 : 1} or choice is null) ${order}`.execute(db)
      // The SQL function `upper` only covers Latin letters.
      const found = all.filter(({ about }) => {
        if (words.length === 0) return true
        const { title, year } = JSON.parse(about) as TitleAbout
        const text = foldText(`${title} ${year ?? ''}`)
        return words.every((word) => text.includes(word))
      })
      const page = JSON.stringify(found.slice(offset, offset + limit).map(({ title }) => title))
      // Only with suggestions, which are much longer.
      const { rows } = await sql<StoredTitle>`select title, about, rows, suggestions, choice from import_title
        where import_id = ${id} and title in (select value from json_each(${page})) ${order}`.execute(db)
      return { total: found.length, titles: rows.map(titleOf) }
    },

    async titlesByNumber(id: string, numbers: readonly number[]): Promise<readonly TitleRow[]> {
      const { rows } = await sql<StoredTitle>`select title, about, rows, suggestions, choice from import_title
        where import_id = ${id} and title in (select value from json_each(${JSON.stringify(numbers)}))`.execute(db)
      return rows.map(titleOf)
    },

    /** Whether rows of a title have unnumbered episodes, and in which seasons. */
    async namesEpisodes(id: string, title: number): Promise<boolean> {
      const { rows } = await sql<{ found: number }>`select 1 as found from import_row where import_id = ${id}
        and title = ${title} and (item ->> '$.type' = 'episode' and item ->> '$.episode' is null
          or feature = 'history' and item ->> '$.type' = 'movie') limit 1`.execute(db)
      return rows.length > 0
    },

    async setSuggestions(id: string, title: number, suggestions: readonly Suggestion[]): Promise<void> {
      await sql`update import_title set suggestions = ${JSON.stringify(suggestions)}
        where import_id = ${id} and title = ${title}`.execute(db)
    },

    async remove(id: string): Promise<void> {
      for (const table of ['import_row', 'import_title'])
        await sql`delete from ${sql.table(table)} where import_id = ${id}`.execute(db)
      await sql`delete from import_file where id = ${id}`.execute(db)
    },

    /** Makes the stored rows an import. Others cannot see it before it was read completely. */
    async begin(id: string, nowMs: number): Promise<void> {
      await sql`insert into import_file (id, created_at, changed_at, about, state)
        values (${id}, ${nowMs}, ${nowMs}, '{}', ${READING})`.execute(db)
    },

    async wasRead(id: string, about: About): Promise<void> {
      await sql`update import_file set about = ${JSON.stringify(about)}, state = 'previewed' where id = ${id}`.execute(
        db,
      )
    },

    /** Includes imports whose read did not finish, a day later. */
    async olderThan(beforeMs: number, nowMs: number): Promise<readonly string[]> {
      const { rows } = await sql<{ id: string }>`select id from import_file where changed_at < ${beforeMs}
        or (state = ${READING} and changed_at < ${nowMs - DAY_MS})`.execute(db)
      return rows.map(({ id }) => id)
    },
  }
}

interface StoredFile {
  readonly id: string
  readonly created_at: number
  readonly changed_at: number
  readonly about: string
  readonly state: string
  readonly run: string | null
}

interface StoredTitle {
  readonly title: number
  readonly about: string
  readonly rows: number
  readonly suggestions: string | null
  readonly choice: string | null
}

function stateOf({ about, run, ...row }: StoredFile): ImportState {
  return { ...row, about: JSON.parse(about) as About, run: run === null ? null : (JSON.parse(run) as RunRecord) }
}

function titleOf({ about, suggestions, choice, ...row }: StoredTitle): TitleRow {
  return {
    ...row,
    about: JSON.parse(about) as TitleAbout,
    suggestions: suggestions === null ? null : (JSON.parse(suggestions) as readonly Suggestion[]),
    choice: choice === null ? null : (JSON.parse(choice) as Choice | 'skip'),
  }
}
