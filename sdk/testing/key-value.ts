// A plugin's key-value storage, in memory. Values go through JSON, as they do on disk.
import type { KeyValueStore } from '../context.ts'
import { PlayheadError } from '../errors.ts'

interface Entry {
  readonly text: string
  readonly expiresAtMs: number
}

export function createKeyValueStore({ quotaBytes, now }: { readonly quotaBytes: number; readonly now: () => number }): KeyValueStore {
  const entries = new Map<string, Entry>()

  const live = (key: string): Entry | undefined => {
    const entry = entries.get(key)
    if (entry === undefined || entry.expiresAtMs > now()) return entry
    entries.delete(key)
    return undefined
  }
  const bytesOf = (key: string, text: string) => Buffer.byteLength(key) + Buffer.byteLength(text)

  return {
    async get<T>(key: string) {
      const entry = live(key)
      return entry === undefined ? undefined : JSON.parse(entry.text) as T
    },
    async set(key, value, ttlMs) {
      const text = JSON.stringify(value) as string | undefined
      if (text === undefined) throw new TypeError(`The value of "${key}" cannot be stored as JSON.`)
      const used = [...entries].reduce(
        (sum, [other, { text: stored }]) => (other === key || live(other) === undefined ? sum : sum + bytesOf(other, stored)),
        0,
      )
      const needed = used + bytesOf(key, text)
      if (needed > quotaBytes) {
        throw new PlayheadError(
          'PLH_QUOTA',
          `The plugin may store ${quotaBytes} bytes and would need ${needed}. Delete entries, or raise needs.storage in plugin.json.`,
        )
      }
      entries.set(key, { text, expiresAtMs: ttlMs === undefined ? Infinity : now() + ttlMs })
    },
    async delete(key) {
      return live(key) !== undefined && entries.delete(key)
    },
    async has(key) {
      return live(key) !== undefined
    },
    async clear() {
      entries.clear()
    },
    async* entries<T>() {
      for (const key of entries.keys()) {
        const entry = live(key)
        if (entry !== undefined) yield [key, JSON.parse(entry.text) as T] as const
      }
    },
  }
}
