// Exports the event archive as JSON Lines, one file per hour.
import { definePlugin, EVENT_ARCHIVE, isPlayheadError, HEALTH_DETAIL } from '@playhead/sdk'
import { exportEvents } from './export.ts'
import { recoverPosition } from './position.ts'
import { EventsExportConfig } from './settings.ts'

interface LastPass {
  readonly atMs: number
  readonly written: number
  readonly problem: string | null
}

export default definePlugin<typeof EventsExportConfig>({
  config: EventsExportConfig,
  setup(ctx) {
    const files = ctx.files.shared('exports')
    const archive = ctx.use(EVENT_ARCHIVE)
    let last: LastPass | null = null

    async function pass(signal: AbortSignal, atMs: number): Promise<void> {
      if (!ctx.config.enabled || ctx.tryUse(EVENT_ARCHIVE) === undefined) {
        await recoverPosition(files)
        return
      }
      const written = await exportEvents({
        files,
        archive,
        config: ctx.config,
        redact: ctx.host.redact,
        now: () => atMs,
        signal,
      })
      last = { atMs, written, problem: null }
    }

    // One pass at a time, even while a newer version of the plugin takes over.
    ctx.every('5m', 'export', async (signal, { dueAtMs }) => {
      try {
        await pass(signal, dueAtMs)
      } catch (error) {
        last = {
          atMs: dueAtMs,
          written: 0,
          problem: isPlayheadError(error) ? error.message : ((error as NodeJS.ErrnoException).code ?? 'unknown'),
        }
        throw error
      }
    })
    ctx.onConfigChange(() => {})
    ctx.tap(HEALTH_DETAIL, 'events-export', () => {
      const ok = last === null || last.problem === null
      return {
        name: 'event export',
        ok,
        detail: { enabled: ctx.config.enabled, last },
        ...(ok
          ? {}
          : {
              advice:
                'See that the folder exports can be written and that there is room on the disk. Nothing is lost: the next pass goes on where this one ended.',
            }),
      }
    })
  },
})
