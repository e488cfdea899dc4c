// tap removes the folder of a test before its teardown if the test made the folder first, while a service that is still to be
// stopped writes there. The order of the two is that in which a test uses them first, so the teardown comes first here.
import type { Base, Test, TestBaseEvents } from 'tap'

/** Called for each test that begins. */
export function tearDownBeforeRemoving(test: Base<TestBaseEvents>): void {
  if ('teardown' in test) (test as Test).teardown(() => {})
  test.on('subtestStart', tearDownBeforeRemoving)
}
