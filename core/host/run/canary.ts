// Detects leaked generations: parts that are still reachable after a minute and two full garbage collections are
// retained by something outside the host's control, and the plugin is reported.
import { constants, PerformanceObserver } from 'node:perf_hooks'
import type { Clock } from '../../clock.ts'

const GRACE_MS = 60_000
const CHECK_MS = 15_000
const FULL_COLLECTIONS = 2

export interface Leak {
  readonly plugin: string
  readonly generation: number
  /** Parts that are still reachable: `context`, `definition`, `routes`. */
  readonly alive: readonly string[]
}

interface Canary {
  /** Call it after disposal. Stores only weak references. */
  watch(plugin: string, generation: number, parts: Readonly<Record<string, object>>): void
  /** Retired generations that are not collected yet. */
  pending(): number
  /** Checks now; `force` skips the grace period (for tests that collect manually). */
  check(force?: boolean): void
  stop(): void
}

interface Watched {
  readonly plugin: string
  readonly generation: number
  readonly sinceMs: number
  readonly collectionsBefore: number
  readonly parts: readonly { readonly name: string; readonly ref: WeakRef<object> }[]
}

export function createCanary({ clock, onLeak }: { clock: Clock; onLeak: (leak: Leak) => void }): Canary {
  let watched: Watched[] = []
  let collections = 0
  let timer: NodeJS.Timeout | null = null

  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if ((entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
        collections += 1
    }
  })
  observer.observe({ entryTypes: ['gc'] })

  function check(force = false): void {
    watched = watched.filter((entry) => {
      const alive = entry.parts.filter((part) => part.ref.deref() !== undefined).map((part) => part.name)
      if (alive.length === 0) return false
      const due =
        force || (clock.now() - entry.sinceMs >= GRACE_MS && collections - entry.collectionsBefore >= FULL_COLLECTIONS)
      if (due) onLeak({ plugin: entry.plugin, generation: entry.generation, alive })
      return !due
    })
    if (watched.length === 0 && timer !== null) {
      clearInterval(timer)
      timer = null
    }
  }

  return {
    watch(plugin, generation, parts) {
      watched.push({
        plugin,
        generation,
        sinceMs: clock.now(),
        collectionsBefore: collections,
        parts: Object.entries(parts).map(([name, object]) => ({ name, ref: new WeakRef(object) })),
      })
      timer ??= setInterval(() => check(), CHECK_MS).unref()
    },
    pending: () => watched.length,
    check,
    stop() {
      observer.disconnect()
      if (timer !== null) clearInterval(timer)
    },
  }
}
