// Values that are made once for everyone who asks, kept for as long as their revision holds, and released after the last
// one who uses them.

export interface Shared<Value> {
  /** `make` is called unless the value of this name and revision is there or on its way. Failures are not kept. */
  take(name: string, revision: string, make: () => Promise<Value>): Promise<Taken<Value>>
}

export interface Taken<Value> extends Disposable {
  readonly value: Value
}

interface Entry<Value> {
  readonly revision: string
  readonly value: Promise<Value>
  /** Those who use it, and one while it is kept. */
  users: number
}

/** @param most so many are kept, those that were asked for last */
export function createShared<Value>(most: number, release: (value: Value) => void = () => {}): Shared<Value> {
  const kept = new Map<string, Entry<Value>>()

  function leave(entry: Entry<Value>): void {
    entry.users -= 1
    if (entry.users === 0) entry.value.then(release, () => {})
  }

  function drop(name: string): void {
    const entry = kept.get(name)
    if (entry === undefined) return
    kept.delete(name)
    leave(entry)
  }

  return {
    async take(name, revision, make) {
      let entry = kept.get(name)
      if (entry?.revision !== revision) {
        drop(name)
        entry = { revision, value: make(), users: 1 }
      }
      kept.delete(name)
      kept.set(name, entry)
      for (const [oldest] of [...kept].slice(0, -most)) drop(oldest)
      entry.users += 1
      try {
        return { value: await entry.value, [Symbol.dispose]: () => leave(entry) }
      } catch (error) {
        leave(entry)
        if (kept.get(name) === entry) drop(name)
        throw error
      }
    },
  }
}
