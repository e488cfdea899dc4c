import { ACCOUNTS, EXPORTERS, LIBRARY, type PluginContext } from '@playhead/sdk'
import { createRowSource, type RowSource } from './row-source.ts'
import type { Format, Offered } from './selection.ts'
import type { ExportSettings } from './settings.ts'
import { createTotals, type Totals } from './totals.ts'

export interface Parts extends Offered {
  readonly rows: RowSource
  readonly totals: Totals
}

export function createParts(ctx: PluginContext<ExportSettings>): Parts {
  const accounts = ctx.use(ACCOUNTS)
  return {
    async formats() {
      const found = await Promise.all(
        ctx.capabilities(EXPORTERS).map(async (reference): Promise<Format | undefined> => {
          const exporter = ctx.use(reference)
          try {
            return { exporter, description: await exporter.describe() }
          } catch (error) {
            // A disabled or broken exporter must not hide the others.
            ctx.log.warn({ err: error, exporter: reference.token }, 'an exporter could not be described')
            return undefined
          }
        }),
      )
      return found
        .filter((one) => one !== undefined)
        .sort((a, b) => a.description.label.localeCompare(b.description.label, 'en'))
    },
    accounts,
    timeZone: () => ctx.config.time_zone.trim(),
    rows: createRowSource(ctx.use(LIBRARY)),
    totals: createTotals(),
  }
}
