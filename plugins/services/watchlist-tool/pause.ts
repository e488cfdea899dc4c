// Lists may be long: whoever goes through one lets others have their turn in between.
export const CHUNK = 250

/** Resolves when other work had its turn. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** The list in parts, with a pause after each. */
export async function* inChunks<Value>(list: readonly Value[], size = CHUNK): AsyncGenerator<readonly Value[]> {
  for (let start = 0; start < list.length; start += size) {
    yield list.slice(start, start + size)
    await pause()
  }
}
