// Reports changes of plugin sources and registries. Events of one save are grouped. A half-written file fails to
// compile, and the next event fixes it. Newly watched files are reported too: they may have been saved between reading
// and watching.
import { basename, sep } from 'node:path'
import { watch } from 'chokidar'

const SETTLE_MS = 20

interface WatchTargets {
  /** Plugin folders by id. */
  readonly plugins: ReadonlyMap<string, string>
  readonly registries: readonly string[]
}

export interface Watcher {
  /** Replaces the watched folders. */
  setTargets(targets: WatchTargets): void
  close(): Promise<void>
}

interface WatcherOptions {
  /** @param cause watched: newly watched files, which may be unchanged */
  readonly onPlugin: (id: string, cause: 'watched' | 'file', sinceMs: number) => void
  readonly onRegistry: () => void
  readonly onError: (error: unknown) => void
  /** Poll interval, for file systems without change events. */
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
        // New files and initial scans emit the same event.
        const cause = event === 'add' || event === 'addDir' ? 'watched' : 'file'
        settle(`plugin ${id} ${cause}`, () => onPlugin(id, cause, at))
      }
    }
  })

  function settle(key: string, report: () => void): void {
    clearTimeout(timers.get(key))
    timers.set(
      key,
      setTimeout(() => {
        timers.delete(key)
        report()
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

// Editor files, dependencies, git and test output.
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
