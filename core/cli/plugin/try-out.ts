// Runs a compiled plugin once in the test host, with the real host's import rules.
import { join } from 'node:path'
import type { PluginManifest } from '@playhead/sdk'
import type { TestHost } from '@playhead/sdk/testing'
import { runAs } from '../../host/run/attribution.ts'
import { evaluatePlugin } from '../../host/load/evaluate.ts'
import { loadShared } from '../../host/load/shared-modules.ts'
import { positionIn } from '../../host/run/fault.ts'
import { createPluginGlobals } from '../../host/load/plugin-globals.ts'
import { createTestHost } from '../../testing/host.ts'

/** The registered parts, one line each. Throws if the plugin does not start, with file and line if known. */
export async function tryOut({
  manifest,
  directory,
  code,
  look,
}: {
  readonly manifest: PluginManifest
  readonly directory: string
  readonly code: string
  /** Called while the plugin runs. */
  readonly look?: (host: TestHost) => void
}): Promise<readonly string[]> {
  process.setSourceMapsEnabled(true)
  const owner = { plugin: manifest.id, generation: 1, work: 'stage' } as const
  const globals = createPluginGlobals(owner, { console, stdout: process.stdout, stderr: process.stderr })
  try {
    return await runAs(owner, async () => {
      await loadShared(code)
      const plugin = evaluatePlugin(code, {
        owner,
        directory,
        globals: globals.module,
        builtins: manifest.needs?.builtins ?? [],
      })
      const needed = (manifest.requires ?? []).map((token) => [token.split('@')[0] as string, {}])
      await using host = await createTestHost({
        plugin,
        manifest: join(directory, 'plugin.json'),
        capabilities: Object.fromEntries(needed),
      })
      look?.(host)
      const { routes = [], provides = [] } = manifest
      return [
        [
          count(routes.length, 'route'),
          count(provides.length, 'capability', 'capabilities'),
          count(host.jobs().length, 'job'),
        ].join(', '),
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

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}
