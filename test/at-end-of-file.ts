// What a test file started for all of its tests ends with the file, also where other files follow in the same process.
import t from 'tap'

const ends: (() => unknown)[] = []

/** What was registered last ends first. */
export function atEndOfFile(end: () => unknown): void {
  ends.push(end)
}

/** The runner of groups calls this between files. */
export async function endFile(): Promise<void> {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end()
}

// Of a file that runs alone.
t.teardown(endFile)
