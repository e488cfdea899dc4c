// The capability `lists` in a real host, over an account in memory.
import { createTestHost } from '@playhead/sdk/testing'
import {
  LIBRARY,
  type LibraryService,
  type ListEntry,
  LISTS,
  type ListService,
  SYNC,
  type SyncService,
} from '@playhead/sdk'
import plugin from '../../../../plugins/services/sync/index.ts'
import { directoryOf, FakeLists } from './fake-lists.ts'

const MANIFEST = new URL('../../../../plugins/services/sync/plugin.json', import.meta.url)

export async function openLists() {
  const ann = new FakeLists('ANN')
  const recorded: object[] = []
  const host = await createTestHost({
    plugin,
    manifest: MANIFEST,
    capabilities: {
      accounts: directoryOf([ann]),
      'provider:ANN': ann,
      events: { record: async (events: readonly object[]) => void recorded.push(...events) },
    },
  })
  const lists = host.capability<ListService>(LISTS)
  const library = host.capability<LibraryService>(LIBRARY)
  const sync = host.capability<SyncService>(SYNC)
  return {
    ann,
    lists,
    library,
    recorded,
    async read(id: string, kind: 'playlist' | 'collection' = 'playlist') {
      const read = await lists.read({ provider: 'ANN', instance: 'default', kind, id })
      const entries: ListEntry[] = []
      for await (const page of lists.entries(read.readId)) entries.push(...page)
      return { read, entries }
    },
    async undo(planId: string) {
      const start = await library.undo(planId)
      if (start.status === 'accepted') return sync.finished(start.run_id)
      throw new Error(start.status)
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}
