// Ends what a test file started for all of its tests, before the next file of the same process begins.
import t from 'tap'

const ends: (() => unknown)[] = []
let isGroup = false

/** The last one registered runs first. */
export function atEndOfFile(end: () => unknown): void {
  // tap ends all tests of the process as soon as it has something to tear down and no test runs.
  if (ends.length === 0 && !isGroup) t.teardown(endFile)
  ends.push(end)
}

/** For the runner, which ends each file itself. */
export function startGroup(): void {
  isGroup = true
}

export async function endFile(): Promise<void> {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end()
}
