// A plugin's key-value storage, in memory. Values go through JSON, as they do on disk.
import { type KeyValueStore, VALUES_AT_ONCE } from '../context.ts'
import { PlayheadError } from '../errors.ts'

interface Entry {
  readonly text: string
  readonly expiresAtMs: number
}

export function createKeyValueStore({
  quotaBytes,
  now,
}: {
  readonly quotaBytes: number
  readonly now: () => number
}): KeyValueStore {
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
  const usedBeside = (keys: Iterable<string>): number => {
    let own = 0
    for (const key of keys) {
      const entry = live(key)
      if (entry !== undefined) own += bytesOf(key, entry.text)
    }
    // Last: what turned out to have expired no longer counts.
    return bytes - own
  }

  function setAll(values: ReadonlyMap<string, unknown>, ttlMs: number | undefined): void {
    if (values.size > VALUES_AT_ONCE)
      throw new TypeError(`${values.size} entries cannot be stored at once; at most ${VALUES_AT_ONCE} can be.`)
    const texts = new Map(
      [...values].map(([key, value]) => {
        const text = JSON.stringify(value) as string | undefined
        if (text === undefined) throw new TypeError(`The value of "${key}" cannot be stored as JSON.`)
        return [key, text] as const
      }),
    )
    const own = [...texts].reduce((sum, [key, text]) => sum + bytesOf(key, text), 0)
    if (usedBeside(texts.keys()) + own > quotaBytes) for (const other of entries.keys()) live(other)
    const needed = usedBeside(texts.keys()) + own
    if (needed > quotaBytes) {
      throw new PlayheadError(
        'PLH_QUOTA',
        `The plugin may store ${quotaBytes} bytes and would need ${needed}. Delete entries, or raise needs.storage in plugin.json.`,
      )
    }
    bytes = needed
    for (const [key, text] of texts)
      entries.set(key, { text, expiresAtMs: ttlMs === undefined ? Infinity : now() + ttlMs })
  }

  return {
    async get<T>(key: string) {
      const entry = live(key)
      return entry === undefined ? undefined : (JSON.parse(entry.text) as T)
    },
    set: async (key, value, ttlMs) => setAll(new Map([[key, value]]), ttlMs),
    setMany: async (values, ttlMs) => setAll(values, ttlMs),
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
    async *entries<T>() {
      for (const key of entries.keys()) {
        const entry = live(key)
        if (entry !== undefined) yield [key, JSON.parse(entry.text) as T] as const
      }
    },
  }
}
