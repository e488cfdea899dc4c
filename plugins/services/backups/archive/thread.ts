// The thread of the backups: packs, reads and lists archives.
import { lstat, mkdir, readdir, readFile, realpath, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ThreadHost } from '@playhead/sdk'
import { type ArchiveFacts, type ArchiveThread, type Header, PROGRESS } from './contract.ts'
import type { EncryptedManifest, Manifest } from './manifest.ts'
import { readArchive, readManifest } from './read.ts'
import { writeArchive } from './write.ts'

const REPORT_EVERY_MS = 250
const MAX_FOLDERS = 3

export default function setup(host: ThreadHost): ArchiveThread {
  const progress = host.use(PROGRESS)
  return {
    async write(order, signal) {
      let reportedMs = 0
      return await writeArchive(order, signal, (bytes) => {
        if (performance.now() - reportedMs < REPORT_EVERY_MS) return
        reportedMs = performance.now()
        void progress.packed(bytes).catch(() => {})
      })
    },
    read: readArchive,
    list,
    async facts(folder, path) {
      const below = dirname(path)
      const real = await realpath(join(folder, below)).catch(() => null)
      // A symbolic link in the path leads outside the folder.
      return real === join(await realpath(folder), below) ? factsOf(join(folder, path), path, undefined) : null
    },
    async readText(file) {
      try {
        return await readFile(file, 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
    makeFolder: async (folder) => void (await mkdir(folder, { recursive: true, mode: 0o700 })),
    async move(from, to) {
      await mkdir(dirname(to), { recursive: true, mode: 0o700 })
      await rename(from, to)
    },
    async remove(file) {
      await rm(file)
      await rmdir(dirname(file)).catch(() => {})
    },
    clear: (folder) => rm(folder, { recursive: true, force: true }),
  }
}

async function list(folder: string, known: readonly ArchiveFacts[]): Promise<readonly ArchiveFacts[]> {
  const before = new Map(known.map((facts) => [facts.path, facts]))
  const found: ArchiveFacts[] = []
  async function walk(below: string, depth: number): Promise<void> {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory() && depth < MAX_FOLDERS) await walk(path, depth + 1)
      if (!entry.isFile() || !entry.name.endsWith('.zip')) continue
      const facts = await factsOf(join(folder, path), path, before.get(path))
      if (facts !== null) found.push(facts)
    }
  }
  await walk('', 0)
  return found.sort((a, b) => b.modifiedAtMs - a.modifiedAtMs || (a.path < b.path ? 1 : -1))
}

async function factsOf(file: string, path: string, before: ArchiveFacts | undefined): Promise<ArchiveFacts | null> {
  const stats = await lstat(file).catch(() => null)
  if (stats?.isFile() !== true) return null
  const facts = { path, size: stats.size, modifiedAtMs: Math.trunc(stats.mtimeMs) }
  if (before?.size === facts.size && before.modifiedAtMs === facts.modifiedAtMs) return before
  return { ...facts, manifest: headerOf(await readManifest(file)) }
}

function headerOf(manifest: Manifest | EncryptedManifest | null): Header | null {
  if (manifest === null) return null
  const { schema_version, created_at, app_version, min_app_version, scope, label, trigger, pinned } = manifest
  const { file_count, total_size, config_encrypted, master_key_included } = manifest
  const { external_key_required, env_key_configured } = manifest
  return {
    schema_version,
    created_at,
    app_version,
    min_app_version,
    scope,
    label,
    trigger,
    pinned,
    file_count,
    total_size,
    config_encrypted,
    master_key_included,
    external_key_required,
    env_key_configured,
    encrypted: 'encryption' in manifest,
  }
}
