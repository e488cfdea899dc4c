// Hooks are the host's extension points: a name, a kind, and types. The host rebuilds the tapable objects from all
// active plugins at every change, so taps end with their plugin.

/**
 * How taps combine.
 * - `notify`: all taps run in parallel; results are ignored, failures are isolated.
 * - `waterfall`: each tap may return a changed value for the next; a failing tap is skipped.
 * - `bail`: taps run in order; the first defined answer wins.
 * - `collect`: all taps run in parallel; the answers are collected in a list.
 * - `review`: as `collect`, but each answer names its plugin, and failed taps are reported too: the caller must know
 *   which plugins did not answer, because silence is not consent.
 */
export type HookKind = 'notify' | 'waterfall' | 'bail' | 'collect' | 'review'

declare const INPUT: unique symbol
declare const ANSWER: unique symbol

/** A typed reference to a hook, for `ctx.tap`, `ctx.callHook` and `definePlugin({ hooks })`. */
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

/** The answer of a tap of a `review` hook. */
export type Review<Answer> = {
  readonly plugin: string
  /** The tap's name. */
  readonly tap: string
} & (
  | { readonly answer: Answer | undefined }
  /** Why there is no answer: the code of a PlayheadError (`PLH_HOOK_TIMEOUT`, …), or `error`. */
  | { readonly failed: string }
)

/** The possible results of a tap. */
export type TapResult<H extends AnyHook> = H['kind'] extends 'notify'
  ? void
  : H['kind'] extends 'bail' | 'review'
    ? HookAnswer<H> | undefined
    : HookAnswer<H>

/** The result of a call. */
export type HookResult<H extends AnyHook> = H['kind'] extends 'notify'
  ? void
  : H['kind'] extends 'bail'
    ? HookAnswer<H> | undefined
    : H['kind'] extends 'waterfall'
      ? HookAnswer<H>
      : H['kind'] extends 'review'
        ? readonly Review<HookAnswer<H>>[]
        : readonly HookAnswer<H>[]

/**
 * Creates the reference of a hook. The calling plugin lists it in `definePlugin({ hooks })`.
 *
 * @example
 * export const PAIR_USAGE = hook.collect<{ readonly pair_id: string }, PairUsage>('pairUsage')
 */
export const hook = Object.freeze({
  notify: <Input>(name: string): Hook<'notify', Input, void> => Object.freeze({ name, kind: 'notify' }),
  waterfall: <Value>(name: string): Hook<'waterfall', Value, Value> => Object.freeze({ name, kind: 'waterfall' }),
  bail: <Input, Answer>(name: string): Hook<'bail', Input, Answer> => Object.freeze({ name, kind: 'bail' }),
  collect: <Input, Answer>(name: string): Hook<'collect', Input, Answer> => Object.freeze({ name, kind: 'collect' }),
  review: <Input, Answer>(name: string): Hook<'review', Input, Answer> => Object.freeze({ name, kind: 'review' }),
})

/** One health check; `detail` is plain data for display. */
export interface HealthFact {
  readonly name: string
  readonly ok: boolean
  readonly detail?: unknown
  /** A remedy, in a sentence; only if not ok. */
  readonly advice?: string
}

/** An operation that should end before a restart or a migration of the configuration. */
export interface RunningOperation {
  readonly kind: string
  readonly id: string
  readonly label: string
}

/** After a change of the configuration was saved. Dotted paths, never values. */
export const CONFIG_SAVED = hook.notify<{ readonly paths: readonly string[]; readonly revision: string }>('configSaved')

/** Collects running operations before a restart or a migration. */
export const RUNNING_OPERATIONS = hook.collect<Record<string, never>, readonly RunningOperation[]>('runningOperations')

/** Adds checks to the detailed health report. */
export const HEALTH_DETAIL = hook.collect<Record<string, never>, HealthFact>('healthDetail')

/** Requests a backup of the configuration; answer with its path. Without an answer the core copies the file. */
export const CONFIG_BACKUP = hook.bail<
  { readonly label: string; readonly scope: 'config_only' },
  { readonly path: string }
>('configBackup')

/** After a session began or ended. */
export const SESSION_CHANGED = hook.notify<{
  readonly change: 'started' | 'ended'
  readonly sessionId: string
  readonly method: string
}>('sessionChanged')

/** A token that a plugin checks itself, for the list of tokens. */
export interface TokenUse {
  /** Unique among all plugins: begins with the plugin's id. */
  readonly id: string
  readonly kind: 'webhook' | 'metrics'
  readonly label: string
  /** The purpose of the token, in a sentence. */
  readonly purpose: string
  /** The token is set, and accepted now. */
  readonly active: boolean
  readonly lastUsedAtMs: number | null
  readonly canRotate: boolean
}

/** Collects the tokens that plugins check themselves. Never a secret. */
export const TOKEN_USES = hook.collect<Record<string, never>, readonly TokenUse[]>('tokenUses')

/**
 * Replaces a token of `TOKEN_USES` with `canRotate`: the plugin that knows the id answers with the new token, or with
 * the new address that contains it.
 */
export const ROTATE_TOKEN = hook.bail<{ readonly id: string }, { readonly secret: string }>('rotateToken')

/** The hooks that the core calls. */
export const CORE_HOOKS: readonly Hook[] = [
  CONFIG_SAVED,
  RUNNING_OPERATIONS,
  HEALTH_DETAIL,
  CONFIG_BACKUP,
  SESSION_CHANGED,
  TOKEN_USES,
  ROTATE_TOKEN,
]

export interface TapOptions {
  readonly name: string
  /** Lower runs earlier. Default 0. */
  readonly stage?: number
  /** Maximum duration of one call in milliseconds, at most 60 000. Default 10 000. */
  readonly timeoutMs?: number
}
