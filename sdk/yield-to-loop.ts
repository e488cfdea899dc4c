/** Resolves after everything else that waits had its turn: between the pages of long work on the main thread. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
