// A plugin's folder given on the command line.
import { type PluginManifest, isPlayheadError } from '@playhead/sdk'
import { asksOf, describeAsks } from '../../packages/asks.ts'
import { openPluginFolder as open, type PluginFolder } from '../../packages/folders.ts'
import { CliError } from '../command.ts'

export type { PluginFolder }

/** Reads and checks the manifest of the plugin in a folder. */
export async function openPluginFolder(folder: string): Promise<PluginFolder> {
  return open(folder).catch((error: unknown) => {
    if (!isPlayheadError(error, 'PLH_INVALID') || error.wire !== 'not_a_plugin') throw error
    throw new CliError(`${error.message} A new one is made with: npm run playhead -- plugin new`)
  })
}

/** Prints the permissions that a plugin asks for, before it is added. */
export function describeNeeds(manifest: PluginManifest): readonly string[] {
  return describeAsks(asksOf(manifest))
}
