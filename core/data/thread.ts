// Long work on files of the data directory, on a thread of its own.
import { createHash } from 'node:crypto'
import { chmodSync, createReadStream, rmSync, statSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { defined, isPlayheadError, PlayheadError } from '@playhead/sdk/host'
import type {
  DatabaseCheck,
  RepairedDatabase,
  SchemaVersions,
  SettingsFacts,
  StagedFile,
  ThreadSetup,
} from '@playhead/sdk'
import { serveWith } from '../own-thread/serve.ts'
import type { VaultError } from '../storage/vault.ts'
import { repair } from './repair.ts'

const BUSY_TIMEOUT_MS = 10_000
const PAGES_AT_ONCE = 1_000
const MAX_LINES = 100
const RECORDS = ['core__migrations', 'playhead__migrations']

interface CopyRequest {
  readonly from: string
  readonly to: string
}

interface CopyResult {
  readonly sizeBytes: number
  readonly schemaVersions: SchemaVersions
  readonly integrity: readonly string[]
}

export interface DataThread {
  copy(copies: readonly CopyRequest[], signal: AbortSignal): Promise<readonly CopyResult[]>
  check(file: string, quick: boolean): DatabaseCheck
  /** @see DataDirectory.repairCopy */
  repair(copy: string, target: string): Promise<RepairedDatabase>
  schemaVersions(file: string): SchemaVersions
  optimise(file: string): { readonly beforeBytes: number; readonly afterBytes: number }
  checkSettings(request: SettingsRequest): Promise<SettingsFacts>
  /** Returns problems of the files below a folder; flushes the valid ones. */
  verify(folder: string, files: readonly StagedFile[], signal: AbortSignal): Promise<readonly string[]>
}

interface SettingsRequest {
  readonly settings: string
  /** Text of a key file; null: `keyFile`. */
  readonly key: string | null
  readonly keyFile: string
  readonly passphrase: string | null
}

/** Works without the query builder, which would take most of the time and memory of a thread that checks a file. */
export const serve = (setup: ThreadSetup<object>): void =>
  serveWith(setup, () => {
    throw new TypeError('this thread opens no tables')
  })

export default function setup(): DataThread {
  return { copy, check, repair, schemaVersions: versionsOf, optimise, checkSettings, verify }
}

async function copy(copies: readonly CopyRequest[], signal: AbortSignal): Promise<readonly CopyResult[]> {
  const sources: DatabaseSync[] = []
  try {
    for (const { from } of copies) sources.push(new DatabaseSync(from, { readOnly: true, timeout: BUSY_TIMEOUT_MS }))
    // A read transaction fixes what a copy sees, so that writers neither change nor restart it. All begin together.
    for (const source of sources) source.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    const results: CopyResult[] = []
    for (const [index, { to }] of copies.entries()) {
      const source = sources[index] as DatabaseSync
      await backup(source, to, {
        rate: PAGES_AT_ONCE,
        progress: () => {
          if (signal.aborted) throw new PlayheadError('PLH_ABORTED', 'The copy was cancelled.')
        },
      })
      source.close()
      chmodSync(to, 0o600)
      results.push(factsOfCopy(to))
      if (signal.aborted) throw new PlayheadError('PLH_ABORTED', 'The copy was cancelled.')
    }
    return results
  } catch (error) {
    for (const { to } of copies)
      for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(to + suffix, { force: true })
    throw error
  } finally {
    for (const source of sources) if (source.isOpen) source.close()
  }
}

/** Reads facts of an otherwise unused file without changing it. */
function factsOfCopy(file: string): CopyResult {
  using database = new DatabaseSync(file)
  // One file: with a write-ahead log even a reader leaves files beside it.
  database.exec('PRAGMA journal_mode = DELETE')
  const sizeBytes = statSync(file).size
  try {
    const integrity = linesOf(database, `PRAGMA quick_check(${MAX_LINES})`)
    return { integrity, schemaVersions: schemaVersions(database), sizeBytes }
  } catch (error) {
    // Too damaged for the check: copied for a repair.
    if ((error as { code?: unknown }).code !== 'ERR_SQLITE_ERROR') throw error
    return { integrity: [(error as Error).message], schemaVersions: {}, sizeBytes }
  }
}

function check(file: string, quick: boolean): DatabaseCheck {
  using database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  try {
    const integrity = linesOf(database, `PRAGMA ${quick ? 'quick_check' : 'integrity_check'}(${MAX_LINES})`)
    const foreignKeyErrors = integrity.length > 0 ? 0 : database.prepare('PRAGMA foreign_key_check').all().length
    const number = (pragma: string) => Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0])
    return {
      healthy: integrity.length === 0 && foreignKeyErrors === 0,
      integrity,
      foreignKeyErrors,
      schemaVersions: integrity.length > 0 ? {} : schemaVersions(database),
      sizeBytes: number('page_count') * number('page_size'),
      freeBytes: number('freelist_count') * number('page_size'),
      journalMode: linesOf(database, 'PRAGMA journal_mode').join(),
    }
  } catch (error) {
    // Too damaged to be read at all.
    if ((error as { code?: unknown }).code !== 'ERR_SQLITE_ERROR' || isBusy(error)) throw error
    const { message } = error as Error
    const sizeBytes = statSync(file).size
    return {
      ...{ healthy: false, integrity: [message], foreignKeyErrors: 0, schemaVersions: {} },
      ...{ sizeBytes, freeBytes: 0, journalMode: '' },
    }
  }
}

function versionsOf(file: string): SchemaVersions {
  using database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  return schemaVersions(database)
}

function optimise(file: string): { readonly beforeBytes: number; readonly afterBytes: number } {
  using database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  const size = () => statSync(file).size + (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0)
  const beforeBytes = size()
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.exec('VACUUM')
  database.exec('PRAGMA optimize = 0x10002')
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  return { beforeBytes, afterBytes: size() }
}

async function checkSettings({ settings, key, keyFile, passphrase }: SettingsRequest): Promise<SettingsFacts> {
  // Loaded on demand: only restores need them.
  const { openText } = await import('../config/secrets/sealed-text.ts')
  const { openVault } = await import('../storage/vault.ts')
  const { parseKeys } = await import('../storage/key-file.ts')
  const encrypted = /"enc:v1:/.test(settings)
  // The first byte of a value is its kind, here 1, and the rest of the second character belongs to the next byte.
  const needsKey = /"enc:v1:A[A-P]/.test(settings)
  const needsPassphrase = /"enc:v1:A[Q-Za-f]/.test(settings)
  const facts = { encrypted, needsKey, needsPassphrase, passphraseSet: passphrase !== null }
  const keys = key === null ? undefined : parseKeys(key)
  if (keys?.length === 0) return { ...facts, problem: 'key_missing' }
  try {
    openText(settings, openVault({ keyFile, ...defined({ keys, passphrase: passphrase ?? undefined }) }))
    return { ...facts, problem: null }
  } catch (error) {
    return { ...facts, problem: problemOf(error) }
  }
}

function problemOf(error: unknown): SettingsFacts['problem'] {
  if ((error as Error).name !== 'VaultError') return 'unreadable'
  const { fault, subject } = error as VaultError
  if (fault === 'damaged' || subject === 'key') return fault
  return fault === 'key_missing' ? 'passphrase_missing' : 'passphrase_wrong'
}

async function verify(folder: string, files: readonly StagedFile[], signal: AbortSignal): Promise<readonly string[]> {
  const expected = new Map(files.map((file) => [file.path, file]))
  const problems: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (signal.aborted) throw new PlayheadError('PLH_ABORTED', 'The restore was cancelled.')
    if (entry.isDirectory()) continue
    const path = join(entry.parentPath, entry.name)
      .slice(folder.length + 1)
      .replaceAll('\\', '/')
    const file = expected.get(path)
    expected.delete(path)
    if (file === undefined || !entry.isFile()) problems.push(`unexpected_file: ${path}`)
    else problems.push(...(await verifyFile(join(folder, path), file)))
  }
  problems.push(...[...expected.keys()].map((path) => `missing_file: ${path}`))
  return problems.slice(0, MAX_LINES)
}

async function verifyFile(file: string, { path, size, sha256 }: StagedFile): Promise<readonly string[]> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    hash.update(chunk as Buffer)
    bytes += (chunk as Buffer).length
  }
  if (bytes !== size) return [`size_mismatch: ${path}`]
  if (hash.digest('hex') !== sha256) return [`hash_mismatch: ${path}`]
  const handle = await open(file, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
  return []
}

function linesOf(database: DatabaseSync, pragma: string): readonly string[] {
  const lines = database
    .prepare(pragma)
    .all()
    .map((row) => String(Object.values(row)[0]))
  return lines.length === 1 && lines[0] === 'ok' ? [] : lines.slice(0, MAX_LINES)
}

function schemaVersions(database: DatabaseSync): SchemaVersions {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  const record = RECORDS.find((name) => tables.some((table) => table['name'] === name))
  if (record === undefined) return {}
  const rows = database.prepare(`SELECT owner, count(*) AS number FROM ${record} GROUP BY owner ORDER BY owner`).all()
  return Object.fromEntries(rows.map((row) => [String(row['owner']), Number(row['number'])]))
}

function isBusy(error: unknown): boolean {
  return [5, 6].includes(Number((error as { errcode?: unknown }).errcode) & 0xff) || isPlayheadError(error)
}
