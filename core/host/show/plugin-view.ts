// A plugin in the format of the operator's API.
import type { PluginSummary } from '@playhead/sdk'
import { defined } from '@playhead/sdk/host'
import type { HostDependencies } from '../dependencies.ts'
import type { Fault } from '../run/fault.ts'
import { pageFile } from '../load/compile-pages.ts'
import { isNewest, shownState, type Slot } from '../compose/slot.ts'

export function summaryOf(slot: Slot) {
  const { live, lastError } = slot.state
  return {
    id: slot.id,
    name: slot.manifest?.name ?? slot.id,
    version: slot.manifest?.version ?? null,
    description: slot.manifest?.description ?? '',
    notice: slot.manifest?.notice ?? null,
    kind: slot.manifest?.kind ?? null,
    origin: slot.registered.origin,
    enabled: slot.registered.enabled,
    state: shownState(slot.state),
    generation: live?.staged.generation.seq ?? null,
    reloads: slot.reloads,
    faults: slot.faults,
    last_error: lastError === null ? null : { ...faultOf(lastError), of_edit: isEditOut(slot) },
    provider: slot.manifest?.provider ?? null,
    ui: uiOf(slot),
  }
}

/** The view for other plugins. */
export function factsOf(slot: Slot): PluginSummary {
  const { id, manifest, faults, reloads } = slot
  const { live, lastError, failedLoad } = slot.state
  return {
    id,
    name: manifest?.name ?? id,
    version: manifest?.version ?? '0.0.0',
    kind: manifest?.kind ?? 'service',
    state: shownState(slot.state),
    generation: live?.staged.generation.seq ?? null,
    faults,
    reloads,
    ...defined({ provider: manifest?.provider, notices: manifest?.notices, build: live?.staged.sourceHash }),
    ...(live !== null || lastError === null ? {} : { error: lastError.code }),
    ...(live === null || failedLoad === null ? {} : { edit: failedLoad.fault }),
  }
}

export function detailOf(slot: Slot, jobs: HostDependencies['scheduler']['jobs']) {
  const { manifest } = slot
  const { live, dormant } = slot.state
  const { atMs = null, phases = null } = slot.activation ?? {}
  const staged = live?.staged
  const noted = dormant?.snapshot
  return {
    ...summaryOf(slot),
    directory: slot.directory,
    api: manifest?.api ?? null,
    source_hash: staged?.sourceHash ?? noted?.sourceHash ?? null,
    activated_at: live === null ? null : atMs,
    routes: (manifest?.routes ?? []).map(({ method, path, auth }) => ({ method, path, auth: auth ?? 'S' })),
    hooks: (staged?.recording ?? noted)?.taps.map(({ hook, name, stage }) => ({ hook, name, stage })) ?? [],
    declares_hooks: staged === undefined ? (noted?.hookKinds ?? {}) : Object.fromEntries(staged.hookKinds),
    listens_to: staged?.recording.listeners.map((listener) => listener.name) ?? noted?.listeners ?? [],
    services: staged === undefined ? (noted?.services ?? []) : Object.keys(staged.definition.services ?? {}),
    jobs: jobs(slot.id).map((job) => ({
      name: job.name,
      next_at: job.nextAtMs,
      last_started_at: job.lastStartedAtMs,
      last_finished_at: job.lastFinishedAtMs,
      last_outcome: job.lastOutcome,
      running: job.running,
    })),
    provides: manifest?.provides ?? [],
    requires: manifest?.requires ?? [],
    needs: manifest?.needs ?? {},
    sections: (live ?? dormant)?.contribution?.sections.map(({ path }) => ({ path })) ?? [],
    phases: phases && {
      watch_ms: round(phases.watchMs),
      compile_ms: round(phases.compileMs),
      stage_ms: round(phases.stageMs),
      publish_ms: round(phases.publishMs),
      from_cache: phases.fromCache,
    },
    in_flight: staged?.generation.inFlight ?? 0,
    timers: staged?.timers() ?? 0,
    draining: [...slot.draining].map((generation) => ({ generation: generation.seq, in_flight: generation.inFlight })),
    recent_faults: slot.breaker.recent(),
    retry_at: slot.retry?.atMs ?? null,
    stuck: slot.stuck,
    leaked_generations: slot.leaks,
  }
}

/** Pages of the active version; none while the plugin is off. A plugin with pages is never dormant. */
function uiOf({ id, state }: Slot) {
  const { pages, manifest } = state.live?.staged ?? {}
  if (pages == null) return { pages: [], panels: [] }
  const urlOf = (module: string) => `/api/plugins/${id}/ui/${pages.hash}/${pageFile(module)}`
  return {
    pages: (manifest?.ui?.pages ?? []).map(({ path, title, icon, module }) => ({
      path,
      title,
      icon: icon ?? null,
      url: urlOf(module),
    })),
    panels: (manifest?.ui?.panels ?? []).map(({ slot, title, module }) => ({ slot, title, url: urlOf(module) })),
  }
}

/** A load of the same sources, such as one with new settings, is not an edit. */
function isEditOut({ state }: Slot): boolean {
  return state.live !== null && state.failedLoad !== null && !isNewest(state)
}

function faultOf(fault: Fault) {
  const { atMs, sourceHash, ...rest } = fault
  return { ...rest, at: atMs, source_hash: sourceHash }
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}
