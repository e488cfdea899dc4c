// Maintenance actions of the activity log.
import type { MaintenanceAction, MaintenanceEffect } from '@playhead/sdk'
import type { Log } from './log.ts'
import { EVENTS, TARGETS } from './tables.ts'

const PATH = 'database.sqlite'

/** @param kind absent: all rows */
export function clearActivity(log: Log, title: string, note: string, kind?: string): MaintenanceAction {
  const effect = ({ events, targets }: Awaited<ReturnType<Log['counts']>>): MaintenanceEffect => ({
    touches: [
      { path: PATH, table: TARGETS, label: 'activity rows', op: 'delete' as const, items: targets },
      { path: PATH, table: EVENTS, label: 'watch events', op: 'delete' as const, items: events },
    ].filter(({ items }) => items > 0),
    details: { kind: kind ?? '' },
  })
  return {
    describe: () => ({ title, note, group: 'activity', losesData: true, backupFirst: false, alone: false }),
    preview: async () => effect(await log.counts(kind)),
    async run() {
      const before = await log.counts(kind)
      const { removed, remaining } = await log.capability.clear(kind)
      const { touches, details } = effect({ events: before.events, targets: removed })
      return { touches, details: { ...details, removed, remaining } }
    },
  }
}
