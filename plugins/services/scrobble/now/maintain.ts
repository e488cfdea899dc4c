// The maintenance action of current playback: forgets the displayed sessions.
import type { MaintenanceAction } from '@playhead/sdk'
import type { Current } from './current.ts'

export function resetPlaying(current: Pick<Current, 'rows' | 'clear'>): MaintenanceAction {
  const effect = (items: number) => ({
    touches: items === 0 ? [] : [{ path: '', label: 'sessions', op: 'delete' as const, items }],
  })
  return {
    describe: () => ({
      title: 'Clear what is playing',
      note: 'Removes the displayed sessions. Active sessions appear again with their next report. No play is lost.',
      group: 'activity',
      losesData: false,
      backupFirst: false,
      alone: false,
    }),
    preview: async () => effect(current.rows().length),
    async run() {
      const items = current.rows().length
      current.clear()
      return effect(items)
    },
  }
}
