// The notes in the plugin's key-value storage, newest last.
import type { KeyValueStore } from '@playhead/sdk'

export interface Notes {
  list(): Promise<readonly string[]>
  /** @returns the number of notes */
  add(text: string): Promise<number>
  /** Removes the oldest notes. */
  trim(): Promise<void>
}

export function createNotes(store: KeyValueStore, keep: () => number): Notes {
  // Changes are serialized, so that none overwrites another.
  let last: Promise<unknown> = Promise.resolve()
  const change = (edit: (notes: readonly string[]) => readonly string[]): Promise<readonly string[]> => {
    const next = last.then(async () => {
      const notes = edit(await list())
      await store.set('notes', notes)
      return notes
    })
    // A failure is reported to its caller and does not block the next change.
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
