// Runs the rules of other plugins: an exception, an invalid result or a timeout ends that rule only.
import type { LentModule } from '@playhead/sdk'
import {
  type AnalyzerPage,
  type AnalyzerRule,
  type AnalyzerWorld,
  type RuleNeeds,
  ruleOf,
  type RulePass,
  type UnreadableRows,
} from '@playhead/sdk/analyzer'
import { createFindings, type Findings, type Kind, Nonsense, type Place, TooMany } from './findings.ts'

/** A rule from the view of the main thread. */
export interface RuleRef {
  readonly name: string
  readonly plugin: string
  readonly module: LentModule
}

export interface RuleFailure {
  readonly rule: string
  readonly plugin: string
  /** `threw`, `invalid_findings`, `too_slow`, `too_many_findings`, `not_a_rule`. */
  readonly reason: string
  readonly message: string
}

export interface LoadedRule {
  readonly ref: RuleRef
  readonly rule: AnalyzerRule
  readonly needs: RuleNeeds
  readonly kinds: ReadonlyMap<string, Kind>
}

/** The clock is read once per this number of findings. */
const CLOCK_EVERY = 256

/** Publishes the running rule to the main thread: its position plus one, and a number that changes with each call. */
export interface Beacon {
  enter(rule: number): void
  leave(): void
}

export interface RuleLimits {
  readonly beacon: Beacon
  /** The result of one rule in one pass. */
  readonly ruleMs: number
}

export async function loadRules(
  refs: readonly RuleRef[],
  load: (module: LentModule) => Promise<unknown>,
): Promise<{ readonly rules: readonly LoadedRule[]; readonly failures: readonly RuleFailure[] }> {
  const rules: LoadedRule[] = []
  const failures: RuleFailure[] = []
  const types = new Map<string, string>()
  for (const ref of refs) {
    const refuse = (reason: string, message: string) =>
      void failures.push({ rule: ref.name, plugin: ref.plugin, reason, message })
    try {
      const rule = ruleOf(await load(ref.module))
      if (rule === undefined) {
        refuse('not_a_rule', 'Its module exports no rule of defineAnalyzer.')
        continue
      }
      const taken = rule.problems.find(({ type }) => types.has(type))
      if (taken !== undefined) {
        refuse('type_taken', `The problem "${taken.type}" is already that of the rule "${types.get(taken.type)}".`)
        continue
      }
      for (const { type } of rule.problems) types.set(type, ref.name)
      const hasFix = rule.fix !== undefined
      rules.push({
        ref,
        rule,
        needs: rule.needs ?? {},
        kinds: new Map(
          rule.problems.map((kind) => [
            kind.type,
            { ...kind, rule: ref.name, hasFix: hasFix && kind.fix !== undefined },
          ]),
        ),
      })
    } catch (error) {
      refuse('threw', messageOf(error))
    }
  }
  return { rules, failures }
}

export interface Running {
  readonly findings: Findings
  readonly failures: RuleFailure[]
  readonly rules: readonly LoadedRule[]
  page(rule: LoadedRule, page: AnalyzerPage, place: Place): void
  end(rule: LoadedRule, unreadable?: readonly UnreadableRows[]): void
  /** Milliseconds by rule. */
  times(): Readonly<Record<string, number>>
}

export function runRules(loaded: readonly LoadedRule[], world: AnalyzerWorld, { beacon, ruleMs }: RuleLimits): Running {
  const findings = createFindings()
  const failures: RuleFailure[] = []
  const passes = new Map<LoadedRule, RulePass>()
  const spent = new Map<LoadedRule, number>()
  const failed = new Set<LoadedRule>()

  function call(one: LoadedRule, place: Place, work: (pass: RulePass) => Iterable<unknown> | undefined): void {
    if (failed.has(one)) return
    const startedMs = performance.now()
    const before = spent.get(one) ?? 0
    let left = CLOCK_EVERY
    const watch = () => {
      left -= 1
      if (left > 0) return
      left = CLOCK_EVERY
      if (before + performance.now() - startedMs > ruleMs) throw new TooSlow(`more than ${ruleMs / 1_000} seconds`)
    }
    beacon.enter(loaded.indexOf(one))
    try {
      let pass = passes.get(one)
      if (pass === undefined) passes.set(one, (pass = begin(one.rule, world)))
      const found = work(pass)
      if (found !== undefined && found !== null) {
        if (typeof found[Symbol.iterator] !== 'function') throw new Nonsense('the findings are no list')
        findings.take(found, one.kinds, place, watch)
      }
    } catch (error) {
      fail(one, reasonOf(error), messageOf(error))
    } finally {
      beacon.leave()
      const total = before + performance.now() - startedMs
      spent.set(one, total)
      if (total > ruleMs && !failed.has(one)) fail(one, 'too_slow', `more than ${ruleMs / 1_000} seconds`)
    }
  }

  function fail(one: LoadedRule, reason: string, message: string): void {
    failed.add(one)
    findings.drop(one.ref.name)
    failures.push({ rule: one.ref.name, plugin: one.ref.plugin, reason, message })
  }

  return {
    findings,
    failures,
    rules: loaded,
    page(one, page, place) {
      call(one, place, (pass) => pass.inspect?.(page))
    },
    end(one, unreadable = []) {
      call(one, NOWHERE, (pass) => pass.end?.(unreadable))
    },
    times: () => Object.fromEntries([...spent].map(([{ ref }, ms]) => [ref.name, Math.round(ms)])),
  }
}

const NOWHERE: Place = { account: null, feature: null, rowOf: () => -1 }

class TooSlow extends Error {}

function begin(rule: AnalyzerRule, world: AnalyzerWorld): RulePass {
  if (rule.begin !== undefined) {
    const pass: unknown = rule.begin(world)
    if (typeof pass !== 'object' || pass === null) throw new Nonsense('begin returned no pass')
    return pass
  }
  return { inspect: (page) => rule.inspect?.(page, world) ?? [] }
}

function reasonOf(error: unknown): string {
  if (error instanceof TooSlow) return 'too_slow'
  if (error instanceof TooMany) return 'too_many_findings'
  return error instanceof Nonsense ? 'invalid_findings' : 'threw'
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500)
}
