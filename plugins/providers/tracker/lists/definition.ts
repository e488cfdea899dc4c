// The lists of a workspace as account lists.
import type { ListDefinition } from '@playhead/sdk'
import type { Workspace } from '../scrobble.ts'

export const LISTS: ListDefinition<Workspace> = {
  support: {
    list: {
      can: ['add', 'remove', 'move', 'create', 'rename', 'delete', 'clear'],
      kinds: ['movie', 'show', 'season', 'episode'],
      ordered: true,
      duplicates: false,
      byEntry: false,
      maxBatch: 250,
      losses: { delete: ['list', 'entries', 'order'], clear: ['entries', 'order'] },
    },
  },
  all: async ({ store, account }) =>
    (await store.lists(account.instance, account.current())).map(({ list_id: id, title, count }) => ({
      id,
      kind: 'list',
      title,
      count,
      shared: false,
    })),
  read: ({ store, account }, request, signal) => store.readList(account.instance, account.current(), request, signal),
  write: ({ store, account }, request) => store.writeList(account.instance, account.current(), request),
  async create({ store, account }, { title }) {
    const id = await store.createList(account.instance, account.current(), title)
    return { id, kind: 'list', title, count: 0, shared: false }
  },
  rename: ({ store, account }, { id }, title) => store.renameList(account.instance, account.current(), id, title),
  delete: ({ store, account }, { id }) => store.deleteList(account.instance, account.current(), id),
}
