// The state of one plugin in the host. Its state changes only by `transition`; docs/reference/plugin-host.md has the
// table.
import type { PluginManifest } from '@playhead/sdk'
import type { Clock } from '../../clock.ts'
import type { DormantPlugin, LivePlugin } from '../contract.ts'
import type { PluginSnapshot } from '../dormant/contract.ts'
import type { RegisteredPlugin } from '../load/registry.ts'
import type { ShippedEntry } from '../load/shipped.ts'
import { type Breaker, createBreaker } from '../run/breaker.ts'
import type { Fault } from '../run/fault.ts'
import type { Generation } from '../run/generation.ts'

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

/** Why the newest version or settings failed, and the plugin that owns a conflicting name. */
interface FailedLoad {
  readonly fault: Fault
  readonly rival: string | null
}

interface Facts {
  readonly live: LivePlugin | null
  /** Known from its last run and loaded at first use. */
  readonly dormant: DormantPlugin | null
  /** The step of a load while no version is active. */
  readonly loading: 'building' | 'staging' | null
  /** Why no version is active, other than a failed load. */
  readonly outBecause: 'disabled' | 'quarantined' | null
  /** It is off, and a release of its last version failed. */
  readonly isStuck: boolean
  readonly failedLoad: FailedLoad | null
  readonly lastError: Fault | null
  /** The state of its folder at the last check: the hash of the sources, or why they are unreadable. */
  readonly found: string | null
}

type Without<Fact extends keyof typeof NOTHING> = Facts & Pick<typeof NOTHING, Fact>
type Active = Without<'dormant' | 'loading' | 'outBecause' | 'isStuck'> & { readonly live: LivePlugin }
type Dormant = Without<'live' | 'outBecause' | 'isStuck' | 'failedLoad' | 'lastError'> & {
  readonly dormant: DormantPlugin
}
export type SlotState = Active | Dormant | Without<'live' | 'dormant'>

export type SlotEvent =
  /** Its folder was read, see `found`. */
  | { readonly type: 'read'; readonly found: string }
  /** A snapshot of its last run with the current sources exists. */
  | { readonly type: 'noted'; readonly dormant: DormantPlugin }
  | { readonly type: 'building'; readonly isUsed: boolean }
  | { readonly type: 'activated'; readonly live: LivePlugin }
  | ({ readonly type: 'failed' } & FailedLoad)
  | { readonly type: 'quarantined'; readonly fault?: Fault }
  /** ended: its thread stopped by itself. */
  | { readonly type: 'faulted' | 'ended'; readonly fault: Fault }
  /**
   * given up: the load ended without a version. mended: the edit that failed was reverted, or the settings are valid.
   * stuck: a release of an earlier version failed.
   */
  | { readonly type: 'staging' | 'given up' | 'mended' | 'disabled' | 'removed' | 'stuck' }

const NOTHING = {
  live: null,
  dormant: null,
  loading: null,
  outBecause: null,
  isStuck: false,
  failedLoad: null,
  lastError: null,
} as const

export function initialState(enabled: boolean): SlotState {
  return { ...NOTHING, outBecause: enabled ? null : 'disabled', found: null }
}

export function transition(state: SlotState, event: SlotEvent): SlotState {
  const { found, failedLoad, lastError } = state
  switch (event.type) {
    case 'read':
      return { ...state, found: event.found }
    case 'noted':
      return { ...NOTHING, found: event.dormant.snapshot.sourceHash, dormant: event.dormant }
    case 'building': {
      // Only a first use certainly changes what people see.
      const isShown = event.isUsed || (state.dormant === null && shownState(state) !== 'quarantined')
      return state.live === null && isShown ? { ...state, loading: 'building' } : state
    }
    case 'staging':
      return state.live !== null || isSwitchedOff(state) ? state : { ...state, loading: 'staging' }
    case 'given up':
      return state.live === null ? { ...state, loading: null } : state
    case 'activated':
      return isSwitchedOff(state) ? state : { ...NOTHING, found, live: event.live }
    case 'failed': {
      const failure = { failedLoad: { fault: event.fault, rival: event.rival }, lastError: event.fault }
      if (state.live !== null) return { ...state, ...failure }
      return isSwitchedOff(state) ? state : { ...NOTHING, found, ...failure }
    }
    case 'mended': {
      const isLast = lastError === failedLoad?.fault
      return state.live === null ? state : { ...state, failedLoad: null, lastError: isLast ? null : lastError }
    }
    case 'faulted':
      return state.live === null ? state : { ...state, lastError: event.fault }
    case 'quarantined':
    case 'ended':
      if (isSwitchedOff(state)) return state
      return { ...NOTHING, found, outBecause: 'quarantined', failedLoad, lastError: event.fault ?? lastError }
    case 'disabled':
      return { ...NOTHING, found, outBecause: 'disabled' }
    case 'removed':
      if (state.live === null && state.dormant === null) return state
      return { ...NOTHING, found, loading: state.loading, failedLoad, lastError }
    case 'stuck':
      return state.live === null && state.dormant === null ? { ...state, isStuck: true } : state
  }
}

/** The state as people see it, computed only here. */
export function shownState({ live, dormant, loading, outBecause, isStuck, failedLoad }: SlotState): PluginState {
  if (live !== null) return 'active'
  if (loading !== null) return loading
  if (isStuck) return 'stuck'
  if (outBecause !== null) return outBecause
  if (dormant !== null) return 'dormant'
  if (failedLoad === null) return 'discovered'
  return isOutsideItsCode(failedLoad.fault) ? 'blocked' : 'failed'
}

/** No load has begun since it was switched off: the result of an earlier load is discarded. */
export function isSwitchedOff({ outBecause, loading }: SlotState): boolean {
  return outBecause === 'disabled' && loading === null
}

/** True if the active or dormant version was built from the current content of the folder. */
export function isNewest({ live, dormant, found }: SlotState): boolean {
  const sourceHash = live?.staged.sourceHash ?? dormant?.snapshot.sourceHash
  return sourceHash !== undefined && sourceHash === found
}

/** Why a plugin is loaded; `watched` and `file` may turn out to be no change. */
export type Cause = 'watched' | 'file' | 'config' | 'user' | 'retry' | 'capability' | 'use'

const COMPARING: ReadonlySet<Cause> = new Set(['watched', 'file', 'use'])

/** More than an initial check of watched files. */
export function isTry(causes: ReadonlySet<Cause>): boolean {
  return [...causes].some((cause) => cause !== 'watched')
}

/** Whether a load continues after its folder was read. @param before `found` when the load began */
export function isToLoad(state: SlotState, causes: ReadonlySet<Cause>, before: string | null): boolean {
  const isForced = !causes.isSubsetOf(COMPARING) || (causes.has('use') && state.live === null)
  if (!isForced && isNewest(state)) return false
  return isTry(causes) || state.found !== before
}

function isOutsideItsCode({ phase, code }: Fault): boolean {
  return phase === 'manifest' || phase === 'registry' || code === 'PLH_CONFIG_INVALID' || WAITING_CODES.has(code)
}

export class Slot {
  readonly id: string
  registered: RegisteredPlugin
  directory: string
  manifest: PluginManifest | null = null
  /** Its shipped build, if its sources were the same when its manifest was read. */
  shipped: ShippedEntry | null = null
  /** Sources that this build of the core has staged before: their schemas compile. */
  proven: Pick<PluginSnapshot, 'sourceHash' | 'sections'> | null = null
  #state: SlotState
  /** The load after the current one. */
  queued: { readonly causes: Set<Cause>; readonly done: Promise<void> } | null = null
  /** The current or last load. */
  running: Promise<void> = Promise.resolve()
  retry: { readonly atMs: number; readonly timer: NodeJS.Timeout } | null = null
  readonly breaker: Breaker
  readonly draining = new Set<Generation>()
  /** Number of the newest generation, active or not. */
  seq = 0
  faults = 0
  reloads = 0
  /** The last one. */
  activation: { readonly atMs: number; readonly phases: Phases } | null = null
  /** Settings changes by the plugin itself: they do not reload it. */
  selfChanges = 0
  /** Releases that failed, by generation. */
  readonly stuck: string[] = []
  readonly leaks: number[] = []

  constructor(registered: RegisteredPlugin, directory: string, clock: Clock) {
    this.id = registered.id
    this.registered = registered
    this.directory = directory
    this.breaker = createBreaker(clock)
    this.#state = initialState(registered.enabled)
  }

  get state(): SlotState {
    return this.#state
  }

  change(event: SlotEvent): void {
    this.#state = transition(this.#state, event)
  }
}
