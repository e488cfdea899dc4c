// Tells the host which plugins' sources, or which registry, changed. An editor's save makes several events; they are
// taken together. A half-written file does no harm: it fails to compile, the old generation stays, and the next event
// mends it. What is watched for the first time is reported as well: a file may have been saved after it was read and
// before it was watched.
import { basename, sep } from 'node:path'
import { watch } from 'chokidar'

const SETTLE_MS = 20

export interface WatchTargets {
  /** Plugin id to its folder. */
  readonly plugins: ReadonlyMap<string, string>
  readonly registries: readonly string[]
}

export interface Watcher {
  /** Replaces what is watched. */
  setTargets(targets: WatchTargets): void
  close(): Promise<void>
}

export interface WatcherOptions {
  /** @param cause watched: files that are watched now, and may be as old as they were */
  readonly onPlugin: (id: string, cause: 'watched' | 'file', sinceMs: number) => void
  readonly onRegistry: () => void
  readonly onError: (error: unknown) => void
  /** Look at this interval instead of waiting for the system's notice, for file systems that give none. */
  readonly pollMs?: number | undefined
}

export function startWatcher({ onPlugin, onRegistry, onError, pollMs }: WatcherOptions): Watcher {
  const watcher = watch([], {
    ignoreInitial: false,
    followSymlinks: false,
    ignored: (path) => isNoise(path),
    ...(pollMs === undefined ? {} : { usePolling: true, interval: pollMs }),
  })
  const timers = new Map<string, NodeJS.Timeout>()
  let targets: WatchTargets = { plugins: new Map(), registries: [] }
  let watched = new Set<string>()

  watcher.on('error', onError)
  watcher.on('all', (event, path) => {
    const at = performance.now()
    if (targets.registries.includes(path)) return settle('registry', onRegistry)
    for (const [id, directory] of targets.plugins) {
      if (path === directory || path.startsWith(directory + sep)) {
        // New files and first looks make the same event.
        const cause = event === 'add' || event === 'addDir' ? 'watched' : 'file'
        settle(`plugin ${id} ${cause}`, () => onPlugin(id, cause, at))
      }
    }
  })

  function settle(key: string, tell: () => void): void {
    clearTimeout(timers.get(key))
    timers.set(
      key,
      setTimeout(() => {
        timers.delete(key)
        tell()
      }, SETTLE_MS),
    )
  }

  return {
    setTargets(next) {
      targets = next
      const paths = new Set([...next.registries, ...next.plugins.values()])
      const gone = [...watched].filter((path) => !paths.has(path))
      const added = [...paths].filter((path) => !watched.has(path))
      if (gone.length > 0) watcher.unwatch(gone)
      if (added.length > 0) watcher.add(added)
      watched = paths
    },
    async close() {
      for (const timer of timers.values()) clearTimeout(timer)
      await watcher.close()
    },
  }
}

// Editors' own files, dependencies, what git and tests leave behind.
function isNoise(path: string): boolean {
  const name = basename(path)
  return (
    name === 'node_modules' ||
    name === '.git' ||
    name === '.tap' ||
    name === 'dist' ||
    name.endsWith('~') ||
    name.endsWith('.swp') ||
    name.endsWith('.tmp') ||
    name === '4913' ||
    name.startsWith('.#') ||
    /^\.[^/]+\.sw[a-z]$/.test(name)
  )
}
