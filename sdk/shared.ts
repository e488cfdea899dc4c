// A cache of values by name and revision, shared by concurrent callers and released after the last use.

interface Shared<Value> {
  /** Calls `make` unless the value of this name and revision is cached or in progress. Failures are not cached. */
  take(name: string, revision: string, make: () => Promise<Value>): Promise<Taken<Value>>
}

interface Taken<Value> extends Disposable {
  readonly value: Value
}

interface Entry<Value> {
  readonly revision: string
  readonly value: Promise<Value>
  /** Number of callers, plus one while the value is cached. */
  users: number
}

/**
 * For values that take long to make, or hold a database or memory.
 *
 * @param limit number of cached values; the least recently used are dropped
 * @param release called after the last use of a dropped value
 *
 * @example
 * const lists = createShared<List>(2, (list) => list.release())
 * using taken = await lists.take(name, revision, () => makeList(name))
 * return taken.value.page(query)
 */
export function createShared<Value>(limit: number, release: (value: Value) => void = () => {}): Shared<Value> {
  const cached = new Map<string, Entry<Value>>()

  function unref(entry: Entry<Value>): void {
    entry.users -= 1
    if (entry.users === 0) entry.value.then(release, () => {})
  }

  function drop(name: string): void {
    const entry = cached.get(name)
    if (entry === undefined) return
    cached.delete(name)
    unref(entry)
  }

  return {
    async take(name, revision, make) {
      let entry = cached.get(name)
      if (entry?.revision !== revision) {
        drop(name)
        entry = { revision, value: make(), users: 1 }
      }
      cached.delete(name)
      cached.set(name, entry)
      for (const [oldest] of [...cached].slice(0, -limit)) drop(oldest)
      entry.users += 1
      try {
        return { value: await entry.value, [Symbol.dispose]: () => unref(entry) }
      } catch (error) {
        unref(entry)
        if (cached.get(name) === entry) drop(name)
        throw error
      }
    },
  }
}
