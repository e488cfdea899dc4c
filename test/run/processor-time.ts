// Processor time as Linux counts it; elsewhere that of children is unknown.
import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** Seconds that this process used, in all of its threads. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Seconds of the processes that this one started and that have ended, and of theirs; NaN where it is not counted. */
export function processorSecondsOfChildren(): number {
  try {
    const text = readFileSync('/proc/self/stat', 'utf8')
    // Fields after the name, which is in brackets and may contain spaces: cutime and cstime are the 16th and 17th of all.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
  } catch {
    return Number.NaN
  }
}
