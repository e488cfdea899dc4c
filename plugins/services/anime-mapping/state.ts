// The installed data sets and index. One value in the store: writing it atomically replaces the old data by the new.
import type { KeyValueStore } from '@playhead/sdk'
import type { Counts } from './index-file/build.ts'
import type { Slot } from './index-file/slots.ts'

/** A downloaded file. */
export interface DataFile {
  readonly file: string
  readonly size: number
  readonly sha256: string
  /** Empty if the server sent none. */
  readonly etag: string
}

export interface Installed {
  readonly tag: string
  readonly generatedOn: string
  readonly stats: Readonly<Record<string, unknown>>
  readonly statsEtag: string
  readonly mappings: DataFile
  readonly identities: DataFile | null
}

export interface BuiltIndex {
  readonly slot: Slot
  readonly build: string
  readonly schema: number
  readonly tag: string
  readonly builtAtMs: number
  readonly size: number
  readonly counts: Counts
}

interface Failure {
  readonly code: string
  readonly message: string
  readonly atMs: number
  /** Earliest time of the next attempt. */
  readonly retryAtMs: number
}

export interface State {
  readonly checkedAtMs: number
  readonly updatedAtMs: number
  readonly installed: Installed | null
  readonly index: BuiltIndex | null
  /** Why there is no identity table; empty if there is one. */
  readonly identityError: string
  readonly failure: Failure | null
}

const NOTHING: State = {
  checkedAtMs: 0,
  updatedAtMs: 0,
  installed: null,
  index: null,
  identityError: '',
  failure: null,
}
const KEY = 'state'

export interface StateStore {
  read(): Promise<State>
  /** Changes are serialized. */
  change(change: (state: State) => Partial<State>): Promise<State>
}

export function createStateStore(store: KeyValueStore): StateStore {
  let last: Promise<unknown> = Promise.resolve()
  const read = async () => ({ ...NOTHING, ...(await store.get<State>(KEY)) })
  return {
    read,
    change(change) {
      const changed = last.then(async () => {
        const state = await read()
        const next = { ...state, ...change(state) }
        await store.set(KEY, next)
        return next
      })
      last = changed.catch(() => {})
      return changed
    },
  }
}
