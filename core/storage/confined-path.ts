// Turns a relative path from a plugin or a request into a real one, or refuses it. Checked by name first, then by what
// lies on the disk, because a symbolic link can lead out of a folder that the name stays in.
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { PlayheadError } from '@playhead/sdk'

const MAX_PATH_LENGTH = 1024
const MAX_DEPTH = 32

/** The parts of a path that stays inside by name. `''` and `.` give none. */
export function pathParts(path: string): readonly string[] {
  if (typeof path !== 'string' || path.length > MAX_PATH_LENGTH || path.includes('\0')) throw notAllowed()
  // Backslashes and drive letters mean something else on another system; a path must mean the same everywhere.
  if (path.startsWith('/') || path.includes('\\') || /^[A-Za-z]:/.test(path)) throw notAllowed()
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..') || parts.length > MAX_DEPTH) throw notAllowed()
  return parts
}

/**
 * The real path of something below `root`, whether it exists or not. All its folders are resolved; the last part is
 * not, so a link there is the caller's to treat. Throws PLH_FORBIDDEN when it leads outside.
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

/** The real path of something that exists, with a link at its end resolved too. */
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
