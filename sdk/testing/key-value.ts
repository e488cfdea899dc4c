// A plugin's key-value storage, in memory. Values go through JSON, as they do on disk.
import type { KeyValueStore } from '../context.ts'
import { PlayheadError } from '../errors.ts'

interface Entry {
  readonly text: string
  readonly expiresAtMs: number
}

export function createKeyValueStore({ quotaBytes, now }: { readonly quotaBytes: number; readonly now: () => number }): KeyValueStore {
  const entries = new Map<string, Entry>()
  /** Of all entries, with those that expired and were not looked at since. */
  let bytes = 0

  const live = (key: string): Entry | undefined => {
    const entry = entries.get(key)
    if (entry === undefined || entry.expiresAtMs > now()) return entry
    drop(key, entry)
    return undefined
  }
  const bytesOf = (key: string, text: string) => Buffer.byteLength(key) + Buffer.byteLength(text)
  const drop = (key: string, { text }: Entry): boolean => {
    bytes -= bytesOf(key, text)
    return entries.delete(key)
  }
  const usedBeside = (key: string): number => {
    const own = live(key)
    return bytes - (own === undefined ? 0 : bytesOf(key, own.text))
  }

  return {
    async get<T>(key: string) {
      const entry = live(key)
      return entry === undefined ? undefined : JSON.parse(entry.text) as T
    },
    async set(key, value, ttlMs) {
      const text = JSON.stringify(value) as string | undefined
      if (text === undefined) throw new TypeError(`The value of "${key}" cannot be stored as JSON.`)
      const own = bytesOf(key, text)
      if (usedBeside(key) + own > quotaBytes) for (const other of entries.keys()) live(other)
      const needed = usedBeside(key) + own
      if (needed > quotaBytes) {
        throw new PlayheadError(
          'PLH_QUOTA',
          `The plugin may store ${quotaBytes} bytes and would need ${needed}. Delete entries, or raise needs.storage in plugin.json.`,
        )
      }
      bytes = needed
      entries.set(key, { text, expiresAtMs: ttlMs === undefined ? Infinity : now() + ttlMs })
    },
    async delete(key) {
      const entry = live(key)
      return entry !== undefined && drop(key, entry)
    },
    async has(key) {
      return live(key) !== undefined
    },
    async clear() {
      entries.clear()
      bytes = 0
    },
    async* entries<T>() {
      for (const key of entries.keys()) {
        const entry = live(key)
        if (entry !== undefined) yield [key, JSON.parse(entry.text) as T] as const
      }
    },
  }
}
