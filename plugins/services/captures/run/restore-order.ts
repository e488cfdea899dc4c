// The request of a restore, and the confirmations that it needs before the account is changed.
import type { TargetMode, TargetPlan } from '@playhead/sdk'
import { accountHash, type Named } from '../account.ts'
import type { CapturedFeature, CaptureEntry } from '../contract.ts'
import { removalsOf } from './target.ts'

export const RESTORE_MODES = ['merge', 'sync_values', 'exact', 'clear_restore'] as const
export type RestoreMode = (typeof RESTORE_MODES)[number]

export const TARGET_MODES: Readonly<Record<RestoreMode, TargetMode>> = {
  merge: 'add',
  sync_values: 'update',
  exact: 'exact',
  clear_restore: 'replace',
}

/**
 * Required confirmations: `removals` (many), `empty` and `incomplete` (captures, in modes that remove), `account` (the capture
 * may be of another account), `scope` (other libraries were captured, in modes that remove).
 */
export const CONFIRMATIONS = ['removals', 'empty', 'incomplete', 'account', 'scope'] as const
type Confirmation = (typeof CONFIRMATIONS)[number]

export interface RestoreOrder {
  /** The account to restore to. */
  readonly named: Named
  readonly entry: CaptureEntry
  /** The files: the capture itself, or the children of a bundle. */
  readonly files: readonly CaptureEntry[]
  /** Children that do not exist. */
  readonly missing: readonly CapturedFeature[]
  readonly mode: RestoreMode
  readonly confirmed: ReadonlySet<string>
  readonly dryRun: boolean
  readonly holdId: string
}

/** A feature, planned. */
export interface Prepared {
  readonly file: CaptureEntry
  readonly feature: CapturedFeature
  readonly targetId: string
  readonly plan: TargetPlan
}

/** The missing confirmations. */
export function confirmationsOf(order: RestoreOrder, prepared: readonly Prepared[]): Confirmation[] {
  const { mode, confirmed } = order
  const removes = mode === 'exact' || mode === 'clear_restore'
  const needs = new Set<Confirmation>()
  for (const { file, plan } of prepared) {
    if (!isOwn(order, { file, plan })) needs.add('account')
    if (!removes || removalsOf(plan) === 0) continue
    if (plan.held !== null) needs.add('removals')
    if (file.count === 0) needs.add('empty')
    if (file.complete !== true || file.doubt !== null || file.unreadable > 0) needs.add('incomplete')
    if (file.scope !== null && scopeText(file.scope) !== scopeText(plan.scope)) needs.add('scope')
  }
  return CONFIRMATIONS.filter((one) => needs.has(one) && !confirmed.has(one))
}

/** Whether the capture belongs to the account to restore to. The older format does not contain this. */
export function isOwn({ named }: RestoreOrder, { file, plan }: Pick<Prepared, 'file' | 'plan'>): boolean {
  return file.account === accountHash(named.provider, plan.account)
}

function scopeText({ plays, libraries }: { readonly plays: boolean; readonly libraries: readonly string[] }): string {
  return JSON.stringify([plays, [...libraries].sort()])
}
