// The switch to restored data, at a start, before anything opens files.
//
// `restore/pending` is complete and verified when it appears, by one rename. From then on the new state is valid:
// files are moved step by step, each step is repeatable, and `restore/journal.json` names the current one.
// After a crash the next start continues. If the new files cannot be used, the displaced ones return.
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DATA_GROUPS, orNull, Type, type RestoreOutcome, type Static } from '@playhead/sdk'
import { Value } from '@sinclair/typebox/value'
import { replaceFile, syncFolder } from '../storage/atomic-file.ts'
import { storedFiles, type GroupOf } from './places.ts'

const oneOf = <const Names extends readonly string[]>(names: Names) =>
  Type.Union(names.map((name) => Type.Literal(name as Names[number])))
const Group = oneOf(DATA_GROUPS)

export const SwitchPlan = Type.Object({
  label: Type.String(),
  stagedAtMs: Type.Number(),
  groups: Type.Array(Group),
  /** Paths of the new files. */
  files: Type.Array(Type.String()),
  /** Groups of plugins' data at the time of staging: no plugin is known yet during the start. */
  owners: Type.Record(Type.String(), Group),
  /** The new files lack rows that no person removed. */
  lostRows: Type.Optional(Type.Boolean()),
})
export type SwitchPlan = Static<typeof SwitchPlan>

const PHASES = ['displacing', 'placing', 'placed', 'clearing', 'returning'] as const
const Journal = Type.Composite([SwitchPlan, Type.Object({ phase: oneOf(PHASES), reason: orNull(Type.String()) })])
type Journal = Static<typeof Journal>

export interface RestoreSwitch {
  /** The outcome of this start, or of the last start that had one. */
  readonly outcome: RestoreOutcome | null
  /** The outcome is of this start. */
  readonly isNew: boolean
  /** Removes the displaced files after a good start. */
  confirm(): Promise<void>
  /** The restored data cannot be used: the displaced files return at the next start. False if nothing was restored. */
  giveUp(reason: string): Promise<boolean>
}

export function restorePaths(root: string) {
  const at = (...parts: string[]) => join(root, 'restore', ...parts)
  return {
    folder: at(),
    /** Being written; removed at a start. */
    unfinished: at('unfinished'),
    pending: at('pending'),
    plan: at('pending', 'plan.json'),
    files: at('pending', 'files'),
    displaced: at('displaced'),
    journal: at('journal.json'),
    last: at('last.json'),
  } as const
}

/** The folder becomes the data of the next start once this resolves; its files are already flushed. */
export async function stageSwitch(root: string, folder: string, plan: SwitchPlan): Promise<void> {
  const paths = restorePaths(root)
  await rm(paths.unfinished, { recursive: true, force: true })
  await mkdir(paths.unfinished, { recursive: true, mode: 0o700 })
  await rename(folder, join(paths.unfinished, 'files'))
  for (const one of await foldersBelow(paths.unfinished)) await syncFolder(one)
  await replaceFile(join(paths.unfinished, 'plan.json'), `${JSON.stringify(plan)}\n`)
  await rename(paths.unfinished, paths.pending)
  await syncFolder(paths.folder)
}

async function foldersBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return [folder, ...entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))]
}

/** Completes, begins or reverts a switch. Repeatable. */
export async function switchRestored(root: string, now: () => number): Promise<RestoreSwitch> {
  const paths = restorePaths(root)
  await rm(paths.unfinished, { recursive: true, force: true })
  let journal = await readJson(paths.journal, Journal)
  if (journal === null) {
    // A confirmed start left these behind.
    await rm(paths.displaced, { recursive: true, force: true })
    const plan = await readJson(paths.plan, SwitchPlan)
    if (plan === null) return nothingTo(await readLast(paths.last))
    journal = { ...plan, phase: 'displacing', reason: null }
    await enter(journal)
  }
  const groupOf: GroupOf = (plugin) => (journal as Journal).owners[plugin] ?? 'state'

  try {
    if (journal.phase === 'displacing') {
      await displace(journal)
      journal = await enter({ ...journal, phase: 'placing' })
    }
    if (journal.phase === 'placing') {
      await place(journal)
      journal = await enter({ ...journal, phase: 'placed' })
    }
  } catch (error) {
    const reason = `The restored files could not be put in place: ${(error as Error).message}`
    return nothingTo(await takeBack(journal, reason), true)
  }
  if (journal.phase === 'clearing' || journal.phase === 'returning')
    return nothingTo(await takeBack(journal, journal.reason ?? ''), true)

  const placed = journal
  await rm(paths.pending, { recursive: true, force: true })
  keepOutSessions(join(root, 'database.sqlite'), join(paths.displaced, 'database.sqlite'))
  await forgetRuns()
  const outcome = outcomeOf(placed, 'restored')
  return {
    outcome,
    isNew: true,
    async confirm() {
      await replaceFile(paths.last, `${JSON.stringify(outcome)}\n`)
      await rm(paths.journal, { force: true })
      await rm(paths.displaced, { recursive: true, force: true })
    },
    async giveUp(reason) {
      await enter({ ...placed, phase: 'clearing', reason })
      return true
    },
  }

  /** All plugins run with the other data once: their snapshots are of other settings, and their tables may be older. */
  async function forgetRuns(): Promise<void> {
    await rm(join(root, 'run', 'plugins'), { recursive: true, force: true })
    await rm(join(root, 'run', 'last-run.json'), { force: true })
  }

  async function enter(next: Journal): Promise<Journal> {
    await replaceFile(paths.journal, `${JSON.stringify(next)}\n`)
    return next
  }

  /** Runs before any new file is placed, so every file that the plan covers is old. */
  async function displace({ groups, files }: Journal): Promise<void> {
    const replaced = new Set(files)
    const old = await storedFiles(root, groupOf)
    await moveAll(
      old.filter(({ group, part }) => (groups as readonly string[]).includes(group) || replaced.has(part)),
      root,
      paths.displaced,
    )
  }

  async function place({ files }: Journal): Promise<void> {
    for (const path of files) {
      if (!existsSync(join(paths.files, path)) && !existsSync(join(root, path)))
        throw new Error(`the file ${path} is missing`)
    }
    await moveAll(
      files.map((path) => ({ path })).filter(({ path }) => existsSync(join(paths.files, path))),
      paths.files,
      root,
    )
  }

  async function takeBack(from: Journal, reason: string): Promise<RestoreOutcome> {
    let at = from
    // Before the first file was placed there is nothing to clear, and old files may still be in their places.
    if (at.phase === 'displacing') at = await enter({ ...at, phase: 'returning', reason })
    if (at.phase === 'placing' || at.phase === 'placed') at = await enter({ ...at, phase: 'clearing', reason })
    if (at.phase === 'clearing') {
      const covered = new Set(at.files)
      for (const { path, group, part } of await storedFiles(root, groupOf)) {
        if ((at.groups as readonly string[]).includes(group) || covered.has(part))
          await rm(join(root, path), { force: true })
      }
      at = await enter({ ...at, phase: 'returning' })
    }
    await moveAll(
      (await filesBelow(paths.displaced)).map((path) => ({ path })),
      paths.displaced,
      root,
    )
    await forgetRuns()
    const outcome = outcomeOf(at, 'rolled_back')
    await replaceFile(paths.last, `${JSON.stringify(outcome)}\n`)
    // First remove what would start the switch again.
    await rm(paths.pending, { recursive: true, force: true })
    await rm(paths.journal, { force: true })
    await rm(paths.displaced, { recursive: true, force: true })
    return outcome
  }

  function outcomeOf(
    { label, stagedAtMs, reason, lostRows = false }: Journal,
    outcome: RestoreOutcome['outcome'],
  ): RestoreOutcome {
    const isRestored = outcome === 'restored'
    const lost = isRestored && lostRows ? { lostRows } : {}
    return { label, stagedAtMs, outcome, atMs: now(), reason: isRestored ? null : reason, ...lost }
  }
}

/** The outcome of an earlier start. */
async function readLast(file: string): Promise<RestoreOutcome | null> {
  const Last = Type.Object({
    label: Type.String(),
    stagedAtMs: Type.Number(),
    outcome: oneOf(['restored', 'rolled_back']),
    atMs: Type.Number(),
    reason: orNull(Type.String()),
    lostRows: Type.Optional(Type.Boolean()),
  })
  return await readJson(file, Last)
}

function nothingTo(outcome: RestoreOutcome | null, isNew = false): RestoreSwitch {
  return { outcome, isNew, confirm: async () => {}, giveUp: async () => false }
}

/** Renames, and flushes the folders, so that the journal never runs ahead of the files. */
async function moveAll(files: readonly { readonly path: string }[], from: string, to: string): Promise<void> {
  const folders = new Set<string>()
  for (const { path } of files) {
    const target = join(to, path)
    if (!folders.has(dirname(target))) await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await rename(join(from, path), target)
    folders.add(dirname(target)).add(dirname(join(from, path)))
  }
  for (const folder of folders) await syncFolder(folder)
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

/**
 * Nothing has the database open yet. All sessions are removed, those of the backup and the current ones. The current
 * API tokens are kept, so that a token revoked since the backup stays revoked.
 */
function keepOutSessions(file: string, replaced: string): void {
  if (!existsSync(file)) return
  using database = new DatabaseSync(file)
  const has = (table: string, schema = 'main') =>
    database.prepare(`SELECT 1 FROM ${schema}.sqlite_schema WHERE type = 'table' AND name = ?`).get(table) !== undefined
  if (has('core__sessions')) database.exec('DELETE FROM core__sessions')
  if (!existsSync(replaced) || !has('core__api_tokens')) return
  database.prepare('ATTACH DATABASE ? AS replaced').run(replaced)
  database.exec('BEGIN; DELETE FROM core__api_tokens')
  if (has('core__api_tokens', 'replaced'))
    database.exec(
      `INSERT INTO core__api_tokens (${TOKEN_COLUMNS}) SELECT ${TOKEN_COLUMNS} FROM replaced.core__api_tokens`,
    )
  database.exec('COMMIT')
}

const TOKEN_COLUMNS =
  'id, token_hash, name, scope, created_by, created_at_ms, expires_at_ms, last_used_at_ms, last_used_from'

async function readJson<Schema extends Parameters<typeof Value.Check>[0]>(
  file: string,
  schema: Schema,
): Promise<Static<Schema> | null> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const value: unknown = JSON.parse(text)
  if (!Value.Check(schema, value))
    throw new Error(`${file} is not of this version; move the folder restore away to start without it`)
  return value as Static<Schema>
}
