// Hooks as the host calls them: taps in order of their stage, a failing one is reported and stops nobody.
import { CORE_HOOKS, type AnyHook, type Hook, type HookKind, type TapOptions } from '../hooks.ts'
import { PlayheadError } from '../errors.ts'

export interface TapRecord {
  readonly hook: string
  readonly stage: number
  readonly run: (input: unknown) => unknown
}

export interface HookRules {
  check(hook: Hook): void
}

export function createHookRules(own: readonly AnyHook[] = [], others: readonly AnyHook[] = []): HookRules {
  const kinds = new Map([...CORE_HOOKS, ...others, ...own].map(({ name, kind }) => [name, kind]))
  return {
    check({ name, kind }) {
      const known = kinds.get(name) ?? kind
      if (known === kind) return
      throw new PlayheadError(
        'PLH_HOOK_UNKNOWN',
        `The plugin taps the hook "${name}" as "${kind}"; the plugin that calls it declares "${known}".`,
      )
    },
  }
}

export function tapRecord(
  { name: hook }: Hook,
  options: string | TapOptions,
  run: (input: never) => unknown,
): TapRecord {
  if (typeof run !== 'function') throw new TypeError(`A tap of "${hook}" needs a function.`)
  return { hook, stage: typeof options === 'string' ? 0 : (options.stage ?? 0), run: run as TapRecord['run'] }
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
