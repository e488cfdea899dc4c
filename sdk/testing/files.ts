// A plugin's files, in a temporary directory: its own folder, and the shared folders that its manifest names.
import { createReadStream } from 'node:fs'
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileArea, FileEntry, PluginFiles } from '../context.ts'
import { PlayheadError } from '../errors.ts'
import type { PluginNeeds } from '../manifest.ts'

const SHARED_FOLDERS = ['backups', 'cache', 'captures', 'exports', 'imports', 'reports']

export function createFiles(root: string, needs: Pick<PluginNeeds, 'files' | 'listFiles'>): PluginFiles {
  return {
    ...createFileArea(join(root, 'own')),
    shared(folder) {
      if (!SHARED_FOLDERS.includes(folder) || !(needs.files as readonly string[] | undefined)?.includes(folder)) {
        throw new PlayheadError(
          'PLH_PLUGIN_UNDECLARED',
          `The shared folder "${folder}" is not declared. Add it to needs.files in plugin.json.`,
        )
      }
      return createFileArea(join(root, folder))
    },
    async listShared(path) {
      if (needs.listFiles !== true) {
        throw new PlayheadError(
          'PLH_PLUGIN_UNDECLARED',
          'The shared folders may not be listed. Set needs.listFiles in plugin.json.',
        )
      }
      const [folder, ...below] = partsOf(path)
      if (folder === undefined) return SHARED_FOLDERS.map((name) => ({ name, isDir: true }))
      if (!SHARED_FOLDERS.includes(folder)) throw new PlayheadError('PLH_NOT_FOUND', `There is no "${folder}".`)
      return createFileArea(join(root, folder)).list(below.join('/'))
    },
  }
}

export function createFileArea(root: string): FileArea {
  const fullPath = (path: string) => join(root, ...partsOf(path))
  const put = async (path: string, content: Parameters<typeof writeFile>[1]) => {
    if (partsOf(path).length === 0) throw leaves()
    await mkdir(dirname(fullPath(path)), { recursive: true })
    const temporary = `${fullPath(path)}.tmp`
    try {
      await writeFile(temporary, content)
      await rename(temporary, fullPath(path))
    } finally {
      await rm(temporary, { force: true })
    }
  }
  return {
    read: (path) => found(path, () => readFile(fullPath(path))),
    async readStream(path) {
      await found(path, () => stat(fullPath(path)))
      return createReadStream(fullPath(path))
    },
    write: put,
    writeStream: put,
    async append(path, content, at) {
      if (partsOf(path).length === 0) throw leaves()
      await mkdir(dirname(fullPath(path)), { recursive: true })
      const size = (await stat(fullPath(path)).catch(ifMissing(undefined)))?.size ?? 0
      const start = at ?? size
      if (start > size) throw new PlayheadError('PLH_CONFLICT', `"${path}" is shorter than ${start} bytes.`)
      if (start < size) await truncate(fullPath(path), start)
      await appendFile(fullPath(path), content)
      return start + Buffer.byteLength(content)
    },
    async list(path = '') {
      await mkdir(root, { recursive: true })
      return found(path, async () => {
        const entries = await readdir(fullPath(path), { withFileTypes: true })
        return Promise.all(
          entries
            .sort((a, b) => (a.name < b.name ? -1 : 1))
            .map(
              async (entry): Promise<FileEntry> =>
                entry.isFile()
                  ? { name: entry.name, isDir: false, size: (await stat(join(entry.parentPath, entry.name))).size }
                  : { name: entry.name, isDir: entry.isDirectory() },
            ),
        )
      })
    },
    async stat(path) {
      const stats = await stat(fullPath(path)).catch(ifMissing(undefined))
      return stats === undefined
        ? undefined
        : { isDir: stats.isDirectory(), size: stats.isFile() ? stats.size : 0, modifiedAtMs: Math.trunc(stats.mtimeMs) }
    },
    async remove(path) {
      if (partsOf(path).length === 0) throw leaves()
      return rm(fullPath(path), { recursive: true }).then(() => true, ifMissing(false))
    },
  }
}

function partsOf(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (path.startsWith('/') || /[\\\0]|^[A-Za-z]:/.test(path) || parts.includes('..')) throw leaves()
  return parts
}

function leaves(): PlayheadError {
  return new PlayheadError(
    'PLH_FORBIDDEN',
    'The path leaves its folder. Use a relative path with forward slashes and without "..".',
    { wire: 'path_not_allowed' },
  )
}

async function found<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  return work().catch((error: unknown) => {
    if (isMissing(error)) throw new PlayheadError('PLH_NOT_FOUND', `There is no "${path}".`, { cause: error })
    throw error
  })
}

function ifMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (isMissing(error)) return value
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
}
