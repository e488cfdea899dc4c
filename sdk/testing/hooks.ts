// Hooks as the host calls them: taps in order of their stage, a failing one is reported and stops nobody.
import { CORE_HOOKS, type HookKind, type HookTable, type TapOptions } from '../hooks.ts'
import { PlayheadError } from '../errors.ts'

export interface TapRecord {
  readonly hook: string
  readonly stage: number
  readonly run: (input: unknown) => unknown
}

export interface HookRules {
  kindOf(hook: string): HookKind
}

export function createHookRules(
  own: Readonly<Record<string, HookKind>> = {},
  others: Readonly<Record<string, HookKind>> = {},
): HookRules {
  const kinds = new Map(Object.entries({ ...CORE_HOOKS, ...others, ...own }))
  return {
    kindOf(hook) {
      const kind = kinds.get(hook)
      if (kind === undefined) {
        throw new PlayheadError(
          'PLH_HOOK_UNKNOWN',
          `Nobody declares the hook "${hook}". Known hooks: ${[...kinds.keys()].join(', ')}.`,
          { details: { hook } },
        )
      }
      return kind
    },
  }
}

/** The tapping side of all hooks. */
export function recordTaps(rules: HookRules, record: (tap: TapRecord) => void): HookTable {
  return new Proxy(Object.freeze({}), {
    get(_target, hook) {
      if (typeof hook === 'symbol' || hook === 'then') return undefined
      rules.kindOf(hook)
      const tap = (options: string | TapOptions, run: TapRecord['run']) => {
        if (typeof run !== 'function') throw new TypeError(`A tap of "${hook}" needs a function.`)
        record({ hook, stage: typeof options === 'string' ? 0 : (options.stage ?? 0), run })
      }
      return { tap, tapPromise: tap }
    },
  }) as HookTable
}

export async function callHook(
  kind: HookKind,
  taps: readonly TapRecord[],
  input: unknown,
  onFailure: (error: unknown) => void,
): Promise<unknown> {
  const ordered = taps.toSorted((a, b) => a.stage - b.stage)
  // What a failing tap is taken to have said: nothing, or for a waterfall the value unchanged.
  const ask = async ({ run }: TapRecord, value: unknown, otherwise: unknown): Promise<unknown> => {
    try {
      return await run(value)
    } catch (error) {
      onFailure(error)
      return otherwise
    }
  }
  if (kind === 'waterfall') {
    let value = input
    for (const tap of ordered) value = await ask(tap, value, value)
    return value
  }
  if (kind === 'bail') {
    for (const tap of ordered) {
      const answer = await ask(tap, input, undefined)
      if (answer !== undefined) return answer
    }
    return undefined
  }
  const answers = await Promise.all(ordered.map((tap) => ask(tap, input, undefined)))
  return kind === 'collect' ? answers.filter((answer) => answer !== undefined) : undefined
}
