// Reads the files of an npm tarball. Everything except plain files below one folder is refused, and nothing is written
// before the whole tarball was read.
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { ReadEntry } from 'tar'
import { PlayheadError } from '@playhead/sdk'
import { syncFolder } from '../storage/atomic-file.ts'

const MAX_BYTES = 64 * 1024 * 1024
const MAX_FILES = 3_000
const MAX_PATH = 200
const CHUNK = 512 * 1024
const OWNER_ONLY = 0o700

export type PackageFiles = ReadonlyMap<string, Buffer>

/** Contents by path. Throws PLH_INVALID (`package_refused`, `package_too_large`) with the reason. */
export async function readTarball(tarball: Buffer, what: string): Promise<PackageFiles> {
  // Loaded with the first package.
  const { Parser } = await import('tar')
  const bytes = await expand(tarball, what)
  const files = new Map<string, Buffer>()
  const seen = new Set<string>()
  let problem: string | null = null
  const refuse = (text: string) => {
    problem ??= text
  }
  const parser = new Parser({
    strict: true,
    maxMetaEntrySize: 64 * 1024,
    onReadEntry(entry: ReadEntry) {
      const path = pathOf(entry)
      if (path === null)
        refuse(`it contains "${shown(entry.path)}", which leads out of its folder or is not a usable name`)
      else if (entry.type === 'Directory') {
        // Folder entries are skipped: folders are created for their files.
      } else if (entry.type !== 'File' && entry.type !== 'OldFile')
        refuse(`"${shown(path)}" is a ${entry.type}; only plain files are allowed`)
      else if (seen.size >= MAX_FILES) refuse(`it has more than ${MAX_FILES} files`)
      else if (seen.has(path.toLowerCase())) refuse(`"${shown(path)}" is in it twice`)
      else {
        seen.add(path.toLowerCase())
        const chunks: Buffer[] = []
        entry.on('data', (chunk: Buffer) => void chunks.push(chunk))
        entry.on('end', () => void files.set(path, Buffer.concat(chunks)))
        return
      }
      entry.resume()
    },
  })
  const ended = new Promise<void>((resolve) => {
    parser.on('error', (error: Error) => {
      refuse(`it is not a tar archive (${error.message})`)
      resolve()
    })
    parser.on('end', () => resolve())
  })
  for (let at = 0; at < bytes.length && problem === null; at += CHUNK) {
    parser.write(bytes.subarray(at, at + CHUNK))
    await nextTurn()
  }
  if (problem === null) {
    parser.end()
    await ended
  }
  const inTheWay = [...files.keys()].find((path) =>
    [...ancestorsOf(path)].some((folder) => seen.has(folder.toLowerCase())),
  )
  if (inTheWay !== undefined) refuse(`"${shown(inTheWay)}" lies below a file`)
  if (problem !== null)
    throw new PlayheadError('PLH_INVALID', `${what} was refused: ${problem as string}.`, { wire: 'package_refused' })
  return files
}

/** Writes the files into a new folder, flushed to disk. */
export async function writeFiles(folder: string, files: PackageFiles): Promise<void> {
  const folders = new Set([...files.keys()].map((path) => dirname(join(folder, path))))
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY })
  for (const path of folders) await mkdir(path, { recursive: true, mode: OWNER_ONLY })
  for (const [path, content] of files) {
    const handle = await open(join(folder, path), 'wx', 0o600)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
  for (const path of folders) await syncFolder(path)
  await syncFolder(folder)
}

async function expand(tarball: Buffer, what: string): Promise<Buffer> {
  try {
    return await promisify(gunzip)(tarball, { maxOutputLength: MAX_BYTES })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new PlayheadError(
        'PLH_INVALID',
        `${what} was refused: unpacked it is larger than ${MAX_BYTES / 1024 / 1024} MB.`,
        { wire: 'package_too_large' },
      )
    throw new PlayheadError('PLH_INVALID', `${what} was refused: it is not a gzip archive.`, {
      wire: 'package_refused',
      cause: error,
    })
  }
}

/** Without the first folder, which is "package" by custom. Null if the path is unsafe. */
function pathOf({ path }: ReadEntry): string | null {
  if (path.startsWith('/') || /[\\:\0]/.test(path) || hasControl(path)) return null
  const [first = '', ...parts] = path.replace(/\/$/, '').split('/')
  if (first === '' || first === '.' || first === '..') return null
  if (parts.some((part) => part === '' || part === '.' || part === '..' || /[. ]$/.test(part))) return null
  const own = parts.join('/')
  return own.length > MAX_PATH ? null : own
}

function hasControl(text: string): boolean {
  return [...text].some((character) => (character.codePointAt(0) as number) < 32)
}

function* ancestorsOf(path: string): Generator<string> {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) yield path.slice(0, at)
}

function shown(path: string): string {
  return [...path]
    .map((character) => ((character.codePointAt(0) as number) < 32 ? '?' : character))
    .join('')
    .slice(0, 120)
}
