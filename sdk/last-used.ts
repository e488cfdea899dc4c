// Records when tokens were last used, every few minutes instead of with every request.
import type { KeyValueStore } from './context.ts'
import type { Logger } from './logger.ts'

const WRITE_EVERY_MS = 5 * 60_000

export interface LastUsed {
  /** Records a use; returns at once. */
  note(id: string): void
  /** Epoch milliseconds; null: never. After a crash a few minutes old. */
  at(id: string): Promise<number | null>
}

/**
 * For the tokens of a plugin, see `TOKEN_USES`.
 *
 * @example const lastUsed = createLastUsed(ctx)
 */
export function createLastUsed(
  { store, log }: { readonly store: KeyValueStore; readonly log: Logger },
  now: () => number = Date.now,
): LastUsed {
  const used = new Map<string, { atMs: number; writtenAtMs: number }>()
  const keyOf = (id: string) => `last_used:${id}`
  return {
    note(id) {
      const entry = used.get(id) ?? { atMs: 0, writtenAtMs: 0 }
      entry.atMs = now()
      used.set(id, entry)
      if (entry.atMs - entry.writtenAtMs < WRITE_EVERY_MS) return
      entry.writtenAtMs = entry.atMs
      store
        .set(keyOf(id), entry.atMs)
        .catch((error: unknown) => log.warn({ err: error }, 'the time a token was last used could not be stored'))
    },
    at: async (id) => used.get(id)?.atMs ?? (await store.get<number>(keyOf(id))) ?? null,
  }
}
