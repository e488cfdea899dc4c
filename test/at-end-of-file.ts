// Resources that a test file starts for all of its tests are closed with the file, even if other files follow in the same
// process.
import t from 'tap'

const ends: (() => unknown)[] = []

/** Registered last, called first. */
export function atEndOfFile(end: () => unknown): void {
  ends.push(end)
}

/** The runner of groups calls this between files. */
export async function endFile(): Promise<void> {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end()
}

// For a file that runs alone.
t.teardown(endFile)
