// Plugins that provide the same as another one, of which only one can be on: a feature that takes the place of a
// shipped one, for example.
import type { PluginManifest } from '@playhead/sdk'
import { readManifest } from '../../host/load/registry.ts'
import type { Cli } from '../command.ts'
import { changeEntry, knownPlugins, placesOf } from './registry-file.ts'

export interface Rival {
  readonly id: string
  readonly enabled: boolean
  /** What both provide. */
  readonly token: string
}

type Identity = Pick<PluginManifest, 'id' | 'provides'>

/** The other registered plugins that provide something of this one. */
export async function rivalsOf(
  cli: Pick<Cli, 'root' | 'dataDirectory'>,
  { id, provides = [] }: Identity,
): Promise<readonly Rival[]> {
  if (provides.length === 0) return []
  const others = (await knownPlugins(cli)).plugins.filter((plugin) => plugin.id !== id)
  const found = await Promise.all(
    others.map(async ({ id: other, directory, enabled }) => {
      const manifest = await readManifest(directory, other).catch(() => null)
      const token = manifest?.provides?.find((one) => provides.includes(one))
      return token === undefined ? [] : [{ id: other, enabled, token }]
    }),
  )
  return found.flat()
}

/** Switches plugins off, in the data directory. */
export async function switchOff(cli: Cli, rivals: readonly Rival[]): Promise<void> {
  for (const { id, token } of rivals) {
    await changeEntry(placesOf(cli).user, id, (entry) => ({ ...entry, id, enabled: false }))
    cli.print(`Switched off ${id}, which provides ${token} too.`)
  }
}
