// Problems that need a person, collected from all plugins for `GET /api/attention`.
import { capability } from '../capability.ts'
import { hook } from '../hooks.ts'

/** Collects open problems. Shown as `GET /api/attention`. */
export const ATTENTION = hook.collect<Record<string, never>, readonly Attention[]>('attention')

/** All open problems of the service, as `GET /api/attention` shows them. */
export const ATTENTION_LIST = capability<AttentionList>('attention')

export interface AttentionList {
  /** `isComplete` is false when a check timed out: its problems may be missing. Most severe first. */
  open(): Promise<{ readonly items: readonly Attention[]; readonly isComplete: boolean }>
}

/** A problem that needs a person, with the one action that resolves it. */
export interface Attention {
  /** Stable for the same problem; unique within the plugin. */
  readonly id: string
  /**
   * `held_removals`, `unresolved`, `sign_in`, `sign_in_expiring`, `sign_in_outdated`, `vendor_notice`,
   * `vendor_changed`, `plugin`, `plugin_edit`, `health`, or the plugin's own code.
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
  /** A page on the web where it is explained: `https://…` */
  readonly link?: string
  readonly action?: {
    readonly label: string
    /** Page of the browser application that resolves it. */
    readonly path?: string
    /** API call that resolves it, made after the person confirmed. */
    readonly call?: {
      readonly method: 'POST' | 'PUT' | 'DELETE'
      readonly path: string
      readonly body?: Readonly<Record<string, unknown>>
    }
  }
}
