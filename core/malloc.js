// How the C library gives memory back. Left alone, glibc keeps an arena for each thread and raises its own limits for what it returns,
// so that after a large sync tens of megabytes that nobody uses stay with the process. Its settings are read once, when a process
// begins; so the process begins anew in its own place, with them. JavaScript for the reason that start.js is.

/** https://www.gnu.org/software/libc/manual/html_node/Memory-Allocation-Tunables.html; other C libraries do not look at them. */
export const MALLOC_SETTINGS = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }

/** Does not return when it begins anew: same process id, arguments, and standard streams. What the environment sets stays as it is. */
export function beginWithMallocSettings() {
  const isSet = Object.keys(MALLOC_SETTINGS).every((name) => name in process.env)
  // A channel to a parent would be lost.
  if (process.platform !== 'linux' || isSet || process.connected) return
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], { ...MALLOC_SETTINGS, ...process.env })
}
