// Assigns an error that no test catches to the test that runs. tap finds that test by following each promise of the process with
// async hooks, which takes a sixth of the processor time. Tests of a group run in sequence, so it is the innermost open one.
import type { Base, TAP, Test, TestBaseEvents } from 'tap'

type Followed = Base<TestBaseEvents>

/**
 * The test may not end any more. tap can abort it, but one that ends later than that ends twice, and the test that runs then is
 * cut: so it gets some time.
 */
const TO_END_MS = 1_000
const EVENTS = ['uncaughtException', 'unhandledRejection'] as const

/** Called once, before the first test. */
export function reportUncaught(root: TAP): void {
  let running: readonly Followed[] = []
  const follow = (test: Followed): void => {
    running = [...running, test]
    test.hookDomain.destroy()
    test.on('subtestAdd', ({ hookDomain }) => hookDomain.destroy())
    test.on('subtestStart', (subtest) => follow(subtest))
    // The next test may begin before the end of this one is known.
    test.on('subtestEnd', (subtest) => {
      running = running.filter((one) => !isWithin(one, subtest))
    })
  }
  // Begins to write, and with it a second domain of the root, for errors outside of all tests.
  root.pipe(process.stdout)
  root.hook.onDestroy?.()
  follow(root)
  for (const event of EVENTS)
    process.on(event, (error: unknown) => {
      // Like tap, leave it to others that listen, such as a service that contains errors of its plugins.
      if (process.listenerCount(event) !== 1) return
      const test = running.at(-1)
      if (test === undefined || test === root || !('error' in test)) return test?.hookDomain.onerror(error, event)
      const found = error instanceof Error ? error : new Error(`${event}: ${String(error)}`)
      // Its frames, without the message.
      const stack = found.stack?.replace(/^.*?(?=^ +at )/ms, '')
      ;(test as Test).error(found, { tapCaught: event, stack })
      test.setTimeout(TO_END_MS)
    })
}

function isWithin(test: Followed, other: Followed): boolean {
  return test === other || (test.parent !== undefined && isWithin(test.parent, other))
}
