// Wires the analyzer for one generation of the plugin.
import { PlayheadError, type PluginContext } from '@playhead/sdk'
import { createExclusions, type Exclusions } from './exclusions.ts'
import { createRunner, type Runner } from './runner.ts'
import { createWorld, type World } from './world.ts'

export interface Parts {
  readonly ctx: PluginContext
  readonly world: World
  readonly runner: Runner
  readonly exclusions: Exclusions
}

export function createParts(ctx: PluginContext): Parts {
  const world = createWorld(ctx)
  const runner = createRunner(ctx, world)
  return { ctx, world, runner, exclusions: createExclusions(ctx.store) }
}

/** The query parameter `pairs`: ids, separated by commas; null means all pairs. */
export function readPairs(text: string | undefined): readonly string[] | null {
  const ids = [...new Set((text ?? '').split(',').map((id) => id.trim()))].filter((id) => id !== '')
  return ids.length === 0 ? null : ids.sort()
}

export function notFound(wire: string, message: string): PlayheadError {
  return new PlayheadError('PLH_NOT_FOUND', message, { wire })
}
