// Runs the checks on one provider and counts the points.
import { defined } from '../../defined.ts'
import { isPlayheadError } from '../../errors.ts'
import { orAfter } from '../../waiting.ts'
import { CHECKS } from './checks/index.ts'
import { LeftOut } from './checks/support.ts'
import { REMEDIES } from './remedies.ts'
import type { Check, CheckResult, Group, Report, Subject } from './contract.ts'

const AT_ONCE = 4
const LIMIT_MS = 120_000
const LIMIT_MS_PER_ITEM = 10

export interface RunOptions {
  /** Only the checks of this group, or the check with this id. */
  readonly only?: Group | string
  /** Default: all of the kit. */
  readonly checks?: readonly Check[]
  readonly onResult?: (result: CheckResult) => void
}

/** Never throws because of the provider. Checks that measure time or memory run alone, after the others. */
export async function runConformance(
  subject: Subject,
  { only, checks = CHECKS, onResult }: RunOptions = {},
): Promise<Report> {
  const chosen = checks.filter(({ id, group }) => only === undefined || id === only || group === only)
  const results = new Map<string, CheckResult>()
  const one = async (check: Check): Promise<void> => {
    const result = await judge(check, subject)
    results.set(check.id, result)
    onResult?.(result)
  }
  using _zone = elsewhereThanUtc()
  const idle = chosen.filter((check) => check.waits === true)
  const busy = chosen.filter((check) => check.alone !== true && check.waits !== true).values()
  await Promise.all([
    ...idle.map(one),
    ...Array.from({ length: AT_ONCE }, async () => {
      for (let next = busy.next(); next.done !== true; next = busy.next()) await one(next.value)
    }),
  ])
  for (const check of chosen) if (check.alone === true) await one(check)

  const told = chosen.map(({ id }) => results.get(id) as CheckResult)
  const applied = told.filter(({ outcome }) => outcome !== 'left_out')
  const { manifest } = subject
  return {
    plugin: manifest.id,
    version: manifest.version,
    label: manifest.provider?.label ?? manifest.name,
    points: sum(applied.filter(({ outcome }) => outcome === 'passed')),
    possible: sum(applied),
    passed: applied.every(({ outcome }) => outcome === 'passed'),
    results: told,
    ...(only === undefined && checks === CHECKS
      ? { unexercised: subject.coverage.missing(subject.description, told) }
      : {}),
  }
}

/** Checks that read, add, update and remove a few rows of every feature, and use all list operations. */
const EXERCISES: readonly string[] = [
  'reads.complete',
  'writes.add',
  'writes.update',
  'writes.remove',
  'lists.entries',
  'lists.moved',
  'lists.own',
]

/**
 * Exercises every feature once and returns declared kinds and operations that the adapter never shows, a
 * sentence each. Takes a second or two; all checks take a minute.
 */
export async function unexercised(subject: Subject): Promise<readonly string[]> {
  await runConformance(subject, { checks: CHECKS.filter(({ id }) => EXERCISES.includes(id)) })
  return subject.coverage.missing(subject.description)
}

let elsewhere: { readonly before: string | undefined; runs: number } | undefined

/** A zone in which local time and UTC differ, set while checks run. */
function elsewhereThanUtc(): Disposable {
  const isUtc = [0, 6].every((month) => new Date(2026, month).getTimezoneOffset() === 0)
  if (elsewhere === undefined && !isUtc) return { [Symbol.dispose]() {} }
  elsewhere ??= { before: process.env['TZ'], runs: 0 }
  elsewhere.runs += 1
  process.env['TZ'] = 'Asia/Kolkata'
  return {
    [Symbol.dispose]() {
      if (elsewhere === undefined || (elsewhere.runs -= 1) > 0) return
      const { before } = elsewhere
      elsewhere = undefined
      if (before === undefined) delete process.env['TZ']
      else process.env['TZ'] = before
    },
  }
}

async function judge(check: Check, subject: Subject): Promise<CheckResult> {
  const { id, group, title, points = 1 } = check
  const about = { id, group, title, points }
  const left = subject.leaveOut[id] ?? check.applies(subject)
  if (left !== true) return { ...about, outcome: 'left_out', reason: left, tookMs: 0 }
  const startedAt = performance.now()
  const reason = await limited(() => check.run(subject), Math.max(LIMIT_MS, subject.items * LIMIT_MS_PER_ITEM))
  const tookMs = Math.round(performance.now() - startedAt)
  if (reason instanceof LeftOut) return { ...about, outcome: 'left_out', reason: reason.message, tookMs }
  return reason === undefined
    ? { ...about, outcome: 'passed', tookMs }
    : { ...about, outcome: 'failed', reason, ...defined({ remedy: REMEDIES[id] }), tookMs }
}

async function limited(run: () => Promise<string | undefined>, limitMs: number): Promise<string | LeftOut | undefined> {
  try {
    // Counted as requests count their limits: a loaded machine fails no check.
    return await orAfter(run(), limitMs, `did not end within ${limitMs / 1_000} s`)
  } catch (error) {
    if (error instanceof LeftOut) return error
    return error instanceof Error ? `${isPlayheadError(error) ? `${error.code}: ` : ''}${error.message}` : String(error)
  }
}

function sum(results: readonly CheckResult[]): number {
  return results.reduce((total, { points }) => total + points, 0)
}
