// How much memory the service takes for not collecting garbage. Left alone, V8 lets its heap grow to several times of what is in use
// before it collects: during a sync of a hundred thousand items to 300 MB for 90. This is a service on small machines, so from a
// certain size on it collects early: hardly more processor time, because most garbage dies young, and a third of the heap. Small, as
// it is for most of a start, it is left alone.
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

const LARGE_BYTES = 30e6
const SMALL_BYTES = 25e6
const LOOK_EVERY_MS = 250
/** Heap growth between two collections, in per cent of what was left by the last one. 0: as V8 sees fit. */
const GROWTH_WHEN_LARGE = 25

/** Watches the size of the heap for as long as the process lives. V8 asks for the growth at the end of a collection, for the next one. */
export function collectEarlyWhenLarge(): void {
  let isLarge = false
  setInterval(() => {
    const bytes = getHeapStatistics().total_heap_size
    if (isLarge ? bytes >= SMALL_BYTES : bytes <= LARGE_BYTES) return
    isLarge = !isLarge
    setFlagsFromString(`--heap-growing-percent=${isLarge ? GROWTH_WHEN_LARGE : 0}`)
  }, LOOK_EVERY_MS).unref()
}
