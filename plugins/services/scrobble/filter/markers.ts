// Marker files: a file with one of these names beside a video excludes the video. This requires that the service sees the
// folders of the media server under the same path.
import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path/posix'
import { type PlayFiles, withTimeLimit, isRecent } from '@playhead/sdk'
import type { Lane, Observation } from '../contract.ts'

/** Names of markers for placeholder videos of films that are not available yet. */
const PLACEHOLDER_MARKER = '.comingsoon'

interface Markers {
  /** Adds the marker files of the item, if the filters of these lanes need any. */
  mark(observation: Observation, lanes: readonly Lane[]): Promise<Observation>
}

const FRESH_MS = 60_000
const MAX_KNOWN = 5_000
/** A folder on a hanging share must not block the observation. */
const LIMIT_MS = 1_000

export function createMarkers({
  now,
  exists = (path) =>
    access(path).then(
      () => true,
      () => false,
    ),
}: {
  readonly now: () => number
  readonly exists?: (path: string) => Promise<boolean>
}): Markers {
  const known = new Map<string, { readonly atMs: number; readonly found: Promise<boolean> }>()

  function isThere(path: string): Promise<boolean> {
    const before = known.get(path)
    if (before !== undefined && isRecent(before.atMs, now(), FRESH_MS)) return before.found
    const found = withTimeLimit(exists(path), LIMIT_MS, () => new Error('too slow')).catch(() => false)
    known.delete(path)
    known.set(path, { atMs: now(), found })
    for (const oldest of known.keys()) {
      if (known.size <= MAX_KNOWN) break
      known.delete(oldest)
    }
    return found
  }

  return {
    async mark(observation, lanes) {
      const names = markerNames(lanes)
      const folders = foldersOf(observation.files)
      if (names.length === 0 || folders.length === 0) return observation
      const found = await Promise.all(
        names.map(async (name) =>
          (await Promise.all(folders.map((folder) => isThere(join(folder, name))))).some(Boolean),
        ),
      )
      return { ...observation, markers: names.filter((_name, n) => found[n]) }
    },
  }
}

/** Plain file names only: a filter must not lead out of the folder. */
export function markerNames(
  lanes: readonly { readonly filters: Pick<Lane['filters'], 'ignored_marker_files' | 'ignore_placeholder_trailers'> }[],
): readonly string[] {
  const names = lanes.flatMap(({ filters }) => [
    ...filters.ignored_marker_files,
    ...(filters.ignore_placeholder_trailers ? [PLACEHOLDER_MARKER] : []),
  ])
  return [...new Set(names)].filter((name) => name !== '' && !/[\\/\0]/.test(name) && name !== '.' && name !== '..')
}

/** From files that the server's own API reported; the body of a webhook could name any path. */
function foldersOf(files: PlayFiles | undefined): readonly string[] {
  if (files?.trusted !== true) return []
  return [...new Set(files.paths.filter((path) => path.startsWith('/')).map((path) => dirname(path)))]
}
