// Settings of V8 and the C library. The one place for them: core/start.js begins the process again with what is missing,
// and the Dockerfile and playhead.service give it at once. JavaScript, because it comes before everything else.

import { setFlagsFromString } from 'node:v8'

export const FLAGS = [
  // The young generation grows to 48 MB in a start and keeps them. More collections of a small one cost less than 5 % of
  // the processor time of a large sync.
  '--max-semi-space-size=4',
  // Collects the old generation when it holds this much, for the first time: a start needs 30 MB, and was interrupted by
  // two collections that freed nearly nothing, and followed by two more.
  '--initial-old-space-size=48',
  // Collects when a heap has grown by this much, instead of to twice and more: in a sync of 40,000 items the heap of the
  // answering thread was 190 MB, of which 80 were in use. With 30 percent it is about 90 MB in mixed use.
  '--heap-growing-percent=30',
  // One thread beside the main one that compiles and collects, instead of four, each with memory of its own.
  '--v8-pool-size=1',
  // Returns the pages of a heap when they are free. The pool keeps those of threads that ended: 28 MB a minute after a sync.
  '--no-memory-pool',
]

/** For glibc; other C libraries ignore them. A threshold that is given does not grow with what was freed. */
export const VARIABLES = {
  // One for the main thread and one for all others, instead of one for each: what lives as long as the service lies apart
  // from what ends with a thread. On a loaded machine mixed use leaves 4 MB less than with one for all; on a quiet one a
  // sync leaves the same.
  MALLOC_ARENA_MAX: '2',
  // Blocks of this size go back when they are freed. Among the small ones of threads that come and go they left gaps: of
  // 54 MB after mixed use 17 were in use, and of 35 MB with this size 13.
  MALLOC_MMAP_THRESHOLD_: '16384',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

/**
 * Replaces the process by itself with the settings that it lacks; the number of the process stays. Settings that were
 * given by hand stay, too. Does nothing where the system cannot replace a process (Windows).
 *
 * @param {NodeJS.Process} process
 */
export function beginWithSettings(process) {
  const given = `${process.execArgv.join(' ')} ${process.env.NODE_OPTIONS ?? ''}`
  const flags = FLAGS.filter((flag) => !given.includes(/** @type {string} */ (flag.split('=')[0])))
  const variables = Object.entries(VARIABLES).filter(([name]) => process.env[name] === undefined)
  if (process.platform === 'win32' || process.execve === undefined || flags.length + variables.length === 0) {
    forgetSizesOfTheMainThread()
    return
  }
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...flags, ...process.argv.slice(1)], {
    ...process.env,
    ...Object.fromEntries(variables),
  })
}

/**
 * Sizes of the main thread alone. The initial one would let each later thread grow by as much, 40 MB more in a large sync;
 * the young generation has precedence over the limits of a thread, so that each of a database took 8 MB instead of 2.
 */
function forgetSizesOfTheMainThread() {
  setFlagsFromString('--initial-old-space-size=0')
  setFlagsFromString('--max-semi-space-size=0')
}
