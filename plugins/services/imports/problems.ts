// The imports' part of `GET /api/problems`: titles of files that have no match yet, as long as their import is not written.
// An ignored title is one that its import leaves out.
import {
  invalidProblem,
  type OwnDatabase,
  type Problem,
  type ProblemFilter,
  problemId,
  problemParts,
  type ProblemSelection,
  type ProblemSource,
} from '@playhead/sdk'
import { sql } from 'kysely'
import type { Parts } from './parts.ts'
import type { About, TitleAbout } from './thread/stage.ts'
import { requireIdle } from './view.ts'

const CODE = 'no_match'
/** More are left to another request. */
const MAX_SELECTED = 50_000
/** A person has neither finished the import nor undone it. */
const UNFINISHED = JSON.stringify(['previewed', 'planned', 'comparing', 'running', 'failed', 'cancelled'])
const WRITTEN = new Set(['comparing', 'running'])
/** As in the conditions of the indexes. */
const CHOICES = { open: sql`choice is null`, ignored: sql`choice = '"skip"'` } as const

interface ProblemDependencies extends Pick<Parts, 'jobs'> {
  readonly own: Pick<OwnDatabase, 'db' | 'revision'>
  readonly work: Pick<Parts['work'], 'decide'>
}

interface OpenFile {
  readonly id: string
  readonly created_at: number
  readonly about: string
  readonly state: string
  readonly count: number
}

type Titles = ReadonlyMap<string, readonly number[]>

export function createProblems({ own, work, jobs }: ProblemDependencies): ProblemSource {
  const { db } = own

  /** Imports with such titles, newest first. */
  async function files({ ignored, ...narrower }: ProblemFilter): Promise<readonly OpenFile[]> {
    // An import has no account before it is written.
    if (Object.values(narrower).some((value) => value !== undefined)) return []
    const { rows } = await sql<OpenFile>`select id, created_at, about, state,
        (select count(*) from import_title where import_id = import_file.id and ${choice(ignored)}) as count
      from import_file where state in (select value from json_each(${UNFINISHED}))
      order by created_at desc, id`.execute(db)
    return rows.filter(({ id, state, count }) => count > 0 && !(WRITTEN.has(state) && jobs.isActive(id)))
  }

  async function titlesOf(importId: string, ignored: boolean, offset: number, limit: number) {
    const { rows } = await sql<{ title: number; about: string; rows: number }>`select title, about, rows
      from import_title where import_id = ${importId} and ${choice(ignored)}
      order by rows desc, title limit ${limit} offset ${offset}`.execute(db)
    return rows
  }

  async function list(code: string, filter: ProblemFilter, { offset, limit }: Parameters<ProblemSource['list']>[2]) {
    const found: { readonly file: OpenFile; readonly title: Awaited<ReturnType<typeof titlesOf>>[number] }[] = []
    let before = 0
    for (const file of code === CODE ? await files(filter) : []) {
      const from = Math.max(0, offset - before)
      before += file.count
      if (from >= file.count || found.length >= limit) continue
      const titles = await titlesOf(file.id, filter.ignored, from, limit - found.length)
      found.push(...titles.map((title) => ({ file, title })))
    }
    return found
  }

  async function selected(selection: ProblemSelection): Promise<Titles> {
    if ('ids' in selection) return byImport(selection.ids.map(readId))
    const found = await list(selection.code, selection.filter, { offset: 0, limit: MAX_SELECTED })
    return byImport(found.map(({ file, title }) => [file.id, title.title]))
  }

  /** Those of the titles that are open, or ignored. */
  async function among(all: Titles, ignored: boolean): Promise<Titles> {
    const found: [string, number][] = []
    for (const [id, titles] of all) {
      const { rows } = await sql<{ title: number }>`select title from import_title where import_id = ${id}
        and ${choice(ignored)} and title in (select value from json_each(${JSON.stringify(titles)}))`.execute(db)
      found.push(...rows.map(({ title }): [string, number] => [id, title]))
    }
    return byImport(found)
  }

  async function decide(all: Titles, decided: 'skip' | null): Promise<number> {
    for (const id of all.keys()) requireIdle({ jobs }, id)
    for (const [id, titles] of all)
      await work.decide(
        id,
        titles.map((title) => ({ title, choice: decided })),
      )
    return [...all.values()].reduce((sum, titles) => sum + titles.length, 0)
  }

  return {
    async revision() {
      return own.revision()
    },
    async causes(filter) {
      const found = await files(filter)
      if (found.length === 0) return []
      const rows = found.reduce((sum, { count }) => sum + count, 0)
      const [only] = rows === 1 ? await list(CODE, filter, { offset: 0, limit: 1 }) : []
      return [
        {
          code: CODE,
          severity: 'warning',
          title: 'Titles of an import without a match',
          text: 'The file has only their names. Match them, or ignore them to leave them out of the import.',
          ...{ rows, need_you: 0, action: 'match', can_ignore: true, can_retry: false },
          ...(only === undefined ? {} : { only: problemOf(only.file, only.title) }),
        },
      ]
    },
    async list(code, filter, page) {
      return (await list(code, filter, page)).map(({ file, title }) => problemOf(file, title))
    },
    async ignore(selection) {
      const chosen = await among(await selected(selection), false)
      return { count: await decide(chosen, 'skip'), undo: JSON.stringify([...chosen]) }
    },
    async restore(which) {
      const all = 'ids' in which ? byImport(which.ids.map(readId)) : readUndo(which.undo)
      return decide(await among(all, true), null)
    },
    // Another try finds the same suggestions.
    retry: () => Promise.reject(invalidProblem()),
  }
}

function choice(ignored: boolean) {
  return CHOICES[ignored ? 'ignored' : 'open']
}

function problemOf(
  { id, about, created_at: atMs }: OpenFile,
  { title, about: of, rows }: { readonly title: number; readonly about: string; readonly rows: number },
): Problem {
  const { name } = JSON.parse(about) as About
  const { title: shown, type, year } = JSON.parse(of) as TitleAbout
  // The search of the page takes a part of a longer name.
  const search = new URLSearchParams({ text: shown.slice(0, 150).trim() }).toString()
  return {
    id: problemId([id, String(title)]),
    title: shown,
    text: rows === 1 ? `1 row of ${name} has no match.` : `${rows} rows of ${name} have no match.`,
    need_you: 0,
    ...(type === 'unknown' ? {} : { type }),
    ...(year === null ? {} : { year }),
    accounts: [],
    since: Math.floor(atMs / 1_000),
    actions: [{ kind: 'match', label: 'Match', path: `/import/${encodeURIComponent(id)}?${search}` }],
  }
}

function byImport(all: readonly (readonly [importId: string, title: number])[]): Titles {
  const found = new Map<string, number[]>()
  for (const [id, title] of all) found.getOrInsertComputed(id, () => []).push(title)
  return found
}

function readId(id: string): readonly [importId: string, title: number] {
  const [importId = '', title = ''] = problemParts(id, 2)
  if (importId === '' || !/^\d{1,9}$/.test(title)) throw invalidProblem()
  return [importId, Number(title)]
}

function readUndo(undo: string): Titles {
  try {
    const all = JSON.parse(undo) as unknown
    if (Array.isArray(all) && all.every(isOfImport)) return new Map(all)
  } catch {
    // Not JSON.
  }
  throw invalidProblem()
}

function isOfImport(value: unknown): value is [string, number[]] {
  if (!Array.isArray(value) || value.length !== 2) return false
  const [id, titles] = value as [unknown, unknown]
  return typeof id === 'string' && Array.isArray(titles) && titles.every(Number.isSafeInteger)
}
