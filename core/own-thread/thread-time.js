// Processor time of one thread, from any other thread of the process: Linux has it in /proc. JavaScript, because the
// watchdog's thread imports it.
import { readFileSync, readlinkSync } from 'node:fs'

/** A clock tick of /proc/…/stat: USER_HZ is 100 on every architecture that Node supports. */
const TICK_MS = 10

/** Number of the calling thread; null where it is unknown. */
export function ownThread() {
  try {
    return Number(/\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))?.[1] ?? Number.NaN) || null
  } catch {
    return null
  }
}

/**
 * Time that the thread used the processor, and whether it sleeps: then it waits for something other than its turn or
 * the disk. Null on other systems, or if there is no such thread.
 * @param {number | null} thread
 * @returns {{ readonly usedMs: number, readonly isSleeping: boolean } | null}
 */
export function threadTime(thread) {
  if (thread === null) return null
  try {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
    // The name in field 2 may contain spaces and parentheses; field 3 is the state.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      usedMs: exactMs(thread) ?? (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      isSleeping: fields[0] === 'S',
    }
  } catch {
    return null
  }
}

/** Nanoseconds, if the kernel counts them. */
function exactMs(/** @type {number} */ thread) {
  try {
    return Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return null
  }
}
