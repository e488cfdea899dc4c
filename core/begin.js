// How much memory a process takes without need is settled when it begins: by the size of V8's young generation, and by the habits of the C
// library. Left alone, glibc keeps an arena for each thread and raises its own limits for what it returns, so that after a large sync tens
// of megabytes that nobody uses stay with the process. So the process begins anew in its own place, with better settings. JavaScript for the
// reason that start.js is.
import { fileURLToPath } from 'node:url'

/** Half of what V8 takes: little of what is young lives on. */
export const NODE_FLAGS = ['--max-semi-space-size=8']
/** https://www.gnu.org/software/libc/manual/html_node/Memory-Allocation-Tunables.html; other C libraries do not look at them. */
export const MALLOC_SETTINGS = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }

const START = fileURLToPath(new URL('./start.js', import.meta.url))

/**
 * Goes on as `start.js`, with the same process id and standard streams. Returns where all is set, so that nothing begins twice, and where a process
 * cannot do it: on Windows, and where a channel to a parent would be lost. Flags and variables that somebody set stay as they are.
 * @param {readonly string[]} args those of `start.js`
 */
export function beginAnew(args) {
  const { execArgv, env, connected } = process
  const given = [...execArgv, ...(env.NODE_OPTIONS ?? '').split(' ')].map(nameOf)
  const flags = NODE_FLAGS.filter((flag) => !given.includes(nameOf(flag)))
  const isSet = flags.length === 0 && Object.keys(MALLOC_SETTINGS).every((name) => name in env)
  if (isSet || connected) return
  try {
    process.execve(process.execPath, [process.execPath, ...execArgv, ...flags, START, ...args], { ...MALLOC_SETTINGS, ...env })
  } catch {
    // It works without, and takes more memory.
  }
}

/** @param {string} flag */
const nameOf = (flag) => flag.split('=')[0]
