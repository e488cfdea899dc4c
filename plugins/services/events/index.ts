// The event archive: stores what happened in its own database file and searches it.
import {
  definePlugin,
  EVENT_ARCHIVE,
  type EventRecord,
  LIBRARY,
  MAINTENANCE,
  HEALTH_DETAIL,
  CONFIG_SAVED,
  ACCOUNTS,
  SYNC,
} from '@playhead/sdk'
import { createArchive } from './store/archive.ts'
import { withoutAudit } from './store/foreign-records.ts'
import { fromBus, RECORDED_EVENTS } from './store/bus-table.ts'
import { registerListRoutes } from './routes/list-routes.ts'
import { registerManageRoutes } from './routes/manage-routes.ts'
import { rebuildArchive } from './manage/maintain.ts'
import { prune } from './manage/retention.ts'
import { EventsConfig } from './settings.ts'
import { openRecords } from './store/source-state.ts'

export default definePlugin({
  config: EventsConfig,
  setup(ctx) {
    const archive = createArchive(ctx)
    const { flushed, itemTrace, since, facts } = archive
    ctx.provide(EVENT_ARCHIVE, {
      record: async (records) => await archive.record(withoutAudit(records)),
      flushed,
      itemTrace,
      since,
      facts,
    })
    ctx.provide(MAINTENANCE.of('events-rebuild'), rebuildArchive(archive), { whileDormant: ['describe'] })
    ctx.after(0, () => archive.closeInterrupted())
    ctx.onConfigChange(() => {})
    ctx.cron('40 3 * * *', 'retention', async (signal) => {
      const { events, groups } = await prune(archive, ctx.config.retention, signal)
      if (events > 0) ctx.log.info({ events, groups }, 'old events were deleted')
    })
    const record = async (event: Parameters<typeof fromBus>[0]) => {
      const found = fromBus(event)
      if (found !== undefined) await archive.record([found])
    }
    // plugin.json says which of them load this plugin.
    for (const name of RECORDED_EVENTS) ctx.events.on(name, record)
    ctx.tap(CONFIG_SAVED, 'events', async ({ paths }) => {
      const data = { fields: paths.slice(0, 200) }
      await record({ name: 'config.saved', atMs: archive.now(), source: 'core', data })
    })
    ctx.tap(HEALTH_DETAIL, 'events', async () => {
      const setAside = archive.setAside()
      const dropped = archive.writer.dropped()
      const ok = setAside === null && dropped === 0
      return {
        name: 'event archive',
        ok,
        detail: { set_aside: setAside, dropped },
        ...(ok
          ? {}
          : {
              advice:
                'Events were lost, or a damaged file was set aside: see that the disk works and has room. The sync itself does not need the archive.',
            }),
      }
    })
    return archive
  },
  routes(app, archive) {
    const ctx = app.playhead
    const sync = () => ctx.tryUse(SYNC) ?? null
    registerListRoutes(app, archive, {
      sync,
      library: () => ctx.tryUse(LIBRARY) ?? null,
      accounts: () => ctx.tryUse(ACCOUNTS) ?? null,
    })
    registerManageRoutes(app, {
      archive,
      signal: ctx.signal,
      state: async (): Promise<readonly EventRecord[]> => {
        const service = sync()
        return service === null ? [] : await openRecords(service)
      },
      activeRun: async () => (await sync()?.active())?.run_id ?? null,
    })
  },
})
