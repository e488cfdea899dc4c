// Table notation for tests: `y n 1 0` is seen on A, never on B, now on A and proven absent from B.
import type { DecideRules, FeatureSupport, Group, Pending, Side } from '@playhead/sdk'
import { decide, HOUR, itemOf, type Name, NOW, rowOf, SUPPORT } from './worlds.ts'

export interface Changes {
  readonly a?: { readonly evidenceMs?: number; readonly plays?: number }
  readonly b?: { readonly evidenceMs?: number; readonly plays?: number }
  readonly pendingA?: Pending
  readonly pendingB?: Pending
  readonly settled?: { readonly a: string | null; readonly b: string | null; readonly reason?: string }
}
export interface Case {
  readonly mode: DecideRules['mode']
  readonly remove: boolean
  readonly add?: boolean
  readonly removeMode?: DecideRules['removeMode']
  readonly mirrorApproved?: boolean
  readonly restoreDeleted?: boolean
  readonly firstRun?: boolean
  readonly sourceOfTruth?: Side
  readonly lastRunStartedAtMs?: number | null
  readonly identity?: 'item' | 'play'
  readonly mayProveAbsence?: DecideRules['mayProveAbsence']
  readonly support?: Readonly<Record<Side, FeatureSupport>>
  readonly options?: Readonly<Record<string, unknown>>
}
const PRESENCE: Readonly<Record<string, Group['presenceA']>> = { 0: 'absent', 1: 'present', '?': 'unknown' }

export function rulesOf({ remove, add = true, options = {}, ...rest }: Case): DecideRules {
  return {
    removeMode: 'source_deletes',
    mirrorApproved: false,
    restoreDeleted: false,
    sourceOfTruth: 'a',
    firstRun: false,
    nowMs: NOW,
    lastRunStartedAtMs: NOW - 5 * HOUR,
    mayProveAbsence: { a: true, b: true },
    support: { a: SUPPORT, b: SUPPORT },
    ...rest,
    options: { enabled: true, add, remove, ...options },
  }
}

export function createTable(name: Name) {
  const row = rowOf(name, itemOf(name, { value: 1, at: -9, short: false, percentOnly: false, plays: undefined }))
  function group(when: string, changes: Changes = {}): Group {
    const [seenA, seenB, nowA = '?', nowB = '?'] = when.split(' ')
    const seen = { value: row.value, evidenceMs: NOW - 9 * HOUR, seenAtMs: NOW - 5 * HOUR }
    const { pendingA = null, pendingB = null, settled = null } = changes
    return {
      key: 'movie:tmdb:949',
      base:
        seenA === 'n' && seenB === 'n' && pendingA === null && pendingB === null && settled === null
          ? null
          : { a: seenA === 'y' ? seen : null, b: seenB === 'y' ? seen : null, pendingA, pendingB, settled },
      a: nowA === '1' ? { ...row, ...changes.a } : null,
      b: nowB === '1' ? { ...row, ...changes.b } : null,
      presenceA: PRESENCE[nowA]!,
      presenceB: PRESENCE[nowB]!,
    }
  }
  /**
   * `add b`, `remove a`, `hold`, `linked`, `none`, `diverged`; with `over` and the sides whose write became visible.
   */
  function decided(given: Group, rules: Case): string {
    const { ops, state, hold, over, report } = decide(name, given, rulesOf(rules))
    const what = ops.length > 0 ? ops.map(({ side, op }) => `${op} ${side}`).join(', ') : hold === true ? 'hold' : state
    return `${what}${report === true && state !== 'diverged' ? ' report' : ''}${over === undefined ? '' : ` over ${over.join('')}`}`
  }
  return { group, decided }
}
