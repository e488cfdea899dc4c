// How much memory the service takes for not collecting garbage. Left alone, V8 lets its heap grow to several times of what is in use
// before it collects: during a sync of a hundred thousand items to 300 MB for 90. This is a service on small machines, so it collects the
// earlier the larger the heap is: hardly more processor time, because most garbage dies young, and a third of the heap. And small
// collections, of which a run has some sixty a second, are done by the thread that needs them: on two processors it waited for its helpers
// to get one of them, at worst 100 ms for what takes it 5, and for nothing, as what is young and alive is little
// (`--max-semi-space-size` of `begin.js`). The large ones have helpers that mark meanwhile, and these give way to it.
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

const LOOK_EVERY_MS = 250
/** How Node names their threads. */
const HELPERS = 'node-V8Worker'
/** A third of a processor where somebody else wants it. */
const HELPER_NICENESS = 5
const LOWEST_NICENESS = 19
/** As long as a start takes, which loads most of what is ever loaded. */
const FIRST_LOOK_AFTER_MS = 10_000
const USUAL_PERCENT = 60
/**
 * From a size of the heap on: how much it may grow until the next collection, in per cent of what the last one left. A change makes V8
 * compile anew what it would have found in its compile cache, so there is none during a start and before a heap is large.
 */
const GROWTH = [{ fromBytes: 100e6, percent: 25 }, { fromBytes: 85e6, percent: 40 }, { fromBytes: 0, percent: USUAL_PERCENT }] as const

/**
 * Sets how garbage is collected, and watches the size of the heap for as long as the process lives. V8 asks for the growth at the end of a
 * collection, for the next one.
 */
export function tuneCollection(): void {
  letHelpersGiveWay()
  setFlagsFromString('--no-parallel-scavenge')
  let set: number = USUAL_PERCENT
  setFlagsFromString(`--heap-growing-percent=${set}`)
  const look = () => {
    const bytes = getHeapStatistics().total_heap_size
    const { percent } = GROWTH.find(({ fromBytes }) => bytes >= fromBytes)!
    if (percent === set) return
    set = percent
    setFlagsFromString(`--heap-growing-percent=${percent}`)
  }
  setTimeout(() => setInterval(look, LOOK_EVERY_MS).unref(), FIRST_LOOK_AFTER_MS).unref()
}

/**
 * Those who mark and compile are four, on any machine, and the thread that answers waited for them by tens of milliseconds. On Linux, as only
 * there a thread has a priority of its own: https://man7.org/linux/man-pages/man2/setpriority.2.html
 */
function letHelpersGiveWay(): void {
  if (process.platform !== 'linux') return
  try {
    for (const thread of readdirSync('/proc/self/task')) {
      const name = readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
      if (name === HELPERS) setPriority(Number(thread), Math.min(LOWEST_NICENESS, getPriority() + HELPER_NICENESS))
    }
  } catch {
    // Where a sandbox does not allow it, they work all the same.
  }
}
