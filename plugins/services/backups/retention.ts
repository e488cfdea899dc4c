// Selects the backups that may be deleted. The newest ones and those that people rely on always stay.
const DAY_MS = 86_400_000
const PRE_RESTORE_DAYS = 7

export interface Kept {
  readonly path: string
  readonly createdAtMs: number
  readonly trigger: string
  /** The manifest can be read. */
  readonly valid: boolean
  readonly pinned: boolean
}

export interface RetentionRule {
  /** 0: no limit. */
  readonly retentionDays: number
  /** 0: no limit. */
  readonly maxBackups: number
  /** Includes backups that were created manually, imported, or made before a restore. Default: only scheduled ones. */
  readonly all?: boolean
}

/** Deletes backups older than the given days; of the others the newest are kept. */
export function retentionOf<One extends Kept>(
  backups: readonly One[],
  { retentionDays, maxBackups, all = false }: RetentionRule,
  nowMs: number,
): { readonly deleted: readonly One[]; readonly retained: readonly One[] } {
  // Created while the clock was ahead; later backups are newer nevertheless.
  const isAhead = ({ createdAtMs }: One) => Number(createdAtMs > nowMs)
  const newestFirst = [...backups].sort(
    (a, b) => isAhead(a) - isAhead(b) || b.createdAtMs - a.createdAtMs || (a.path < b.path ? 1 : -1),
  )
  const newestValid = newestFirst.find(({ valid }) => valid)
  const lastPreRestore = newestFirst.find(({ trigger }) => trigger === 'pre_restore')
  const isProtected = (one: One) =>
    one.pinned ||
    one === newestValid ||
    (one === lastPreRestore && nowMs - one.createdAtMs < PRE_RESTORE_DAYS * DAY_MS) ||
    (!all && one.trigger !== 'scheduler')
  const eligible = newestFirst.filter((one) => all || one.trigger === 'scheduler')
  const young = eligible.filter(
    ({ createdAtMs }) => retentionDays === 0 || nowMs - createdAtMs <= retentionDays * DAY_MS,
  )
  const staying = new Set(maxBackups === 0 ? young : young.slice(0, maxBackups))
  const isDeleted = (one: One) => !isProtected(one) && !staying.has(one)
  return { deleted: newestFirst.filter(isDeleted), retained: newestFirst.filter((one) => !isDeleted(one)) }
}
