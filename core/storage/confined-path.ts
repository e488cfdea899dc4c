// Resolves relative paths of plugins and requests inside a folder. Checked by name and on disk, because a symbolic link
// may lead outside.
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { PlayheadError } from '@playhead/sdk'

const MAX_PATH_LENGTH = 1024
const MAX_DEPTH = 32

/** The parts of a path that stays inside by name. `''` and `.` have none. */
export function pathParts(path: string): readonly string[] {
  if (typeof path !== 'string' || path.length > MAX_PATH_LENGTH || path.includes('\0')) throw notAllowed()
  // Backslashes and drive letters are platform-specific.
  if (path.startsWith('/') || path.includes('\\') || /^[A-Za-z]:/.test(path)) throw notAllowed()
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..') || parts.length > MAX_DEPTH) throw notAllowed()
  return parts
}

/**
 * The real path of an entry below `root`, existing or not. Folders are resolved; a link in the last part is left to the
 * caller. Throws PLH_FORBIDDEN if it leads outside.
 */
export async function confinedPath(root: string, path: string): Promise<string> {
  const parts = pathParts(path)
  const realRoot = await realpath(root)
  if (parts.length === 0) return realRoot
  const target = join(realRoot, ...parts)
  const [existing, rest] = await deepestExisting(dirname(target))
  if (existing !== realRoot && !existing.startsWith(realRoot + sep)) throw notAllowed()
  return join(existing, ...rest, basename(target))
}

/** The real path of an existing entry, with a final link resolved. */
export async function confinedTarget(root: string, path: string): Promise<string> {
  const realRoot = await realpath(root)
  const target = await realpath(await confinedPath(root, path))
  if (target !== realRoot && !target.startsWith(realRoot + sep)) throw notAllowed()
  return target
}

export function notAllowed(): PlayheadError {
  return new PlayheadError(
    'PLH_FORBIDDEN',
    'The path leaves its folder. Use a relative path with forward slashes and without "..".',
    { wire: 'path_not_allowed' },
  )
}

async function deepestExisting(folder: string): Promise<readonly [existing: string, rest: readonly string[]]> {
  const rest: string[] = []
  for (let at = folder; ; at = dirname(at)) {
    try {
      return [await realpath(at), rest]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(at) === at) throw error
      rest.unshift(basename(at))
    }
  }
}
