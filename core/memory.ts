// How much memory the service takes for not collecting garbage. Left alone, V8 lets its heap grow to several times of what is in use
// before it collects: during a sync of a hundred thousand items to 300 MB for 90. This is a service on small machines, so from a
// certain size on it collects earlier: a tenth more processor time while it is large, and half the heap. Small, it is left alone.
import { setFlagsFromString } from 'node:v8'

const LARGE_BYTES = 270e6
const SMALL_BYTES = 250e6
const LOOK_EVERY_MS = 250
/** Heap growth between two collections, in per cent of what was left by the last one. 0: as V8 sees fit. */
const GROWTH_WHEN_LARGE = 40

/** Watches the size of the process for as long as it lives. */
export function collectEarlyWhenLarge(): void {
  let isLarge = false
  setInterval(() => {
    const bytes = process.memoryUsage.rss()
    if (isLarge ? bytes >= SMALL_BYTES : bytes <= LARGE_BYTES) return
    isLarge = !isLarge
    setFlagsFromString(`--heap-growing-percent=${isLarge ? GROWTH_WHEN_LARGE : 0}`)
  }, LOOK_EVERY_MS).unref()
}
