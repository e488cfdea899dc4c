// The notes, in the plugin's key-value storage: the newest last.
import type { KeyValueStore } from '@playhead/sdk'

export interface Notes {
  list(): Promise<readonly string[]>
  /** @returns how many there are now */
  add(text: string): Promise<number>
  /** Takes the oldest away. */
  trim(): Promise<void>
}

export function createNotes(store: KeyValueStore, keep: () => number): Notes {
  // Changes are made one after the other, so that none overwrites another.
  let last: Promise<unknown> = Promise.resolve()
  const change = (edit: (notes: readonly string[]) => readonly string[]): Promise<readonly string[]> => {
    const next = last.then(async () => {
      const notes = edit(await list())
      await store.set('notes', notes)
      return notes
    })
    // A change that failed is reported to its caller; it does not hold up the next.
    last = next.catch(() => {})
    return next
  }
  const list = async (): Promise<readonly string[]> => (await store.get<readonly string[]>('notes')) ?? []

  return {
    list,
    add: async (text) => (await change((notes) => [...notes, text])).length,
    trim: async () => void (await change((notes) => notes.slice(-keep()))),
  }
}
