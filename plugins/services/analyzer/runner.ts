// Starts passes on the analyzer's thread: one per set of parameters at a time, cached by revision, and aborted when a rule does
// not return.
import {
  type AnalyzerService,
  ANALYZERS,
  type FixPlan,
  isPlayheadError,
  METADATA,
  PlayheadError,
  type PluginContext,
  type RuleDescription,
  sleep,
  tokenOf,
} from '@playhead/sdk'
import type { FixOrder } from './pass/fixes.ts'
import type { RuleFailure, RuleRef } from './pass/rules.ts'
import type { AnalyzeAnswer, AnalyzerWork } from './pass/thread.ts'
import type { AnalyzerConfig } from './settings.ts'
import { type GatheredWorld, hashOf, type World } from './world.ts'

interface Rule {
  readonly name: string
  readonly description: RuleDescription
}

interface Pass {
  readonly key: string
  readonly answer: AnalyzeAnswer
  readonly gathered: GatheredWorld
  readonly rules: readonly Rule[]
  /** The rules that took part, in their version at that time. */
  readonly refs: readonly RuleRef[]
}

const LOOK_MS = 500
/** Retries, because rows may change while they are read. */
const MAX_TRIES = 3
/** The thread and its rows are released after this time without a query. */
const IDLE_MS = 5 * 60_000

/** Shown if the state of the service itself cannot be read. */
const NO_DIAGNOSIS: Awaited<ReturnType<AnalyzerWork['system']>> = {
  problems: [
    {
      type: 'analyzer_system_diagnostics_failed',
      severity: 'error',
      category: 'orchestrator',
      message: 'The checks of the service could not be made; the log says why.',
      provider: null,
      feature: null,
      rule: 'analyzer',
    },
  ],
  summary: {
    total: 1,
    by_severity: { error: 1, warn: 0, info: 0 },
    by_category: { orchestrator: 1 },
    by_type: { analyzer_system_diagnostics_failed: 1 },
  },
  failures: [],
}

/** Resolves with the position of a rule whose call does not return. */
async function untilStuck(cells: Int32Array, limitMs: number, signal: AbortSignal): Promise<number> {
  let [last, sinceMs] = [-1, Date.now()]
  for (;;) {
    await sleep(LOOK_MS, signal)
    const [rule, call] = [Atomics.load(cells, 0), Atomics.load(cells, 1)]
    if (rule === 0 || call !== last) [last, sinceMs] = [call, Date.now()]
    else if (Date.now() - sinceMs > limitMs) return rule - 1
  }
}

class RuleEnded extends Error {}

export type Runner = ReturnType<typeof createRunner>

export function createRunner(ctx: PluginContext<AnalyzerConfig>, world: World) {
  const thread = ctx.startThread<AnalyzerWork>('pass/thread.ts')
  const running = new Map<string, Promise<Pass>>()
  /** Files of modules that did not return, with the reason. A new version has a new file. */
  const stuck = new Map<string, RuleFailure>()
  /** Files of modules that were running when the thread ended by itself. */
  const suspects = new Set<string>()
  const limitMs = () => ctx.config.rule_seconds * 1_000
  let inUse = 0
  let idle: NodeJS.Timeout | undefined

  async function whileInUse<Result>(work: () => Promise<Result>): Promise<Result> {
    clearTimeout(idle)
    inUse += 1
    try {
      return await work()
    } finally {
      inUse -= 1
      if (inUse === 0) {
        idle = setTimeout(() => void thread.stop(), IDLE_MS)
        idle.unref()
      }
    }
  }

  async function rules(): Promise<readonly Rule[]> {
    const found = await Promise.all(
      ctx.capabilities<AnalyzerService>(ANALYZERS).map(async (reference): Promise<Rule | null> => {
        const name = tokenOf(reference).slice(ANALYZERS.prefix.length)
        try {
          return { name, description: await ctx.use(reference).describe() }
        } catch (error) {
          ctx.log.warn({ rule: name, err: error }, 'a rule could not be described and is left out')
          return null
        }
      }),
    )
    return found.filter((one) => one !== null).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async function refsOf(
    wanted: readonly Rule[],
  ): Promise<{ refs: readonly RuleRef[]; failures: readonly RuleFailure[] }> {
    const failures: RuleFailure[] = []
    const refs = await Promise.all(
      wanted.map(async ({ name }): Promise<RuleRef | null> => {
        try {
          const module = await ctx.use(ANALYZERS.of(name)).module()
          const known = stuck.get(module.file)
          if (known === undefined) return { name, plugin: module.plugin, module }
          failures.push(known)
        } catch (error) {
          failures.push({
            rule: name,
            plugin: name,
            reason: 'not_a_rule',
            message: isPlayheadError(error) ? error.message : 'Its module could not be compiled.',
          })
        }
        return null
      }),
    )
    return { refs: refs.filter((one) => one !== null), failures }
  }

  /** Runs work on the thread, and retries without a rule that ended the thread. */
  async function guarded<Result>(
    wanted: readonly Rule[],
    work: (
      refs: readonly RuleRef[],
      memory: SharedArrayBuffer,
    ) => Promise<Result & { failures: readonly RuleFailure[] }>,
  ): Promise<Result> {
    for (;;) {
      const { refs, failures } = await refsOf(wanted)
      try {
        const result = await watched(refs, (memory) => work(refs, memory))
        report([...result.failures])
        return { ...result, failures: [...result.failures, ...failures] }
      } catch (error) {
        if (!(error instanceof RuleEnded)) throw error
      }
    }
  }

  /**
   * Ends the thread when a rule does not return, and throws RuleEnded. Also throws it when the thread ends by itself a second time
   * while a rule is running: the first time may be a coincidence.
   */
  async function watched<Result>(
    refs: readonly RuleRef[],
    work: (memory: SharedArrayBuffer) => Promise<Result>,
  ): Promise<Result> {
    const memory = new SharedArrayBuffer(8)
    const cells = new Int32Array(memory)
    let culprit: RuleRef | undefined
    const end = new AbortController()
    void untilStuck(cells, limitMs(), end.signal).then(
      (rule) => {
        culprit = refs[rule]
        return thread.stop()
      },
      () => {},
    )
    try {
      return await work(memory)
    } catch (error) {
      const atWork = isPlayheadError(error, 'PLH_ABORTED') ? refs[Atomics.load(cells, 0) - 1] : undefined
      if (culprit !== undefined)
        throw leftOut(culprit, 'too_slow', `It did not return within ${limitMs() / 1_000} seconds.`)
      if (atWork === undefined) throw error
      if (suspects.has(atWork.module.file)) throw leftOut(atWork, 'ended_thread', 'It ended the thread of all rules.')
      suspects.add(atWork.module.file)
      throw error
    } finally {
      end.abort()
    }
  }

  function leftOut({ name, plugin, module }: RuleRef, reason: string, message: string): RuleEnded {
    const failure = { rule: name, plugin, reason, message }
    stuck.set(module.file, failure)
    report([failure])
    return new RuleEnded(message)
  }

  const reported = new Set<string>()
  function report(failures: readonly RuleFailure[]): void {
    for (const failure of failures) {
      const name = JSON.stringify(failure)
      if (reported.has(name)) continue
      reported.add(name)
      ctx.log.channel('ANALYZER').warn({ ...failure }, 'a rule failed; its problems are left out')
    }
  }

  async function run(selected: readonly string[] | null): Promise<Pass> {
    const wanted = await rules()
    for (let tries = 1; ; tries += 1) {
      const gathered = await world.gather(selected)
      const { refs, key, failures, ...rest } = await guarded(wanted, async (asked, memory) => {
        // Named after these exact modules: a rule may be reloaded at any moment.
        const name = hashOf([selected, gathered.revision, asked.map(({ module }) => module.file)])
        const made = await thread.work.analyze(
          {
            key: name,
            tableKey: gathered.tableRevision,
            sources: gathered.sources,
            rules: asked,
            pass: {
              world: gathered.world,
              routes: gathered.routes,
              blocks: gathered.blocks,
              scope: gathered.scope,
              released: {},
              known: {},
            },
            mapped: gathered.mapped,
            ruleMs: limitMs(),
            dated:
              ctx.tryUse(METADATA) !== undefined &&
              wanted.some(({ description }) => description.needs.metadata === true),
          },
          memory,
        )
        return { refs: asked, key: name, answer: made, failures: made.failures }
      })
      const answer = { ...rest.answer, failures }
      if (
        answer.cacheHit ||
        tries === MAX_TRIES ||
        (await world.gather(selected)).tableRevision === gathered.tableRevision
      )
        return { key, answer, gathered, rules: wanted, refs }
    }
  }

  async function diagnose() {
    const wanted = (await rules()).filter(({ description }) => description.needs.system === true)
    const now = await world.system()
    return guarded(wanted, (refs, memory) => thread.work.system(refs, now, limitMs(), memory))
  }

  /** Repeats work that another rule ended. */
  async function repeated<Answer>(work: () => Promise<Answer | null>): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await work()
        if (answer !== null) return answer
      } catch (error) {
        if (!isPlayheadError(error, 'PLH_ABORTED') || tries === MAX_TRIES) throw error
      }
      if (tries === MAX_TRIES)
        throw new PlayheadError('PLH_NOT_READY', 'The library changed during the check. Try again.', {
          wire: 'library_changing',
        })
    }
  }

  return {
    rules,
    thread: thread.work,

    /** A pass over the current rows. Concurrent callers with the same parameters share it. */
    async pass(selected: readonly string[] | null): Promise<Pass> {
      const name = JSON.stringify(selected)
      const known = running.get(name)
      if (known !== undefined) return known
      const started = whileInUse(() => run(selected)).finally(() => running.delete(name))
      running.set(name, started)
      return started
    },

    /** Queries a pass. The pass runs again if the thread ended meanwhile. */
    async ask<Answer>(
      selected: readonly string[] | null,
      question: (pass: Pass) => Promise<Answer | null>,
    ): Promise<{ readonly pass: Pass; readonly answer: Answer }> {
      return whileInUse(() =>
        repeated(async () => {
          const pass = await this.pass(selected)
          const answer = await question(pass)
          return answer === null ? null : { pass, answer }
        }),
      )
    },

    /** The change that the rule of a problem proposes; null if there is no fix. */
    async fix(selected: readonly string[] | null, order: FixOrder): Promise<FixPlan | null> {
      const { answer } = await this.ask(selected, async ({ key, rules: own, refs }) => {
        const isOf = ({ description }: Rule) => description.problems.some(({ type }) => type === order.type)
        const ref = refs.find(({ name }) => own.some((rule) => rule.name === name && isOf(rule)))
        if (ref === undefined) return { fix: null }
        return watched([ref], (memory) => thread.work.fix(key, order, memory)).catch((error: unknown) => {
          if (!(error instanceof RuleEnded)) throw error
          throw new PlayheadError('PLH_INVALID', `The rule "${ref.name}" could not say what to change.`, {
            wire: 'fix_failed',
          })
        })
      })
      return answer.fix
    },

    async system() {
      return whileInUse(async () => {
        const startedMs = performance.now()
        const found = await repeated(diagnose).catch((error: unknown) => {
          if (isPlayheadError(error, 'PLH_ABORTED')) throw error
          ctx.log.channel('ANALYZER').error({ err: error }, 'the checks of the service could not be made')
          return NO_DIAGNOSIS
        })
        return { ...found, ms: Math.round(performance.now() - startedMs) }
      })
    },

    close: () => clearTimeout(idle),
  }
}
