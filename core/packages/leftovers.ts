// Deletes the leftovers of a removed plugin: settings, key-value storage, databases, tables, files, plans of
// jobs, and what is kept for it. Its package or folder is not among it.
import { mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import type { Tables } from '@playhead/sdk'
import type { ConfigDocument, ConfigService } from '../config/contract.ts'
import { CORE_CONTRIBUTION, CORE_KEYS } from '../config/sections.ts'
import { replaceFile } from '../storage/atomic-file.ts'
import type { KeyValueDatabase } from '../storage/key-value.ts'

/** A removal that deletes the leftovers, too. */
export interface Removal {
  readonly id: string
  /** Of the removed plugin; those that another plugin has, too, stay. */
  readonly sections: readonly string[]
  /** Who wants it. */
  readonly by: string
}

interface Leftovers extends Removal {
  readonly sectionsInUse: readonly string[]
}

interface LeftoverPlaces {
  readonly config: Pick<ConfigService, 'change'>
  readonly keyValue: Pick<KeyValueDatabase, 'namespace'>
  readonly database: Tables
  /** Folders of the plugin alone. */
  readonly ownDatabases: string
  readonly files: string
}

const NOTE = /^[a-z][a-z0-9-]{1,39}\.json$/
/** Tables of the core with a row for each thing of an owner. */
const BY_OWNER = ['core__migrations', 'core__jobs', 'core__job_leases'] as const

export async function deleteLeftovers(
  { id, sections, sectionsInUse, by }: Leftovers,
  { config, keyValue, database, ownDatabases, files }: LeftoverPlaces,
): Promise<void> {
  const kept = [...sectionsInUse, ...CORE_KEYS, ...CORE_CONTRIBUTION.sections.map(({ path }) => path)]
  const own = sections.filter((path) => !kept.some((one) => one === path || one.startsWith(`${path}.`)))
  if (own.length > 0)
    await config.change(by, (draft) => {
      for (const path of own) removeAt(draft, path.split('.'))
    })
  await keyValue.namespace(id).clear()
  const prefix = `${id.replaceAll('-', '_')}__`
  // A longer name with another double underscore belongs to another plugin.
  const tables = (await database.introspection.getTables()).filter(
    ({ name }) => name.startsWith(prefix) && !name.slice(prefix.length).includes('__'),
  )
  await database.transaction().execute(async (transaction) => {
    // Tables refer to one another in any order.
    await sql`PRAGMA defer_foreign_keys = ON`.execute(transaction)
    for (const { name } of tables) await transaction.schema.dropTable(name).ifExists().execute()
    for (const table of BY_OWNER) await transaction.deleteFrom(table).where('owner', '=', id).execute()
  })
  for (const path of [ownDatabases, files]) await rm(path, { recursive: true, force: true })
  // The folder of its files is in one of its own; that of others has more in it.
  await rmdir(dirname(files)).catch(() => {})
}

/** Notes of removals that are being made, so that the next start completes what a crash cut off. */
export function createRemovalNotes(folder: string) {
  const fileOf = (id: string) => join(folder, `${id}.json`)
  return {
    async add(removal: Removal): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await replaceFile(fileOf(removal.id), JSON.stringify(removal))
    },
    async all(): Promise<readonly Removal[]> {
      const names = (await readdir(folder).catch(() => [])).filter((name) => NOTE.test(name))
      return await Promise.all(
        names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Removal),
      )
    },
    remove: (id: string) => rm(fileOf(id), { force: true }),
  }
}

function removeAt(draft: ConfigDocument, [first = '', ...rest]: readonly string[]): void {
  if (rest.length === 0) delete draft[first]
  else if (typeof draft[first] === 'object' && draft[first] !== null) removeAt(draft[first] as ConfigDocument, rest)
}
