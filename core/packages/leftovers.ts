// Deletes the leftovers of a removed plugin: settings, key-value storage, databases, tables, files, plans of
// jobs, and what is kept for it. Its package or folder is not among it.
import { rm } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Tables } from '@playhead/sdk'
import type { ConfigDocument, ConfigService } from '../config/contract.ts'
import { CORE_CONTRIBUTION, CORE_KEYS } from '../config/sections.ts'
import type { KeyValueDatabase } from '../storage/key-value.ts'

interface Leftovers {
  readonly id: string
  /** Of the removed plugin; those that another plugin has, too, stay. */
  readonly sections: readonly string[]
  readonly sectionsInUse: readonly string[]
  readonly by: string
}

interface LeftoverPlaces {
  readonly config: Pick<ConfigService, 'change'>
  readonly keyValue: Pick<KeyValueDatabase, 'namespace'>
  readonly database: Tables
  /** Folders and files of the plugin alone. */
  readonly paths: readonly string[]
}

/** Tables of the core with a row for each thing of an owner. */
const BY_OWNER = ['core__migrations', 'core__jobs', 'core__job_leases'] as const

export async function deleteLeftovers(
  { id, sections, sectionsInUse, by }: Leftovers,
  { config, keyValue, database, paths }: LeftoverPlaces,
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
  for (const path of paths) await rm(path, { recursive: true, force: true })
}

function removeAt(draft: ConfigDocument, [first = '', ...rest]: readonly string[]): void {
  if (rest.length === 0) delete draft[first]
  else if (typeof draft[first] === 'object' && draft[first] !== null) removeAt(draft[first] as ConfigDocument, rest)
}
