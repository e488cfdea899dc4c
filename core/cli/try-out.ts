// Runs a compiled plugin once in the test host, with the rules about imports that the real one has.
import { join } from 'node:path'
import { isPlayheadError, type DefinedPlugin, type HookKind, type PluginManifest } from '@playhead/sdk'
import { createTestHost, type TestHost } from '@playhead/sdk/testing'
import { runAs } from '../host/attribution.ts'
import { evaluatePlugin } from '../host/evaluate.ts'
import { loadShared } from '../host/shared-modules.ts'
import { positionIn } from '../host/fault.ts'
import { createPluginGlobals } from '../host/plugin-globals.ts'

// Hooks of other plugins that one plugin taps.
const MAX_FOREIGN_HOOKS = 50

/**
 * What was registered, one line each. Throws when the plugin does not come up, naming file and line where they are
 * known.
 */
export async function tryOut({
  manifest,
  directory,
  code,
}: {
  readonly manifest: PluginManifest
  readonly directory: string
  readonly code: string
}): Promise<readonly string[]> {
  process.setSourceMapsEnabled(true)
  const owner = { plugin: manifest.id, generation: 1, work: 'stage' } as const
  const globals = createPluginGlobals(owner, console)
  try {
    return await runAs(owner, async () => {
      await loadShared(code)
      const plugin = evaluatePlugin(code, {
        owner,
        directory,
        globals: globals.module,
        builtins: manifest.needs?.builtins ?? [],
      })
      const foreign: Record<string, HookKind> = {}
      await using host = await open(plugin, manifest, directory, foreign)
      const { routes = [], provides = [] } = manifest
      return [
        [
          count(routes.length, 'route'),
          count(provides.length, 'capability', 'capabilities'),
          count(host.jobs().length, 'job'),
        ].join(', '),
        ...Object.keys(foreign).map((hook) => `taps "${hook}", a hook that another plugin must declare`),
      ]
    })
  } catch (error) {
    const position = positionIn(error instanceof Error ? (error.stack ?? null) : null, directory)
    throw new Error(`${position === null ? '' : `${position.file}:${position.line}: `}${(error as Error).message}`, {
      cause: error,
    })
  } finally {
    globals.close()
  }
}

// Which hooks other plugins declare is not known here, so those that are asked for are taken to exist.
async function open(
  plugin: DefinedPlugin,
  manifest: PluginManifest,
  directory: string,
  foreign: Record<string, HookKind>,
): Promise<TestHost> {
  const capabilities = Object.fromEntries((manifest.requires ?? []).map((token) => [token.split('@')[0] as string, {}]))
  for (;;) {
    try {
      return await createTestHost({ plugin, manifest: join(directory, 'plugin.json'), capabilities, hooks: foreign })
    } catch (error) {
      const hook = isPlayheadError(error, 'PLH_HOOK_UNKNOWN') ? error.details?.['hook'] : undefined
      if (typeof hook !== 'string' || hook in foreign || Object.keys(foreign).length >= MAX_FOREIGN_HOOKS) throw error
      foreign[hook] = 'notify'
    }
  }
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}
