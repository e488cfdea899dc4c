// The host's state of one plugin: registry entry, active generation, last failure.
import type { ConfigSection } from '../../config/contract.ts'
import type { PluginManifest } from '@playhead/sdk'
import type { Breaker } from '../run/breaker.ts'
import type { Fault } from '../run/fault.ts'
import type { DormantPlugin, LivePlugin } from '../contract.ts'
import type { Generation } from '../run/generation.ts'
import type { RegisteredPlugin } from '../load/registry.ts'
import type { ShippedEntry } from '../load/shipped.ts'

/**
 * discovered → building → staging → active; an active plugin whose newer version fails stays active.
 * dormant: not loaded before first use.
 * blocked: something outside its code is missing (API range, integrity, a capability). failed: its code does not load.
 * quarantined: it failed at run time. disabled: by the user. stuck: disposed, but something did not end.
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
type PluginState = (typeof PLUGIN_STATES)[number]

// Failures that another plugin's capability may resolve.
export const WAITING_CODES: ReadonlySet<string> = new Set(['PLH_CAPABILITY_MISSING', 'PLH_CAPABILITY_CYCLE'])

export interface Phases {
  /** Milliseconds from the file event to the start of the load. */
  readonly watchMs: number
  readonly compileMs: number
  readonly stageMs: number
  readonly publishMs: number
  readonly fromCache: boolean
}

export interface Slot {
  readonly id: string
  registered: RegisteredPlugin
  directory: string
  manifest: PluginManifest | null
  live: LivePlugin | null
  /** Known from its last run and loaded at first use. Null while a version is active. */
  dormant: DormantPlugin | null
  /** Its shipped build, if its sources were the same when its manifest was read. */
  shipped: ShippedEntry | null
  /** Hash of sources that this build of the core has staged before: their schemas compile. */
  provenHash: string | null
  /** The sections of that source. */
  provenSections: readonly ConfigSection[]
  /** The step of a load while no version is active. */
  loading: 'building' | 'staging' | null
  /** Why no version is active, other than a failed load. Cleared by the next load. */
  outBecause: 'disabled' | 'quarantined' | 'stuck' | null
  readonly draining: Set<Generation>
  /** Number of the newest generation, active or not. */
  seq: number
  lastError: Fault | null
  /** Why the newest version or settings failed, and the plugin that owns a conflicting name. */
  failedLoad: { readonly fault: Fault; readonly rival: string | null } | null
  /** The state of its folder at the last check: the hash of the sources, or why they are unreadable. */
  lastFound: string | null
  phases: Phases | null
  activatedAtMs: number | null
  readonly breaker: Breaker
  faults: number
  reloads: number
  retryTimer: NodeJS.Timeout | null
  retryAtMs: number | null
  notReadyTries: number
  /** Settings changes by the plugin itself: they do not reload it. */
  selfChanges: number
  stuck: string[]
  leaks: number[]
  /** The queued load must run even without a source change. */
  mustLoad: boolean
  /** The queued load must activate a dormant version. */
  mustWake: boolean
  /** The queued load is more than an initial check of watched files. */
  mustTry: boolean
  running: Promise<void>
  next: Promise<void> | null
}

/** The visible state, computed only here. */
export function stateOf({ live, dormant, loading, outBecause, failedLoad }: Slot): PluginState {
  if (live !== null) return 'active'
  const out = loading ?? outBecause
  if (out !== null) return out
  if (failedLoad === null) return dormant === null ? 'discovered' : 'dormant'
  return isOutsideItsCode(failedLoad.fault) ? 'blocked' : 'failed'
}

/** True if the folder's content is what is active or dormant. */
export function isNewest({ live, dormant, lastFound }: Slot): boolean {
  const sourceHash = live?.staged.sourceHash ?? dormant?.snapshot.sourceHash
  return sourceHash !== undefined && sourceHash === lastFound
}

function isOutsideItsCode({ phase, code }: Fault): boolean {
  return phase === 'manifest' || phase === 'registry' || code === 'PLH_CONFIG_INVALID' || WAITING_CODES.has(code)
}
