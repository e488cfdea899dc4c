// Composes the analyzer for one generation of the plugin.
import type { PluginContext } from '@playhead/sdk'
import { createAttention, type ProblemAttention } from './attention.ts'
import { type Corrections, createCorrections } from './act/correct.ts'
import { type ChangeStore, createChangeStore } from './act/store.ts'
import { createExclusions, type Exclusions } from './exclusions.ts'
import { type AnalyzerProblems, createProblemSource } from './problem-source.ts'
import { createRunner, type Runner } from './runner.ts'
import type { AnalyzerConfig } from './settings.ts'
import { createWorld, type World } from './world.ts'

export interface Parts {
  readonly ctx: PluginContext<AnalyzerConfig>
  readonly world: World
  readonly runner: Runner
  readonly exclusions: Exclusions
  readonly changes: ChangeStore
  readonly corrections: Corrections
  readonly attention: ProblemAttention
  readonly problems: AnalyzerProblems
  /** A pass over all pairs, for the attention row and the counts of `problems`. */
  lookThrough(): Promise<void>
}

export function createParts(ctx: PluginContext<AnalyzerConfig>): Parts {
  const world = createWorld(ctx)
  const runner = createRunner(ctx, world)
  const exclusions = createExclusions(ctx.store)
  const attention = createAttention(ctx.store)
  const changes = createChangeStore(ctx.store)
  const problems = createProblemSource({ runner, exclusions, store: ctx.store })
  return {
    ctx,
    world,
    runner,
    exclusions,
    changes,
    corrections: createCorrections(ctx, changes),
    attention,
    problems,
    async lookThrough() {
      const hidden = await exclusions.list()
      const { answer } = await runner.ask(null, ({ key }) =>
        runner.thread.problems(key, { offset: 0, limit: 0, hints: false, exclusions: hidden }, { offset: 0, limit: 0 }),
      )
      await attention.note(answer.summary)
      await problems.count()
    },
  }
}

/** The query parameter `pairs`: ids, separated by commas; null means all pairs. */
export function readPairs(text: string | undefined): readonly string[] | null {
  const ids = [...new Set((text ?? '').split(',').map((id) => id.trim()))].filter((id) => id !== '')
  return ids.length === 0 ? null : ids.sort()
}
