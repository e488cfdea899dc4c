// Access to the lists: one transaction per call, as for the rows.
import type { ItemOutcome, ListReadPart, ListReadRequest, ListWriteRequest, WriteResult } from '@playhead/sdk'
import type { Profile } from '../settings.ts'
import { nextChange } from '../snapshots.ts'
import type { Db, StoredState } from '../tables.ts'
import { closeEntries, readEntries, writeEntries } from './entries.ts'
import { addList, allLists, closeList, mustHaveList, type StoredList } from './headers.ts'

type Rules = Readonly<Profile>

/** Throws `PLH_NOT_FOUND` (`list_missing`) if the list does not exist. */
export interface ListStore {
  lists(instance: string, profile: Rules): Promise<readonly (StoredList & { readonly count: number })[]>
  readList(
    instance: string,
    profile: Rules,
    request: ListReadRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ListReadPart>
  writeList(instance: string, profile: Rules, request: ListWriteRequest): Promise<WriteResult>
  /** Returns its id. */
  createList(instance: string, profile: Rules, title: string): Promise<string>
  renameList(instance: string, profile: Rules, id: string, title: string): Promise<void>
  /** A list that does not exist counts as deleted. */
  deleteList(instance: string, profile: Rules, id: string): Promise<void>
}

interface ListStoreParts {
  readonly db: Db
  readonly now: () => number
  readonly readable: <Result>(work: () => Promise<Result>) => Promise<Result>
  readonly unwritable: (error: unknown, instance: string, feature: string) => ItemOutcome
  readonly ready: (trx: Db, instance: string, profile: Rules, feature: 'playlists') => Promise<StoredState>
}

export function createListStore({ db, now, readable, unwritable, ready }: ListStoreParts): ListStore {
  function onState<Result>(
    instance: string,
    profile: Rules,
    work: (trx: Db, state: StoredState) => Promise<Result>,
  ): Promise<Result> {
    return db.transaction().execute(async (trx) => work(trx, await ready(trx, instance, profile, 'playlists')))
  }

  return {
    lists: (instance, profile) => readable(() => onState(instance, profile, (trx, { space }) => allLists(trx, space))),

    async *readList(instance, profile, request, signal) {
      const state = await readable(() =>
        onState(instance, profile, async (trx, found) => {
          await mustHaveList(trx, found.space, request.list.id)
          return found
        }),
      )
      const parts = readEntries(db, state, request, signal)
      for (;;) {
        const { done, value } = await readable(() => parts.next())
        if (done === true) return
        yield value
      }
    },

    async writeList(instance, profile, request) {
      try {
        return await onState(instance, profile, async (trx, state) => {
          await mustHaveList(trx, state.space, request.list.id)
          return writeEntries(trx, state, request, now(), () => nextChange(trx, state, profile, now()))
        })
      } catch (error) {
        const outcome = unwritable(error, instance, 'playlists')
        return { outcomes: request.items.map(({ key }) => ({ key, ...outcome })) }
      }
    },

    createList: (instance, profile, title) =>
      readable(() =>
        onState(instance, profile, async (trx, state) => {
          const id = newId(now())
          await addList(trx, state.space, { list_id: id, title }, await nextChange(trx, state, profile, now()))
          return id
        }),
      ),

    renameList: (instance, profile, id, title) =>
      readable(() =>
        onState(instance, profile, async (trx, state) => {
          await mustHaveList(trx, state.space, id)
          const change = await nextChange(trx, state, profile, now())
          await closeList(trx, state.space, id, change, now())
          await addList(trx, state.space, { list_id: id, title }, change)
        }),
      ),

    deleteList: (instance, profile, id) =>
      readable(() =>
        onState(instance, profile, async (trx, state) => {
          const change = await nextChange(trx, state, profile, now())
          await closeList(trx, state.space, id, change, now())
          await closeEntries(trx, state.space, id, change, now())
        }),
      ),
  }
}

/** Sorts by the time of creation; never reused. */
function newId(nowMs: number): string {
  return `${nowMs.toString(16).padStart(12, '0')}${crypto.randomUUID().replaceAll('-', '').slice(12)}`
}
