// A circuit breaker per plugin: after too many faults the plugin is unloaded and retried with increasing delays.
import type { Clock } from '../../clock.ts'

const FAULTS_TO_OPEN = 5
const WINDOW_MS = 60_000
const RETRY_MINUTES = [5, 10, 20, 40, 80]
const NOT_READY_SECONDS = [5, 10, 20, 40, 80]
const RESTART_SECONDS = [1, 2, 5, 15, 60, 300, 900, 3600]
// After running this long without a crash the delay is reset.
const STABLE_AFTER_MS = 10 * 60_000
// After this time without faults the delay is reset.
const FORGIVEN_AFTER_MS = 2 * 3_600_000

export interface Breaker {
  /** Records a fault; true if the plugin must be unloaded now. */
  fault(): boolean
  /** Records the unloading; returns the delay until the retry, in milliseconds. */
  opened(): number
  /** Records that the plugin's thread ended; returns the delay until the retry, in milliseconds. */
  crashed(): number
  /** Records that the plugin is not ready yet; returns the delay until the retry, in milliseconds. */
  notReady(): number
  /** It is active. */
  ready(): void
  /** Faults within the window. */
  recent(): number
  reset(): void
}

export function createBreaker(clock: Clock): Breaker {
  let faults: number[] = []
  let openings = 0
  let lastOpenedAtMs = 0
  let crashes = 0
  let restartAtMs = 0
  let notReadyTimes = 0

  const prune = () => {
    const since = clock.now() - WINDOW_MS
    faults = faults.filter((atMs) => atMs > since)
  }
  return {
    fault() {
      prune()
      faults.push(clock.now())
      return faults.length >= FAULTS_TO_OPEN
    },
    opened() {
      if (clock.now() - lastOpenedAtMs > FORGIVEN_AFTER_MS) openings = 0
      const minutes = RETRY_MINUTES[Math.min(openings, RETRY_MINUTES.length - 1)] as number
      openings += 1
      lastOpenedAtMs = clock.now()
      faults = []
      return minutes * 60_000
    },
    crashed() {
      // The wait for the restart does not count.
      if (clock.now() - restartAtMs > STABLE_AFTER_MS) crashes = 0
      const seconds = RESTART_SECONDS[Math.min(crashes++, RESTART_SECONDS.length - 1)] as number
      restartAtMs = clock.now() + seconds * 1_000
      faults = []
      return seconds * 1_000
    },
    notReady() {
      const seconds = NOT_READY_SECONDS[Math.min(notReadyTimes++, NOT_READY_SECONDS.length - 1)] as number
      return seconds * 1_000 * (1 + Math.random() / 4)
    },
    ready() {
      notReadyTimes = 0
    },
    recent() {
      prune()
      return faults.length
    },
    reset() {
      faults = []
      openings = 0
      crashes = 0
    },
  }
}
