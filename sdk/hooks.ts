// Hooks are the host's extension points. A hook is a reference: a name and a kind, with the types of what is given and
// answered. The host rebuilds the tapable objects from all live plugins whenever one changes, so a tap never outlives its
// plugin.

/**
 * How the taps of a hook work together.
 * - `notify`: all taps are told, at the same time; results are ignored, a failure stops nobody.
 * - `waterfall`: each tap may return a changed value for the next; a failing tap leaves the value as it was.
 * - `bail`: taps are asked in order, the first answer that is not undefined wins.
 * - `collect`: all taps are asked at the same time; the answers come back as a list.
 */
export type HookKind = 'notify' | 'waterfall' | 'bail' | 'collect'

declare const INPUT: unique symbol
declare const ANSWER: unique symbol

/** Names a hook and knows its types: what `ctx.tap`, `ctx.callHook` and `definePlugin({ hooks })` take. */
export interface Hook<Kind extends HookKind = HookKind, Input = unknown, Answer = unknown> {
  readonly name: string
  readonly kind: Kind
  readonly [INPUT]?: Input
  readonly [ANSWER]?: Answer
}

// biome-ignore lint/suspicious/noExplicitAny: inputs and answers of any hook
export type AnyHook = Hook<HookKind, any, any>

export type HookInput<H extends AnyHook> = H extends Hook<HookKind, infer Input, unknown> ? Input : never
type HookAnswer<H extends AnyHook> = H extends Hook<HookKind, unknown, infer Answer> ? Answer : never

/** What a tap of this hook may return. */
export type TapResult<H extends AnyHook> = H['kind'] extends 'notify'
  ? void
  : H['kind'] extends 'bail'
    ? HookAnswer<H> | undefined
    : HookAnswer<H>

/** What a call of this hook gives. */
export type HookResult<H extends AnyHook> = H['kind'] extends 'notify'
  ? void
  : H['kind'] extends 'bail'
    ? HookAnswer<H> | undefined
    : H['kind'] extends 'waterfall'
      ? HookAnswer<H>
      : readonly HookAnswer<H>[]

/**
 * Makes the reference of a hook. The plugin that calls it names it in `definePlugin({ hooks })`.
 *
 * @example
 * export const PAIR_USAGE = hook.collect<{ readonly pair_id: string }, PairUsage>('pairUsage')
 */
export const hook = Object.freeze({
  notify: <Input>(name: string): Hook<'notify', Input, void> => Object.freeze({ name, kind: 'notify' }),
  waterfall: <Value>(name: string): Hook<'waterfall', Value, Value> => Object.freeze({ name, kind: 'waterfall' }),
  bail: <Input, Answer>(name: string): Hook<'bail', Input, Answer> => Object.freeze({ name, kind: 'bail' }),
  collect: <Input, Answer>(name: string): Hook<'collect', Input, Answer> => Object.freeze({ name, kind: 'collect' }),
})

/** One finding of a health report; `detail` is plain data for people. */
export interface HealthFact {
  readonly name: string
  readonly ok: boolean
  readonly detail?: unknown
  /** What to do, in a sentence; only when it is not ok. */
  readonly advice?: string
}

/** Something that should end before the process stops or the configuration is migrated. */
export interface RunningOperation {
  readonly kind: string
  readonly id: string
  readonly label: string
}

/** After a configuration change was saved. Paths are dotted; values are never passed. */
export const CONFIG_SAVED = hook.notify<{ readonly paths: readonly string[]; readonly revision: string }>('configSaved')

/** What is running that must not be interrupted? Asked before a restart or a migration. */
export const RUNNING_OPERATIONS = hook.collect<Record<string, never>, readonly RunningOperation[]>('runningOperations')

/** Adds facts to the detailed health report. */
export const HEALTH_DETAIL = hook.collect<Record<string, never>, HealthFact>('healthDetail')

/** A backup of the configuration is needed; answer with its path. Without an answer the core makes a plain copy. */
export const CONFIG_BACKUP = hook.bail<
  { readonly label: string; readonly scope: 'config_only' },
  { readonly path: string }
>('configBackup')

/** A session began or ended. */
export const SESSION_CHANGED = hook.notify<{
  readonly change: 'started' | 'ended'
  readonly sessionId: string
  readonly method: string
}>('sessionChanged')

/** The hooks that the core calls. */
export const CORE_HOOKS: readonly Hook[] = [
  CONFIG_SAVED,
  RUNNING_OPERATIONS,
  HEALTH_DETAIL,
  CONFIG_BACKUP,
  SESSION_CHANGED,
]

export interface TapOptions {
  readonly name: string
  /** Lower runs earlier. Default 0. */
  readonly stage?: number
  /** Longest run of one call in milliseconds, at most 60 000. Default 10 000. */
  readonly timeoutMs?: number
}
