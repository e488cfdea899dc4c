// Checks existence and size of the databases without opening them: closing any descriptor would release the process's
// SQLite locks.
import { access, constants, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { HealthFact, Tables } from '@playhead/sdk'
import { sql } from 'kysely'

interface DatabaseHealthOptions {
  readonly db: Tables
  /** Files of the core. */
  readonly files: readonly string[]
  /** Contains a folder per plugin with databases. */
  readonly pluginFolder: string
}

interface Described {
  readonly name: string
  readonly bytes: number
  readonly log_bytes: number
  readonly usable: boolean
}

export async function readDatabases({ db, files, pluginFolder }: DatabaseHealthOptions): Promise<HealthFact> {
  const inside = await filesIn(pluginFolder)
  const ofPlugins = inside.filter((name) => name.endsWith('.sqlite')).sort()
  const described = await Promise.all([
    ...files.map((file) => describe(file, basename(file))),
    ...ofPlugins.map((name) => describe(join(pluginFolder, name), name)),
  ])
  const problem = await sql`select count(*) from sqlite_master`.execute(db).then(
    () => null,
    (error: unknown) => (error as { code?: string }).code ?? 'unreadable',
  )
  const setAside = inside.filter((name) => /\.bad-[^/]*$/.test(name) && !/-(?:wal|shm)$/.test(name))
  const ok = problem === null && described.every(({ usable }) => usable)
  return {
    name: 'databases',
    ok,
    detail: { files: described, set_aside: setAside, problem },
    ...(ok
      ? {}
      : {
          advice:
            'See that the user of the service may read and write the data directory and that its disk works; otherwise restore a backup.',
        }),
  }
}

async function describe(file: string, name: string): Promise<Described> {
  const usable = await access(file, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  )
  return { name, bytes: await sizeOf(file), log_bytes: await sizeOf(`${file}-wal`), usable }
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(ifMissing({ size: 0 }))).size
}

function ifMissing<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === 'ENOENT') return value
    throw error
  }
}

/** Files of the folders of plugins. Node reads a folder recursively in one go, which blocks the event loop. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(ifMissing([]))) {
    if (!entry.isDirectory()) found.push(entry.name)
    else
      for (const name of await readdir(join(folder, entry.name)).catch(ifMissing([] as string[])))
        found.push(join(entry.name, name))
  }
  return found
}
