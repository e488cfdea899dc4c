// The maintenance action of the pictures.
import type { MaintenanceAction, MaintenanceTouch } from '@playhead/sdk'
import type { Store } from './store.ts'

export function clearPictures(store: Pick<Store, 'count' | 'clear'>): MaintenanceAction {
  const touches = (items: number): readonly MaintenanceTouch[] =>
    items === 0
      ? []
      : [{ path: 'databases/pictures/pictures.sqlite', table: 'picture', label: 'pictures', op: 'delete', items }]
  return {
    describe: () => ({
      title: 'Clear the picture cache',
      note: 'Deletes posters and backdrops of media servers. They are downloaded again when they are shown.',
      group: 'cache',
      losesData: false,
      backupFirst: false,
      alone: false,
    }),
    preview: async () => ({ touches: touches((await store.count()).rows) }),
    run: async () => ({ touches: touches(await store.clear()) }),
  }
}
