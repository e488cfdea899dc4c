// CPU time from Linux; on other systems that of child processes is unknown.
import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** Seconds of CPU time of this process, including all threads. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Seconds of CPU time of ended child processes and their children; NaN where it is not available. */
export function processorSecondsOfChildren(): number {
  try {
    const text = readFileSync('/proc/self/stat', 'utf8')
    // Fields after the name, which is in brackets and may contain spaces: cutime and cstime are the 16th and 17th field.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
  } catch {
    return Number.NaN
  }
}
