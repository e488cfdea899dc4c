// Loaded into the service by a bench: stalls of the main thread, by the clock and by its own processor time, because the
// machine has other work. SIGUSR2 begins again.
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const STEP_MS = 10
const LONG_MS = 30
const WRITE_MS = 1_000

if (isMainThread) {
  const file = /** @type {string} */ (process.env.LOOP_FILE)
  delete process.env.LOOP_FILE
  const none = () => ({ longestMs: 0, longestUsedMs: 0, long: 0 })
  let times = none()
  const used = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let [atMs, usedMs] = [performance.now(), used()]
  setInterval(() => {
    const [nowMs, nowUsedMs] = [performance.now(), used()]
    const passedMs = nowMs - atMs - STEP_MS
    const workedMs = Math.min(passedMs, nowUsedMs - usedMs)
    atMs = nowMs
    usedMs = nowUsedMs
    times.longestMs = Math.max(times.longestMs, passedMs)
    times.longestUsedMs = Math.max(times.longestUsedMs, workedMs)
    if (workedMs > LONG_MS) times.long += 1
  }, STEP_MS).unref()
  setInterval(() => writeFileSync(file, JSON.stringify(times)), WRITE_MS).unref()
  process.on('SIGUSR2', () => {
    times = none()
  })
}
