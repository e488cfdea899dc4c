// What the host knows about one plugin: its place in the registry, its live generation, what went wrong last.
import type { PluginManifest } from '@playhead/sdk'
import type { ConfigContribution } from '../../config/contract.ts'
import type { Breaker } from '../run/breaker.ts'
import type { Fault } from '../run/fault.ts'
import type { DormantPlugin } from '../dormant/dormant.ts'
import type { Generation } from '../run/generation.ts'
import type { RegisteredPlugin } from '../load/registry.ts'
import type { StagedPlugin } from '../run/stage.ts'

/**
 * discovered → building → staging → active; an active plugin whose newer version fails stays active.
 * dormant: not loaded before something of it is used.
 * blocked: something outside its code is missing (API range, integrity, a capability). failed: its code does not load.
 * quarantined: it failed while it ran. disabled: the user's wish. stuck: disposed, but something of it did not end.
 */
export const PLUGIN_STATES = [
  'discovered',
  'disabled',
  'blocked',
  'building',
  'staging',
  'active',
  'dormant',
  'failed',
  'quarantined',
  'stuck',
] as const
export type PluginState = (typeof PLUGIN_STATES)[number]

// Capabilities that other plugins may still provide.
export const WAITING_CODES: ReadonlySet<string> = new Set(['PLH_CAPABILITY_MISSING', 'PLH_CAPABILITY_CYCLE'])

export interface Phases {
  /** Milliseconds from the notice of the change to the begin of the work. */
  readonly watchMs: number
  readonly compileMs: number
  readonly stageMs: number
  readonly publishMs: number
  readonly fromCache: boolean
}

/** A live plugin with the settings it sees. */
export interface LivePlugin {
  readonly staged: StagedPlugin
  readonly contribution: ConfigContribution | null
  /** Of its code and of the settings that it began with. */
  readonly version: string
  config: Readonly<Record<string, unknown>>
}

export interface Slot {
  readonly id: string
  registered: RegisteredPlugin
  directory: string
  manifest: PluginManifest | null
  live: LivePlugin | null
  /** Known from its last run and loaded at its first use. Null while a version is live. */
  dormant: DormantPlugin | null
  /** Sources that this build of the core has staged before: their schemas are known to compile. */
  provenHash: string | null
  /** The step of a load while no version is live. */
  loading: 'building' | 'staging' | null
  /** Why no version is live, other than a failed load. Cleared by the next load. */
  outBecause: 'disabled' | 'quarantined' | 'stuck' | null
  readonly draining: Set<Generation>
  /** Number of the newest generation, whether it went live or not. */
  seq: number
  lastError: Fault | null
  /** Why its newest version or its newest settings could not be used, and the plugin that has what it claims too. */
  failedLoad: { readonly fault: Fault; readonly rival: string | null } | null
  /**
   * What was found in its folder the last time, whether it could be loaded or not: the hash of the sources, or why they
   * cannot be read.
   */
  lastFound: string | null
  phases: Phases | null
  activatedAtMs: number | null
  readonly breaker: Breaker
  faults: number
  reloads: number
  retryTimer: NodeJS.Timeout | null
  retryAtMs: number | null
  notReadyTries: number
  /** Changes of its settings that the plugin itself makes now: they do not reload it. */
  selfChanges: number
  stuck: string[]
  leaks: number[]
  /**
   * The waiting transaction loads anew even if no source changed: one of those that asked for it has another reason.
   */
  mustLoad: boolean
  /** The waiting transaction loads a dormant version: something of it is used. */
  mustWake: boolean
  /** The load that waits is more than a first look at what is watched now. */
  mustTry: boolean
  running: Promise<void>
  next: Promise<void> | null
}

/** The state that people, logs and other plugins see; computed here alone. */
export function stateOf({ live, dormant, loading, outBecause, failedLoad }: Slot): PluginState {
  if (live !== null) return 'active'
  const out = loading ?? outBecause
  if (out !== null) return out
  if (failedLoad === null) return dormant === null ? 'discovered' : 'dormant'
  return isOutsideItsCode(failedLoad.fault) ? 'blocked' : 'failed'
}

function isOutsideItsCode({ phase, code }: Fault): boolean {
  return phase === 'manifest' || phase === 'registry' || code === 'PLH_CONFIG_INVALID' || WAITING_CODES.has(code)
}
