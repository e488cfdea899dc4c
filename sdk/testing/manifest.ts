// plugin.json as the host reads it: checked before any code of the plugin is looked at.
import { Value } from '@sinclair/typebox/value'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import semver from 'semver'
import { PlayheadError } from '../errors.ts'
import { PluginManifest, SDK_VERSION } from '../manifest.ts'

export interface LoadedManifest {
  readonly manifest: PluginManifest
  /** The plugin's folder; null when the manifest did not come from a file. */
  readonly directory: string | null
}

/** @param source the manifest, or the path or file URL of one */
export async function loadManifest(source: PluginManifest | string | URL): Promise<LoadedManifest> {
  if (typeof source !== 'string' && !(source instanceof URL))
    return { manifest: checked(source, 'the manifest'), directory: null }
  const file = source instanceof URL || source.startsWith('file:') ? fileURLToPath(source) : resolve(source)
  let value: unknown
  try {
    value = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new PlayheadError('PLH_PLUGIN_MANIFEST', `${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
  return { manifest: checked(value, file), directory: dirname(file) }
}

function checked(value: unknown, name: string): PluginManifest {
  const problem = Value.Errors(PluginManifest, value).First()
  if (problem !== undefined) {
    throw new PlayheadError('PLH_PLUGIN_MANIFEST', `${name}: ${problem.path || 'the document'}: ${problem.message}.`)
  }
  const manifest = value as PluginManifest
  const webhook = manifest.routes?.find(({ auth, path }) => auth === 'W' && !path.startsWith('/webhook/'))
  if (webhook !== undefined) {
    throw new PlayheadError(
      'PLH_PLUGIN_MANIFEST',
      `${name}: ${webhook.method} ${webhook.path} has auth W; webhooks live below /webhook/.`,
    )
  }
  if (!semver.satisfies(SDK_VERSION, manifest.api)) {
    throw new PlayheadError('PLH_PLUGIN_API_RANGE', `${name} needs SDK ${manifest.api}; this is ${SDK_VERSION}.`)
  }
  return manifest
}
