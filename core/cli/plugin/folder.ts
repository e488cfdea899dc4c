// A plugin's folder given on the command line.
import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { PluginManifest } from '@playhead/sdk'
import { readManifest } from '../../host/load/registry.ts'
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

/** What a plugin requests, shown before it is added. */
export function describeNeeds({ needs = {}, routes = [] }: PluginManifest): readonly string[] {
  const hosts = (needs.hosts ?? []).map((host) =>
    host.replace(/^config:/, 'the address in its setting ').replace(/^entered$/, 'addresses that people type in'),
  )
  return [
    `reaches: ${hosts.length === 0 ? 'no hosts' : hosts.join(', ')}`,
    ...(routes.length === 0 ? [] : [`answers: ${routes.map(({ method, path }) => `${method} ${path}`).join(', ')}`]),
    ...(needs.files === undefined ? [] : [`shared folders: ${needs.files.join(', ')}`]),
    ...(needs.database === true ? ['keeps databases of its own'] : []),
    ...(needs.inspect === true ? ['sees all settings (secrets masked) and the details of all plugins'] : []),
    ...(needs.data === true ? ['copies and replaces everything in the data directory, keys included'] : []),
    ...(needs.signIn === true ? ['signs people in without a password, through a linked account'] : []),
    ...(needs.builtins === undefined
      ? []
      : [`Node modules with power over this machine: ${needs.builtins.join(', ')}`]),
  ]
}

function idIn(text: string): string | undefined {
  try {
    const id = (JSON.parse(text) as { id?: unknown } | null)?.id
    return typeof id === 'string' ? id : undefined
  } catch {
    // Reading the manifest reports it with its position.
    return undefined
  }
}
