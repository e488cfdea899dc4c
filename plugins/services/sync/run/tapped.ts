// The main-thread part of the hooks of runs: which plugins tap them, and the calls.
import { type AnyHook, BEFORE_WRITE, FILTER_PLAN, type PluginContext, RUN_HOOKS } from '@playhead/sdk'

/** Ids of plugins by hook; hooks without taps are absent. */
export type Tapped = Readonly<Record<string, readonly string[]>>

export interface RunHooks {
  tapped(): Promise<Tapped>
  call(name: string, input: unknown): Promise<unknown>
}

const STORED = 'plugins-that-judge'
const JUDGED: readonly AnyHook[] = [FILTER_PLAN, BEFORE_WRITE]
/** A plugin in one of these states cannot judge although a person enabled it. */
const IS_OUT: readonly string[] = ['discovered', 'building', 'staging', 'blocked', 'failed', 'quarantined', 'stuck']

export function createRunHooks({
  callHook,
  tappedBy,
  host,
  store,
}: Pick<PluginContext, 'callHook' | 'tappedBy' | 'host' | 'store'>): RunHooks {
  return {
    /** Includes plugins that judged before and are now unavailable: they cannot respond, so all operations are held. */
    async tapped() {
      const known = (await store.get<Tapped>(STORED)) ?? {}
      const states = new Map(host.plugins().map(({ id, state }) => [id, state]))
      const isOut = (id: string) => IS_OUT.includes(states.get(id) ?? '')
      const tapped: Record<string, readonly string[]> = {}
      for (const hook of RUN_HOOKS) {
        const out = JUDGED.includes(hook) ? (known[hook.name] ?? []).filter(isOut) : []
        const ids = [...new Set([...tappedBy(hook), ...out])].sort()
        if (ids.length > 0) tapped[hook.name] = ids
      }
      const judges = Object.fromEntries(JUDGED.flatMap(({ name }) => (tapped[name] ? [[name, tapped[name]]] : [])))
      if (JSON.stringify(judges) !== JSON.stringify(known)) await store.set(STORED, judges)
      return tapped
    },
    async call(name, input) {
      const hook = RUN_HOOKS.find((one) => one.name === name)
      return hook === undefined ? undefined : callHook(hook, input)
    },
  }
}
