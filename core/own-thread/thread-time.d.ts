// Types of the script, for TypeScript that reads no JavaScript: that of plugins outside of the repository.

/** Number of the calling thread; null where it is unknown. */
export function ownThread(): number | null

/** Time that the thread used the processor, and whether it sleeps. Null if it cannot be read. */
export function threadTime(thread: number | null): { readonly usedMs: number; readonly isSleeping: boolean } | null
