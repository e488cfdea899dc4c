// Starts passes on the analyzer's thread: one per set of parameters at a time, remembered by revision, and ended when a
// rule does not return.
import {
  type AnalyzerService,
  ANALYZERS,
  isPlayheadError,
  METADATA,
  PlayheadError,
  type PluginContext,
  type RuleDescription,
  sleep,
  tokenOf,
} from '@playhead/sdk'
import type { RuleFailure, RuleRef } from './pass/rules.ts'
import type { AnalyzeAnswer, AnalyzerWork } from './pass/thread.ts'
import type { AnalyzerConfig } from './settings.ts'
import { type GatheredWorld, hashOf, type World } from './world.ts'

export interface Rule {
  readonly name: string
  readonly description: RuleDescription
}

export interface Pass {
  readonly key: string
  readonly answer: AnalyzeAnswer
  readonly gathered: GatheredWorld
  readonly rules: readonly Rule[]
}

const LOOK_MS = 500
/** Rows may change while they are read. */
const MAX_TRIES = 3
/** The thread, with all rows, ends after so long without a question. */
const IDLE_MS = 5 * 60_000

/** What is shown when the state of the service itself cannot be read. */
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

export type Runner = ReturnType<typeof createRunner>

export function createRunner(ctx: PluginContext<AnalyzerConfig>, world: World) {
  const thread = ctx.startThread<AnalyzerWork>('pass/thread.ts')
  const running = new Map<string, Promise<Pass>>()
  /** Files of modules that did not return, with the reason. A new version has another file. */
  const stuck = new Map<string, RuleFailure>()
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

  /** Runs work on the thread; ends the thread when a rule does not return, and tries again without it. */
  async function guarded<Result>(
    wanted: readonly Rule[],
    work: (
      refs: readonly RuleRef[],
      memory: SharedArrayBuffer,
    ) => Promise<Result & { failures: readonly RuleFailure[] }>,
  ): Promise<Result> {
    for (;;) {
      const { refs, failures } = await refsOf(wanted)
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
        const result = await work(refs, memory)
        report([...result.failures])
        return { ...result, failures: [...result.failures, ...failures] }
      } catch (error) {
        if (culprit === undefined) throw error
        const failure = {
          rule: culprit.name,
          plugin: culprit.plugin,
          reason: 'too_slow',
          message: `It did not return within ${limitMs() / 1_000} seconds.`,
        }
        stuck.set(culprit.module.file, failure)
        report([failure])
      } finally {
        end.abort()
      }
    }
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
      const key = hashOf([
        selected,
        gathered.revision,
        wanted.map(({ name, description }) => [name, description]),
        await buildsOf(),
      ])
      const answer = await guarded(wanted, (refs, memory) =>
        thread.work.analyze(
          {
            key,
            tableKey: gathered.tableRevision,
            sources: gathered.sources,
            rules: refs,
            pass: {
              world: gathered.world,
              routes: gathered.routes,
              blocks: gathered.blocks,
              scope: gathered.scope,
              released: {},
            },
            mapped: gathered.mapped,
            ruleMs: limitMs(),
            dated:
              ctx.tryUse(METADATA) !== undefined &&
              wanted.some(({ description }) => description.needs.metadata === true),
          },
          memory,
        ),
      )
      if (
        answer.cacheHit ||
        tries === MAX_TRIES ||
        (await world.gather(selected)).tableRevision === gathered.tableRevision
      )
        return { key, answer, gathered, rules: wanted }
    }
  }

  async function diagnose() {
    const wanted = (await rules()).filter(({ description }) => description.needs.system === true)
    const now = await world.system()
    return guarded(wanted, (refs, memory) => thread.work.system(refs, now, limitMs(), memory))
  }

  async function buildsOf(): Promise<readonly string[]> {
    return ctx.host
      .plugins()
      .flatMap(({ kind, id, build, generation }) => (kind === 'analyzer' ? [`${id} ${build ?? generation}`] : []))
  }

  return {
    rules,
    thread: thread.work,

    /** A pass over the rows as they are now. Concurrent callers with the same parameters share it. */
    async pass(selected: readonly string[] | null): Promise<Pass> {
      const name = JSON.stringify(selected)
      const known = running.get(name)
      if (known !== undefined) return known
      const started = whileInUse(() => run(selected)).finally(() => running.delete(name))
      running.set(name, started)
      return started
    },

    /** Asks about a pass. The pass is run again if the thread ended meanwhile. */
    async ask<Answer>(
      selected: readonly string[] | null,
      question: (pass: Pass) => Promise<Answer | null>,
    ): Promise<{ readonly pass: Pass; readonly answer: Answer }> {
      return whileInUse(async () => {
        for (let tries = 1; ; tries += 1) {
          try {
            const pass = await this.pass(selected)
            const answer = await question(pass)
            if (answer !== null) return { pass, answer }
          } catch (error) {
            if (!isPlayheadError(error, 'PLH_ABORTED') || tries === MAX_TRIES) throw error
          }
          if (tries === MAX_TRIES)
            throw new PlayheadError('PLH_NOT_READY', 'The library changes too fast to be analyzed. Try again.', {
              wire: 'library_changing',
            })
        }
      })
    },

    async system() {
      return whileInUse(async () => {
        const startedMs = performance.now()
        const found = await diagnose().catch((error: unknown) => {
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
