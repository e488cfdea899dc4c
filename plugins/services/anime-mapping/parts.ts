// The parts that routes, jobs and the capability share.
import type { AnimeMapping, JobHandle, PluginContext } from '@playhead/sdk'
import { createMapping } from './capability.ts'
import { type Coverage, createCoverage } from './coverage.ts'
import { createSlots } from './index-file/slots.ts'
import { createRuleStore, type RuleStore } from './overrides/rules.ts'
import type { Settings } from './settings.ts'
import { createStateStore, type StateStore } from './state.ts'
import { type Automatic, createAutomatic } from './update/automatic.ts'
import { createDownloads } from './update/download.ts'
import { createUpdates, type Updates } from './update/update.ts'

export interface Parts {
  readonly state: StateStore
  readonly rules: RuleStore
  readonly updates: Updates
  readonly automatic: Automatic
  readonly mapping: AnimeMapping
  readonly coverage: Coverage
  /** The job of `setup`. */
  setJob(job: JobHandle): void
}

export function createParts(ctx: PluginContext<Settings>): Parts {
  const { store, files, log, host } = ctx
  const settings = () => ctx.config
  const state = createStateStore(store)
  const rules = createRuleStore(store)
  const slots = createSlots(ctx, log)
  let job: JobHandle | null = null
  const updates = createUpdates({
    settings,
    state,
    slots,
    downloads: createDownloads(ctx.upstream, files, { version: host.version }),
    files,
    store,
    process: host.startedAtMs,
    generation: ctx.generation,
    now: Date.now,
    log,
    onChange: ({ tag, counts }) => ctx.events.emit('anime_mapping.updated', { release_tag: tag, ...counts }),
  })
  const automatic = createAutomatic({
    job: () => job as JobHandle,
    settings,
    state,
    store,
    updates,
    startedAtMs: host.startedAtMs,
    now: Date.now,
    log,
  })
  const mapping = createMapping({
    settings,
    state,
    rules,
    slots,
    host,
    async onLost(lost, error) {
      log.error({ err: error }, 'the index of the anime mapping is lost and will be rebuilt')
      await slots.release(lost.slot).catch((err: unknown) => log.debug({ err }, 'a lost index was not removed'))
      await state.change(({ index }) => (index?.build === lost.build ? { index: null } : {}))
      await automatic.plan()
    },
  })
  return {
    state,
    rules,
    updates,
    automatic,
    mapping,
    coverage: createCoverage(ctx, mapping),
    setJob(made) {
      job = made
    },
  }
}
