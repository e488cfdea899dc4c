// Hooks are the host's extension points. Contracts are data: a name and a kind. A plugin taps with tapable's
// signatures; the host rebuilds the tapable objects from all live plugins whenever one changes, so a tap never outlives
// its plugin.
import type { PairUsage } from './sync/service.ts'

/**
 * How the taps of a hook work together.
 * - `notify`: all taps are told, at the same time; results are ignored, a failure stops nobody.
 * - `waterfall`: each tap may return a changed value for the next; a failing tap leaves the value as it was.
 * - `bail`: taps are asked in order, the first answer that is not undefined wins.
 * - `collect`: all taps are asked at the same time; the answers come back as a list.
 */
export type HookKind = 'notify' | 'waterfall' | 'bail' | 'collect'

export interface HookContract<Kind extends HookKind = HookKind, Input = unknown, Output = unknown> {
  readonly kind: Kind
  readonly input: Input
  readonly output: Output
}

/** One finding of a health report; `detail` is plain data for people. */
export interface HealthFact {
  readonly name: string
  readonly ok: boolean
  readonly detail?: unknown
  /** What to do, in a sentence; only when it is not ok. */
  readonly advice?: string
}

/** Something that a person should look at, with the one thing that resolves it. */
export interface Attention {
  /** Stays the same while it is the same matter; unique among those of the plugin. */
  readonly id: string
  /**
   * `held_removals`, `unresolved`, `sign_in`, `sign_in_expiring`, `plugin`, `plugin_edit`, `health`, or a word of the
   * plugin's own.
   */
  readonly kind: string
  readonly severity: 'error' | 'warning' | 'info'
  readonly title: string
  readonly detail: string
  /** Epoch seconds. */
  readonly since?: number
  readonly pair_id?: string
  readonly provider?: string
  readonly instance?: string
  readonly plugin?: string
  readonly action?: {
    readonly label: string
    /** Where in the browser application it is done. */
    readonly path?: string
    /** What the application may call, after it has asked. */
    readonly call?: {
      readonly method: 'POST' | 'PUT' | 'DELETE'
      readonly path: string
      readonly body?: Readonly<Record<string, unknown>>
    }
  }
}

/** A reference to a provider profile that is used somewhere; a plugin reports those that it holds. */
export interface ProfileUsage {
  readonly feature: string
  readonly label: string
  readonly enabled: boolean
  readonly [field: string]: unknown
}

/** Something that should end before the process stops or the configuration is migrated. */
export interface RunningOperation {
  readonly kind: string
  readonly id: string
  readonly label: string
}

/**
 * The hooks that the core calls. Plugins that call hooks of their own declare them in `definePlugin({ hooks })` and add
 * their types here by declaration merging.
 */
export interface HookContracts {
  /** After a configuration change was saved. Paths are dotted; values are never passed. */
  configSaved: HookContract<'notify', { readonly paths: readonly string[]; readonly revision: string }, void>
  /** Who uses this provider profile? Asked before it is deleted or disconnected. */
  profileUsage: HookContract<
    'collect',
    { readonly provider: string; readonly instance: string },
    readonly ProfileUsage[]
  >
  /** Who names this pair? Asked before it is removed. */
  pairUsage: HookContract<'collect', { readonly pair_id: string }, readonly PairUsage[]>
  /** What is running that must not be interrupted? Asked before a restart or a migration. */
  runningOperations: HookContract<'collect', Record<string, never>, readonly RunningOperation[]>
  /** Adds facts to the detailed health report. */
  healthDetail: HookContract<'collect', Record<string, never>, HealthFact>
  /** What should a person look at? Shown as `GET /api/attention`. */
  attention: HookContract<'collect', Record<string, never>, readonly Attention[]>
  /** A backup of the configuration is needed; answer with its path. Without an answer the core makes a plain copy. */
  configBackup: HookContract<
    'bail',
    { readonly label: string; readonly scope: 'config_only' },
    { readonly path: string }
  >
  /** A session began or ended. */
  sessionChanged: HookContract<
    'notify',
    { readonly change: 'started' | 'ended'; readonly sessionId: string; readonly method: string },
    void
  >
}

export type HookName = keyof HookContracts
export type HookInput<Name extends HookName> = HookContracts[Name]['input']
export type HookOutput<Name extends HookName> = HookContracts[Name]['output']

/** What a tap of this hook may return. */
export type TapResult<Name extends HookName> = HookContracts[Name]['kind'] extends 'notify'
  ? void
  : HookContracts[Name]['kind'] extends 'waterfall'
    ? HookInput<Name>
    : HookContracts[Name]['kind'] extends 'bail'
      ? HookOutput<Name> | undefined
      : HookOutput<Name>

/** What a call of this hook gives. */
export type HookResult<Name extends HookName> = HookContracts[Name]['kind'] extends 'notify'
  ? void
  : HookContracts[Name]['kind'] extends 'waterfall'
    ? HookInput<Name>
    : HookContracts[Name]['kind'] extends 'bail'
      ? HookOutput<Name> | undefined
      : readonly HookOutput<Name>[]

export interface TapOptions {
  readonly name: string
  /** Lower runs earlier. Default 0. */
  readonly stage?: number
  /** Longest run of one call in milliseconds, at most 60 000. Default 10 000. */
  readonly timeoutMs?: number
}

/**
 * The tapping side of a hook, with tapable's signatures. Taps are recorded; they take effect when the plugin is
 * published.
 */
export interface HookTaps<Name extends HookName> {
  tap(options: string | TapOptions, fn: (input: HookInput<Name>) => TapResult<Name>): void
  tapPromise(options: string | TapOptions, fn: (input: HookInput<Name>) => Promise<TapResult<Name>>): void
}

export type HookTable = { readonly [Name in HookName]: HookTaps<Name> }

/** Kinds of the core's hooks, for the code that builds them. */
export const CORE_HOOKS: { readonly [name: string]: HookKind } = {
  configSaved: 'notify',
  profileUsage: 'collect',
  pairUsage: 'collect',
  runningOperations: 'collect',
  healthDetail: 'collect',
  attention: 'collect',
  configBackup: 'bail',
  sessionChanged: 'notify',
}

/**
 * Of these the hooks that a plugin calls and not the core: the one that declares it, with the same kind, in
 * `definePlugin({ hooks })`. They are known without that plugin, so that those who tap them load in any order.
 */
export const LENT_HOOKS: readonly string[] = ['profileUsage', 'pairUsage', 'attention']
