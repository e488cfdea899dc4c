// Measures how much of the passed time this process could use: on a busy machine, or with a small quota, its threads
// wait for the processor, and their work takes longer without any fault. Linux counts that wait for each thread.
import { readdirSync, readFileSync } from 'node:fs'

const TASKS = '/proc/self/task'

let known = new Map<string, number>()
let sampledAtMs = -Infinity
let waitedMs = 0

/**
 * Milliseconds in which a thread of this process waited for a processor, summed up since the first call. Only
 * differences are meaningful; 0 on other systems.
 * @param ageMs how old the measurement may be
 */
export function waitedForProcessor(ageMs: number): number {
  const nowMs = performance.now()
  if (nowMs - sampledAtMs < ageMs) return waitedMs
  const isFirst = sampledAtMs === -Infinity
  sampledAtMs = nowMs
  const now = new Map<string, number>()
  let longestMs = 0
  for (const thread of threads()) {
    try {
      // Fields of schedstat: time on the processor, time of waiting for it (both in nanoseconds), number of turns.
      const ms = Number(readFileSync(`${TASKS}/${thread}/schedstat`, 'utf8').split(' ')[1]) / 1e6
      now.set(thread, ms)
      longestMs = Math.max(longestMs, ms - (known.get(thread) ?? 0))
    } catch {
      // The thread ended, or the kernel does not count.
    }
  }
  known = now
  if (!isFirst) waitedMs += longestMs
  return waitedMs
}

function threads(): readonly string[] {
  try {
    return readdirSync(TASKS)
  } catch {
    return []
  }
}
