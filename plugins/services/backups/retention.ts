// Which backups may go. What is newest and what people rely on stays, whatever the numbers say.
const DAY_MS = 86_400_000
const PRE_RESTORE_DAYS = 7

export interface Kept {
  readonly path: string
  readonly createdAtMs: number
  readonly trigger: string
  /** Its list can be read. */
  readonly valid: boolean
  readonly pinned: boolean
}

export interface RetentionRule {
  /** 0: no limit. */
  readonly retentionDays: number
  /** 0: no limit. */
  readonly maxBackups: number
  /** Also those that were made by hand, imported, or before a restore. Default: only those of a schedule. */
  readonly all?: boolean
}

/** Older than the days goes; of the rest the newest stay. */
export function retentionOf<One extends Kept>(
  backups: readonly One[],
  { retentionDays, maxBackups, all = false }: RetentionRule,
  nowMs: number,
): { readonly deleted: readonly One[]; readonly retained: readonly One[] } {
  // Made while the clock was ahead: what is made from now on is newer.
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
