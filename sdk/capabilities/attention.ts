// What people should look at, collected from all plugins for `GET /api/attention`.
import { hook } from '../hooks.ts'

/** What should a person look at? Shown as `GET /api/attention`. */
export const ATTENTION = hook.collect<Record<string, never>, readonly Attention[]>('attention')

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
