// A plugin's folder given on the command line.
import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { PluginManifest } from '@playhead/sdk'
import { readManifest } from '../../host/load/registry.ts'
import { asksOf, describeAsks } from '../../packages/asks.ts'
import { CliError } from '../command.ts'

export interface PluginFolder {
  readonly directory: string
  readonly manifest: PluginManifest
}

/** Reads and checks the manifest of the plugin in a folder. */
export async function openPluginFolder(folder: string): Promise<PluginFolder> {
  const directory = await realpath(folder).catch(() => {
    throw new CliError(`there is no folder ${folder}.`)
  })
  const text = await readFile(join(directory, 'plugin.json'), 'utf8').catch(() => {
    throw new CliError(
      `${directory} is not a plugin: it has no plugin.json. A new one is made with: npm run playhead -- plugin new`,
    )
  })
  return { directory, manifest: await readManifest(directory, idIn(text) ?? '') }
}

/** Prints the permissions that a plugin asks for, before it is added. */
export function describeNeeds(manifest: PluginManifest): readonly string[] {
  return describeAsks(asksOf(manifest))
}

function idIn(text: string): string | undefined {
  try {
    const id = (JSON.parse(text) as { id?: unknown } | null)?.id
    return typeof id === 'string' ? id : undefined
  } catch {
    // `readManifest` reports the error with its position.
    return undefined
  }
}
