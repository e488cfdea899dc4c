// The maintenance action of the archive: replaces it with a new, empty file.
import type { MaintenanceAction, MaintenanceEffect } from '@playhead/sdk'
import type { Archive } from '../store/archive.ts'
import { SCHEMA_VERSION } from '../store/schema.ts'
import { statusOf } from '../query/status.ts'

const PATH = 'databases/events/archive.sqlite'

export function rebuildArchive(archive: Archive): MaintenanceAction {
  async function effect(): Promise<MaintenanceEffect> {
    const { events, runs, ...status } = await statusOf(archive)
    // Still worth a backup: the damaged file may contain readable events.
    if (!status.available)
      return { touches: [{ path: PATH, label: 'archive file', op: 'delete', items: 1 }], details: status }
    return {
      touches: [
        { path: PATH, table: 'event', label: 'events', op: 'delete' as const, items: events },
        { path: PATH, table: 'run', label: 'runs', op: 'delete' as const, items: runs },
      ].filter(({ items }) => items > 0),
      details: { ...status, events, runs, expected_schema_version: SCHEMA_VERSION },
    }
  }
  return {
    describe: () => ({
      title: 'Rebuild the event archive',
      note: 'Replaces the archive with an empty one. All events are lost. A damaged file is also replaced.',
      group: 'events',
      losesData: true,
      backupFirst: true,
      alone: false,
    }),
    preview: effect,
    async run() {
      const before = await effect()
      const database = await archive.database()
      await archive.writer.alone(async () => {
        await database.replace()
        archive.facets.forget()
      })
      return before
    },
  }
}
