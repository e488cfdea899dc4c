// Assigns an error that no test catches to the test that runs. tap finds that test by following each promise of the process with
// async hooks, which takes a sixth of the processor time. Tests of a group run in sequence, so it is the innermost open one.
import type { Base, TAP, TestBaseEvents } from 'tap'

type Followed = Base<TestBaseEvents>

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const

/** Called once, before the first test. */
export function reportUncaught(root: TAP): void {
  const running: Followed[] = []
  const follow = (test: Followed): void => {
    running.push(test)
    test.hookDomain.destroy()
    test.on('subtestAdd', ({ hookDomain }) => hookDomain.destroy())
    test.on('subtestStart', (subtest) => follow(subtest))
    test.on('subtestEnd', (subtest) => {
      if (running.includes(subtest)) running.splice(running.indexOf(subtest))
    })
  }
  // Begins to write, and with it a second domain of the root, for errors outside of all tests.
  root.pipe(process.stdout)
  root.hook.onDestroy?.()
  follow(root)
  for (const event of EVENTS)
    process.on(event, (error: unknown) => {
      // Like tap, leave it to others that listen, such as a service that contains errors of its plugins.
      if (process.listenerCount(event) === 1) running.at(-1)?.hookDomain.onerror(error, event)
    })
}
